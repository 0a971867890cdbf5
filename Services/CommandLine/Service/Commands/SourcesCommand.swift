private import Media
private import MessageSchema

/// `obscura sources`.
struct SourcesCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "sources",
            "Shows the three sources of pictures and films, and what each can give now",
            examples: [("sources", "camera, photo library and saved photos"), ("sources --json", "one object a line")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let sources = try await context.cluster(arguments).call(ListSources()).sources
        if arguments[CommonParameters.json] {
            for source in sources { context.terminal.writeJSON(source) }
            return .success
        }
        var table = TextTable("source", "available", "media types", "reason")
        for source in sources {
            let types = source.mediaTypes.map(\.rawValue).joined(separator: ", ")
            table.add(
                source.source.rawValue,
                source.available ? "yes" : "no",
                types,
                [source.reason, source.detail].text
            )
        }
        context.terminal.write(table, orSay: "no sources")
        return .success
    }
}
