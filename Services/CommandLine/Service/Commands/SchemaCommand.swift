private import FoundationEssentials
private import MessageSchema

/// `obscura schema`.
struct SchemaCommand: Command {
    private static let name = Positional("NAME", "Only this message, such as library.read", .optional, as: .text)

    var signature: CommandSignature {
        CommandSignature(
            "schema",
            "Prints the JSON Schema of every message",
            discussion: "Needs no cluster. With --json, on one line.",
            parameters: [Self.name],
            examples: [("schema", "all messages"), ("schema camera.photo", "what is asked, and what is answered")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        var document = try SchemaDocument()
        if let name = arguments[Self.name].first {
            guard let one = document.only(name) else {
                let near = Suggestion.nearest(to: name, among: Array(document.messages.keys))
                throw ErrorReply.usage(
                    "Unknown message",
                    "there is no message '\(name)'",
                    near.map { "did you mean '\($0)'?" } ?? "see 'obscura schema'"
                )
            }
            document = one
        }
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(document)
        } else {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
            context.terminal.write(Array(try encoder.encode(document)) + [UInt8(ascii: "\n")])
        }
        return .success
    }
}
