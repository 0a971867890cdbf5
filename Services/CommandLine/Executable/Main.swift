private import CommandLineService
private import FoundationEssentials
private import Glibc
private import MessageSchema
private import ServiceRuntime

@main
struct Main {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        let words = Array(CommandLine.arguments.dropFirst())
        let interruption = Interruption()
        let context = CommandContext(
            terminal: Terminal(output: .standardOutput, errors: .standardError, environment: environment),
            user: UserSituation(ofThisProcess: environment),
            interruption: interruption,
            executable: OwnExecutable.path ?? CommandLine.arguments.first ?? "obscura",
            connect: { directory in
                throw ErrorReply(.serviceUnavailable, "No cluster", reason: "Nothing listens in \(directory)")
            }
        )
        let status = await CommandLineProgram().run(words, in: context)
        exit(status.rawValue)
    }
}
