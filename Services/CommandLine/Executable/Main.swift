private import CommandLineService
private import FoundationEssentials
private import Glibc
private import Messaging
private import ServiceRuntime

@main
struct Main {
    static func main() async {
        let interruption = Interruption()
        let signals = SignalInterruption(triggering: interruption)
        // The process's own life is its scope.
        Task { await signals.watch() }
        let environment = ProcessInfo.processInfo.environment
        let loop = signals.sharedLoop
        let context = CommandContext(
            terminal: Terminal(output: .standardOutput, errors: .standardError, environment: environment),
            user: UserSituation(ofThisProcess: environment),
            interruption: interruption,
            executable: OwnExecutable.path ?? CommandLine.arguments.first ?? "obscura",
            person: ControllingTerminal(loop: loop)?.person,
            connect: { LiveCluster(at: $0, context: try MessagingContext(), loop: loop) }
        )
        let status = await CommandLineProgram().run(Array(CommandLine.arguments.dropFirst()), in: context)
        exit(status.rawValue)
    }
}
