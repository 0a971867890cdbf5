private import Consent
private import Media
import MessageSchema

/// `obscura library trash`, `restore`, `delete`, `favourite` and `caption`: what is done to some assets at once.
struct KeepAssetsCommand: Command {
    /// What is done.
    enum Verb: String, CaseIterable, Sendable {
        case trash, restore, delete, favourite, caption
    }

    private static let assets = Positional("URL", "The assets", .oneOrMore, as: ValueReader<AssetURL>.assetURL)
    private static let off = Flag("off", "Take the mark away")
    private static let text = Option(
        "text",
        "TEXT",
        "The caption; without one, or with an empty one, it is taken away",
        as: ValueReader(expecting: "a text") { $0 }
    )

    let verb: Verb

    var signature: CommandSignature {
        CommandSignature(
            "library \(verb.rawValue)",
            verb.summary,
            discussion: verb.discussion
                + "Ends with 66 when the library does not have one of the assets; the others are changed.",
            parameters: [Self.assets] + verb.options(Self.off, Self.text) + CommonParameters.asking,
            examples: [verb.example]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let assets = arguments[Self.assets]
        let isOff = verb == .favourite && arguments[Self.off]
        let caption = verb == .caption ? arguments[Self.text] ?? "" : nil
        let cluster = try context.cluster(arguments)
        let reply = try await context.asking(arguments, cluster, about: [Need(.library, .readWrite)]) { rules in
            switch verb {
            case .trash: try await cluster.call(TrashAssets(assets), rules)
            case .restore: try await cluster.call(RestoreAssets(assets), rules)
            case .delete: try await cluster.call(DeleteAssets(assets), rules)
            case .favourite: try await cluster.call(MarkAssets(assets, favourite: !isOff), rules)
            case .caption: try await cluster.call(MarkAssets(assets, caption: caption), rules)
            }
        }
        let terminal = context.terminal
        if arguments[CommonParameters.json] {
            terminal.writeJSON(reply)
        } else {
            let end = reply.expires.map { "; deleted for good at \($0)" } ?? ""
            terminal.writeLine("\(reply.changed) changed\(end)")
        }
        if let unknown = reply.unknown, !unknown.isEmpty { throw ErrorReply.noAssets(unknown) }
        return .success
    }
}

extension KeepAssetsCommand.Verb {
    fileprivate var summary: String {
        switch self {
        case .trash: "Puts assets into the trash"
        case .restore: "Takes assets out of the trash"
        case .delete: "Deletes assets for good, in the trash or not"
        case .favourite: "Marks assets as favourites"
        case .caption: "Gives assets a caption, or takes it away"
        }
    }

    fileprivate var discussion: String {
        switch self {
        case .trash: "They are deleted for good after 30 days; 'library list --trashed' shows them. "
        case .restore: "They are in the albums again in which they were. "
        case .delete: "Bytes that another asset has, too, stay. "
        case .favourite, .caption: ""
        }
    }

    fileprivate var example: (String, String) {
        switch self {
        case .trash: ("library trash URL URL", "two assets fewer")
        case .restore: ("library restore URL", "it is back")
        case .delete: ("library delete URL", "it is gone")
        case .favourite: ("library favourite URL", "'library list --favourites' shows it")
        case .caption: ("library caption URL --text 'At the sea'", "what 'library show' tells of it")
        }
    }

    fileprivate func options(_ off: Flag, _ text: Option<String>) -> [any Parameter] {
        switch self {
        case .trash, .restore, .delete: []
        case .favourite: [off]
        case .caption: [text]
        }
    }
}

/// `obscura library album delete`.
struct DeleteAlbumCommand: Command {
    private static let group = Positional("GROUP", "The album's URL", as: ValueReader<GroupURL>.groupURL)

    var signature: CommandSignature {
        CommandSignature(
            "library album delete",
            "Deletes an album; its assets stay in the library",
            discussion:
                "Ends with 66 when there is no such album: also for a group that always is, as Saved Photos, and stays.",
            parameters: [Self.group] + CommonParameters.asking,
            examples: [("library album delete GROUP", "the album is gone")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let request = DeleteAlbum(group: arguments.one(Self.group))
        let reply = try await context.asking(arguments, cluster, about: [Need(.library, .readWrite)]) { rules in
            try await cluster.call(request, rules)
        }
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(reply)
        } else {
            context.terminal.writeLine(reply.deleted ? "deleted" : "no album was deleted")
        }
        guard reply.deleted else {
            throw ErrorReply(
                .noSuchGroup,
                "No such album",
                reason: "The library has no album '\(request.group)' that can be deleted",
                recoverySuggestion: "see 'obscura library groups'",
                parameters: ["group": request.group.description]
            )
        }
        return .success
    }
}
