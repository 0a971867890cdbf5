private import Consent
private import Media
private import MessageSchema

/// `obscura library metadata`.
struct MetadataCommand: Command {
    private static let url = Positional("URL", "The asset", as: ValueReader<AssetURL>.assetURL)

    var signature: CommandSignature {
        CommandSignature(
            "library metadata",
            "Shows what a file's metadata says",
            discussion: "What was given at the save wins. The place is shown to who may know it.",
            parameters: [Self.url] + CommonParameters.asking,
            examples: [("library metadata URL --json", "dictionaries {TIFF}, {Exif}, {GPS}, {Movie}")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let request = ReadMetadata(url: arguments.one(Self.url))
        let reply = try await context.asking(arguments, cluster, about: [Need(.library, .read)]) { rules in
            try await cluster.call(request, rules)
        }
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(reply)
            return .success
        }
        var table = TextTable("in", "name", "value")
        for (group, values) in (reply.metadata ?? [:]).sorted(by: { $0.key < $1.key }) {
            for (name, value) in values.sorted(by: { $0.key < $1.key }) { table.add(group, name, value) }
        }
        context.terminal.write(table, orSay: "the file is not understood")
        return .success
    }
}
