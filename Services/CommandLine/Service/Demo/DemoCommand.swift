private import Consent
private import MessageSchema
private import ServiceRuntime

/// `obscura demo`: the story that must work, on one screen.
struct DemoCommand: Command {
    private static let yes = Flag("yes", "Let the demo's own operator answer its own program's questions")
    private static let destination = Option(
        "to",
        "DIR",
        "Where the copies go (default: DATA/demo of this user)",
        as: .text
    )

    let signature = CommandSignature(
        "demo",
        "Show what Obscura does: probe, ask, capture, keep, read, copy out, withdraw",
        discussion: """
            Uses the running cluster, or starts one of its own and ends it. The person at the terminal is asked; --yes \
            answers for them. Nothing that was decided before is changed.
            """,
        parameters: [yes, destination],
        examples: [
            ("demo", "the story, with questions"),
            ("demo --yes --json", "the story as JSON lines; the last one says where the copies are"),
        ]
    )

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let narrator = DemoNarrator(terminal: context.terminal, asJSON: arguments[CommonParameters.json])
        let runtime = try context.runtimeDirectory(arguments)
        if await Self.isServed(try context.connect(runtime)) {
            return try await tell(arguments, narrator, runtime: runtime, in: context)
        }
        return try await withOwnCluster(arguments, narrator, in: context) { runtime in
            try await tell(arguments, narrator, runtime: runtime, in: context)
        }
    }

    /// Whether a whole cluster answers there within a second.
    private static func isServed(_ cluster: any Cluster) async -> Bool {
        // No cluster, or not a whole one: the demo brings its own.
        let services = try? await cluster.call(ListServices(), CallRules(timeout: .seconds(1)))
        return services?.ready == true
    }

    private func withOwnCluster(
        _ arguments: Arguments,
        _ narrator: DemoNarrator,
        in context: CommandContext,
        _ body: (String) async throws -> ProgramStatus
    ) async throws -> ProgramStatus {
        guard let data = StandardDirectories.data(context.user),
            let runtime = arguments[CommonParameters.runtime]
                ?? StandardDirectories.runtime(context.user, for: .serving)
        else {
            throw ErrorReply.usage("No place to run in", "this user has no home directory", "give --runtime")
        }
        let (ready, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let cluster = try LocalCluster(
            ClusterOptions(data: data, runtime: runtime),
            executable: context.executable
        ) { report in
            if case .allReady = report { continuation.yield() }
        }
        narrator.say("No cluster runs here, so the demo starts one of its own.")
        try await cluster.start()
        let ending = Task {
            let code = await cluster.waitUntilFinished()
            continuation.finish()
            return code
        }
        var isReady = false
        for await _ in ready {
            isReady = true
            break
        }
        do {
            guard isReady else {
                throw ErrorReply(
                    .serviceUnavailable,
                    "The demo's cluster did not start",
                    reason: "A service ended with code \(await ending.value); its log is in \(data)/log.",
                    recoverySuggestion: "Run `obscura up` to see which, and why"
                )
            }
            let status = try await body(runtime)
            await end(cluster, ending)
            return status
        } catch {
            await end(cluster, ending)
            throw error
        }
    }

    private func end(_ cluster: LocalCluster, _ ending: Task<Int32, Never>) async {
        await cluster.stop()
        _ = await ending.value
    }

    private func tell(
        _ arguments: Arguments,
        _ narrator: DemoNarrator,
        runtime: String,
        in context: CommandContext
    ) async throws -> ProgramStatus {
        let program = try context.connect(runtime)
        let person = try context.connect(runtime)
        let own = try await program.call(PermissionStatus(needs: [Need(.library, .addOnly)])).permissions
        guard let own = own.first else { throw ErrorReply(.internalFault, "The coordinator does not say who we are") }
        let story = DemoStory(
            program: program,
            person: person,
            principal: own.principal,
            narrator: narrator
        )
        let answers =
            arguments[Self.yes] ? DemoAnswers(person: person, principal: own.principal) : nil
        let exporting = DemoExport(context: context, narrator: narrator, cluster: program)
        let destination = try arguments[Self.destination] ?? exporting.standardDestination()
        let told = try await story.answered(by: answers, dialogue: dialogue(context, person, own)) {
            let (camera, assets) = try await story.captureAndRead()
            let result = try await exporting.export(assets, to: destination)
            try await story.withdraw(camera)
            return result
        }
        await answers?.forget()
        narrator.result(told)
        return told.failed == 0 ? .success : .badData
    }

    private func dialogue(_ context: CommandContext, _ person: any Cluster, _ own: PermissionState) -> PromptDialogue? {
        context.person.map { terminal in
            PromptDialogue(with: terminal, over: person) { $0.principal == own.principal }
        }
    }
}
