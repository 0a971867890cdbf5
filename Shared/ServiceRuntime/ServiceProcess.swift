private import CLinux
private import Consent
private import EventLoop
private import Files
private import Glibc
private import Hashing
private import Logging
package import MessageSchema
private import Messaging

/// Runs one service as a process: settings, limits, sockets, registration, readiness, signals, drain.
///
/// The one call in a service's `Main.swift`. Exit status: 0 after SIGTERM or SIGINT; 64 for wrong flags, 65 for data,
/// a settings or a policy file that can not be understood, 66 for a settings or policy file that can not be read, 73 for folders or sockets that can not be made, 75 when another one runs already,
/// 74 for input and output, 70 for the rest.
package enum ServiceProcess {
    /// Starts what the service does: opens its data, registers its messages on the host's server.
    ///
    /// - Returns: What is to be done at the end, after the last request has been answered.
    package typealias Body = @Sendable (ServiceHost) async throws -> @Sendable () async -> Void

    /// Runs the service until it is told to end, and ends the process; call it on the main thread.
    ///
    /// The main thread keeps the signals back for all others and then sleeps: an asynchronous `main` would run on a thread
    /// of the pool and leave the main thread to be killed by the first SIGTERM.
    ///
    /// - Parameters:
    ///   - name: Which service this is.
    ///   - declared: What it can be told beside what all services can.
    ///   - body: What it does.
    package static func run(
        _ name: ServiceName,
        settings declared: [Setting] = [],
        _ body: @escaping Body
    ) -> Never {
        StandardStreams.occupy()
        let signals = HeldSignals(BlockedSignals())
        // The process's one root task: it ends by ending the process.
        Task { await live(name, declared, signals, body) }
        while true { pause() }
    }

    private static func live(
        _ name: ServiceName,
        _ declared: [Setting],
        _ signals: HeldSignals,
        _ body: Body
    ) async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        precondition(
            declared.allSatisfy { Setting.everywhere.contains($0.name) },
            "the configuration file is the cluster's: each name in it is one of Setting.everywhere"
        )
        let declared = Setting.common + declared
        if arguments.contains("--help") { finish(ServiceHelp.text(for: name, settings: declared)) }
        if arguments == ["--version"] { finish("\(name.executable) \(ProcessIdentity.version)\n") }

        let notifier = ReadinessNotifier(environment: UserSituation.ownEnvironment)
        var log = Logger(service: name.executable)
        do {
            let start = try ServiceStart(name: name, declared: declared, arguments: arguments)
            log.level = start.logLevel
            let host = try await start.host(log: log, notifier: notifier)
            let watch = SignalWatch(signals, loop: host.loop)
            let end = try await begin(host, body)
            await ServiceLife(host: host, watch: watch).untilTold()
            await host.server.drain(within: .seconds(1))
            await end()
            log.info("ended")
            leave(0)
        } catch {
            let failure = StartFailure(error)
            log.error("can not run", ["reason": .string(failure.text)])
            notifier.refusing(failure.text)
            leave(failure.code)
        }
    }

    /// Ends the process at once.
    ///
    /// exit(3) would run the exit handlers of libraries, OpenSSL's cleanup among them, while the socket loop and libzmq's
    /// thread still use these libraries: a peer that shows its key in that moment ended a service with signal 11.
    static func leave(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }

    private static func begin(_ host: ServiceHost, _ body: Body) async throws -> @Sendable () async -> Void {
        await host.server.register(ServiceHealth.self) { _, _ in host.status }
        let end = try await body(host)
        try await host.server.start()
        host.log.info(
            "listening",
            [
                "runtime": .string(host.runtimeDirectory), "deployment": .string(host.deployment.rawValue),
                "version": .string(ProcessIdentity.version),
            ]
        )
        return end
    }

    private static func finish(_ text: String) -> Never {
        FileOutput.standardOutput(text)
        exit(0)
    }
}
