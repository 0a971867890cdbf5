private import FoundationEssentials
private import MessageSchema
private import ServiceRuntime

/// `obscura schema`.
struct SchemaCommand: Command {
    private static let name = Positional("NAME", "Only this message, such as library.read", .optional, as: .text)

    private static let policy = Flag("policy", "That of the policy file instead")

    var signature: CommandSignature {
        CommandSignature(
            "schema",
            "Prints the JSON Schema of every message",
            discussion: "Needs no cluster. With --json, on one line.",
            parameters: [Self.name, Self.policy],
            examples: [
                ("schema", "all messages"), ("schema camera.photo", "what is asked, and what is answered"),
                ("schema --policy", "what a policy file may say"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let name = arguments[Self.name].first
        if arguments[Self.policy] {
            guard name == nil else {
                throw ErrorReply.usage(
                    "A message or the policy?",
                    "one call can not print both",
                    "leave one of them out"
                )
            }
            let lines = Policy.schema.split(separator: "\n")
            let text = arguments[CommonParameters.json] ? lines.map { $0.drop { $0 == " " } }.joined() : Policy.schema
            context.terminal.write(Array((text + "\n").utf8))
            return .success
        }
        var document = try SchemaDocument()
        if let name {
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
