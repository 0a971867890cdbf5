private import CommandLineService
private import FoundationEssentials
private import Glibc
private import Messaging
private import ServiceRuntime

@main
struct Main {
    /// Not `async`: Swift would start threads before it, and a thread that does not block a signal is killed by it.
    static func main() {
        StandardStreams.occupy()
        let interruption = Interruption()
        let hangups = Interruption()
        let words = Array(CommandLine.arguments.dropFirst())
        let signals = SignalInterruption(
            triggering: interruption,
            hangups: CommandLineProgram().takesHangups(words) ? hangups : nil
        )
        start(words, interruption, hangups, signals)
        // `dispatchMain()` would unblock the signals in this thread.
        while true { pause() }
    }

    /// Nonisolated, because tasks of the main actor would wait for the main thread, which waits here for ever.
    private nonisolated static func start(
        _ words: [String],
        _ interruption: Interruption,
        _ hangups: Interruption,
        _ signals: SignalInterruption
    ) {
        // Unstructured: the process's own life is the scope of both.
        Task { await signals.watch() }
        Task { exit(await run(words, interruption, hangups, signals).rawValue) }
    }

    private nonisolated static func run(
        _ words: [String],
        _ interruption: Interruption,
        _ hangups: Interruption,
        _ signals: SignalInterruption
    ) async -> ProgramStatus {
        let environment = ProcessInfo.processInfo.environment
        let loop = signals.sharedLoop
        let context = CommandContext(
            terminal: Terminal(output: .standardOutput, errors: .standardError, environment: environment),
            user: UserSituation(ofThisProcess: environment),
            interruption: interruption,
            hangups: hangups,
            executable: OwnExecutable.path ?? CommandLine.arguments.first ?? "obscura",
            person: ControllingTerminal(loop: loop)?.person,
            connect: { LiveCluster(at: $0, context: try MessagingContext(), loop: loop) }
        )
        return await CommandLineProgram().run(words, in: context)
    }
}
