private import MessageSchema

/// A command that this version does not have: it says so, whatever its arguments.
struct NotYetCommand: Command {
    let path: String
    let summary: String

    var signature: CommandSignature {
        CommandSignature(path, summary + " (not yet available)", takesAnything: true, examples: [])
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        throw ErrorReply(
            .notYetAvailable,
            "Not yet available",
            reason: "This version has no 'obscura \(path)'",
            parameters: ["command": path]
        )
    }
}
