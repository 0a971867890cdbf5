private import Consent
private import EventLoop
private import Files
private import Glibc
private import MessageSchema
private import ServiceRuntime

/// `obscura up`: runs all services on this machine, keeps them running, and asks the person at this terminal.
struct UpCommand: Command {
    private static let data = Option(
        "data",
        "DIR",
        "What must last (default: $OBSCURA_DATA, or the standard one)",
        as: .text
    )
    private static let policy = Option(
        "policy",
        "FILE",
        "Operators, what is forbidden and what is granted (default: DATA/policy.json, if there); it is read again when it changes",
        as: .text
    )
    private static let config = Option(
        "config",
        "FILE",
        "Settings of the services, such as export-roots: a JSON object (default: $OBSCURA_CONFIG); flags win over it",
        as: .text
    )
    private static let deployment = Option<Deployment>(
        "deployment",
        "personal|system",
        "Who is kept apart from whom (default: personal)",
        as: .word
    )
    private static let except = Option<[ServiceName]>(
        "except",
        "SERVICE",
        "Do not run these services, separated by commas; somebody else does",
        as: ValueReader(expecting: "names of services, separated by commas") { text in
            let names = text.split(separator: ",").map { ServiceName(rawValue: String($0)) }
            return names.contains(nil) || names.isEmpty ? nil : names.compactMap(\.self)
        }
    )
    private static let readyDescriptor = Option<Int>(
        "ready-fd",
        "N",
        "Write a line to this descriptor when all services are ready",
        as: .wholeNumber(atLeast: 1)
    )
    static let builtIn = Option(
        "built-in-cameras",
        "auto|always|never",
        "Whether there are cameras without hardware (default: auto, only when there is no hardware)",
        as: ValueReader(expecting: "auto, always or never", words: ["auto", "always", "never"]) { text in
            ["auto", "always", "never"].contains(text) ? text : nil
        }
    )
    private static let fileCameras = Option(
        "file-cameras",
        "PATH,…",
        "Replay these films, and folders of JPEG pictures (PATH@RATE), as cameras",
        as: .text
    )
    private static let watchdog = Option<Int>(
        "watchdog",
        "SECONDS",
        "Kill a service that shows no life for so long, and start it again (default: 10, 0 for never)",
        as: .wholeNumber(atLeast: 0)
    )
    private static let verbose = Flag("verbose", "Write the services' log lines to standard error instead of DATA/log")

    let signature = CommandSignature(
        "up",
        "Run the cluster on this machine and keep it running",
        discussion: """
            Starts the five services, one line for each as its state changes, and starts a service again that crashes. \
            Questions to the person appear here, when this is a terminal. Ctrl-C ends everything, and so does the end of \
            the terminal, unless nohup started it. SIGHUP has all services read the policy again.
            """,
        parameters: [
            data, policy, config, deployment, except, readyDescriptor, builtIn, fileCameras, watchdog, verbose,
        ],
        examples: [
            ("up", "run the cluster of this user"),
            ("up --data /tmp/o/data --runtime /tmp/o/run", "run another one beside it"),
            ("up --deployment system", "as root: run it for the whole machine, as the user obscura"),
        ]
    )

    func interruption(_ arguments: Arguments) -> InterruptionRule { .isHandled }
    var takesHangups: Bool { true }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let terminal = TerminalLife()
        var options = try Self.options(arguments, in: context)
        options.isVerbose = arguments[Self.verbose]
        // An hour is as good as never.
        if let seconds = arguments[Self.watchdog] { options.watchdog = .seconds(min(seconds, 3_600)) }
        let board = StatusBoard(terminal: context.terminal, asJSON: arguments[CommonParameters.json])
        let announcement = try ReadyAnnouncement(descriptor: arguments[Self.readyDescriptor].map(CInt.init))
        let failure = FirstFailure()
        let queue = ReportQueue { report in
            board.show(report)
            if case .allReady = report { announcement.make() }
        } showOmitted: { count in
            board.showOmitted(count)
        }
        let cluster = try LocalCluster(options, executable: context.executable) { report in
            failure.look(at: report)
            queue.add(report)
        }
        board.begin(options)
        try await cluster.start()
        let prompts = Task { await PromptsAtTheTerminal(options: options, context: context).answer() }
        async let code = cluster.waitUntilFinished()
        let stopping = Task {
            for round in 1...2 {
                await context.interruption.wait(times: round)
                guard !Task.isCancelled else { return }
                await cluster.stop()
            }
        }
        let hangups = Task { await Self.follow(context, cluster, terminal) }
        let status = await code
        stopping.cancel()
        hangups.cancel()
        prompts.cancel()
        // A terminal that is stopped does not keep the command from ending.
        await queue.finish(within: .seconds(1))
        if status != 0, let error = failure.error(status: status) { throw error }
        return ProgramStatus(rawValue: status) ?? .fault
    }

    /// Hands SIGHUP on to the services; where it came because the terminal is gone, everything ends.
    private static func follow(_ context: CommandContext, _ cluster: LocalCluster, _ terminal: TerminalLife) async {
        var seen = 0
        while true {
            await context.hangups.wait(times: seen + 1)
            guard !Task.isCancelled else { return }
            seen = context.hangups.count
            if terminal.isOver { context.interruption.trigger() } else { await cluster.reload() }
        }
    }

    private static func options(_ arguments: Arguments, in context: CommandContext) throws -> ClusterOptions {
        let deployment = arguments[Self.deployment] ?? .personal
        let system = context.user.variable("OBSCURA_DATA") == nil && deployment == .system
        guard let data = arguments[Self.data] ?? (system ? "/var/lib/obscura" : StandardDirectories.data(context.user)),
            let runtime = arguments[CommonParameters.runtime]
                ?? StandardDirectories.runtime(context.user, for: .serving)
        else {
            throw ErrorReply.usage("No place to run in", "this user has no home directory", "give --data and --runtime")
        }
        var options = ClusterOptions(data: absolute(data), runtime: absolute(runtime), deployment: deployment)
        options.policy = arguments[Self.policy].map(absolute)
        options.config = (arguments[Self.config] ?? context.user.variable("OBSCURA_CONFIG")).map(absolute)
        options.except = Set(arguments[Self.except] ?? [])
        if let builtIn = arguments[Self.builtIn] {
            options.extra = [.probe: ["--built-in-cameras", builtIn], .capture: ["--built-in-cameras", builtIn]]
        }
        if let files = arguments[Self.fileCameras] {
            // A service does not run where the command was given.
            let paths = files.split(separator: ",").map { absolute(String($0)) }.joined(separator: ",")
            for service in [ServiceName.probe, .capture] {
                options.extra[service, default: []] += ["--file-cameras", paths]
            }
        }
        return options
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let folder = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder) + "/" + path
    }
}
