private import Consent
import Media
import MessageSchema

/// `obscura library album create`.
struct CreateAlbumCommand: Command {
    private static let name = Positional("NAME", "The album's name", as: .name)

    var signature: CommandSignature {
        CommandSignature(
            "library album create",
            "Makes an album",
            discussion: "A name that a group has already, such as Saved Photos, makes nothing, and that is no error.",
            parameters: [Self.name] + CommonParameters.asking,
            examples: [("library album create Holidays", "prints the new group's URL")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let name = arguments.one(Self.name)
        let reply = try await context.asking(arguments, cluster, about: [Need(.library, .readWrite)]) { rules in
            try await cluster.call(CreateAlbum(album: name), rules)
        }
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(reply)
        } else {
            context.terminal.writeLine(reply.group?.url.description ?? "the name is taken; nothing was made")
        }
        return .success
    }
}

/// `obscura library album add` and `remove`.
struct ChangeAlbumCommand: Command {
    private static let group = Positional("GROUP", "The album's URL", as: ValueReader<GroupURL>.groupURL)
    private static let assets = Positional("URL", "The assets", .oneOrMore, as: ValueReader<AssetURL>.assetURL)

    let change: ChangeAlbum.Change

    var signature: CommandSignature {
        let isAdding = change == .add
        return CommandSignature(
            "library album \(change.rawValue)",
            isAdding ? "Puts assets into an album" : "Takes assets out of an album; they stay in the library",
            discussion: "Ends with 66 when the library does not have one of the assets; the others are changed.",
            parameters: [Self.group, Self.assets] + CommonParameters.asking,
            examples: [("library album \(change.rawValue) GROUP URL URL", isAdding ? "two assets more" : "two fewer")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let request = ChangeAlbum(change, group: arguments.one(Self.group), assets: arguments[Self.assets])
        let reply = try await context.asking(arguments, cluster, about: [Need(.library, .readWrite)]) { rules in
            try await cluster.call(request, rules)
        }
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(reply)
        } else {
            context.terminal.writeLine("\(reply.changed) changed")
        }
        if reply.editable == false { throw ErrorReply.fixedGroup(request.group) }
        if let unknown = reply.unknown, !unknown.isEmpty { throw ErrorReply.noAssets(unknown) }
        return .success
    }
}

extension ErrorReply {
    /// A group whose assets follow from what they are.
    fileprivate static func fixedGroup(_ group: GroupURL) -> ErrorReply {
        ErrorReply(
            .invalidArgument,
            "The group can not be changed",
            reason: "What is in it follows from what the library has; albums and Saved Photos can be changed",
            recoverySuggestion: "see 'obscura library groups'",
            parameters: ["group": group.description]
        )
    }

    /// Assets that the library does not have.
    static func noAssets(_ urls: [AssetURL]) -> ErrorReply {
        var error = noAsset(urls[0])
        guard urls.count > 1 else { return error }
        error.description = "No such assets"
        error.reason = "The library has none of: \(urls.map { "'\($0)'" }.joined(separator: ", "))"
        return error
    }
}

/// `obscura library verify`.
struct VerifyLibraryCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "library verify",
            "Checks every byte of the media store; an operator alone may",
            discussion: "Ends with 65 when something is damaged or missing.",
            examples: [("library verify --json", "checked, damaged, missing, orphans, repaired")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let rules = CallRules(timeout: .seconds(24 * 3600))
        let reply = try await context.cluster(arguments).call(VerifyLibrary(), rules)
        let terminal = context.terminal
        if arguments[CommonParameters.json] {
            terminal.writeJSON(reply)
        } else {
            var table = TextTable("damaged", "reason")
            for damage in reply.damaged { table.add(damage.url.description, damage.reason) }
            for line in table.lines { terminal.writeLine(line) }
            terminal.writeLine(
                "\(reply.checked) checked: \(reply.damaged.count) damaged, \(reply.missing) missing, "
                    + "\(CountText.of(reply.orphans, "orphan")), \(reply.repaired) repaired"
            )
        }
        return reply.damaged.isEmpty && reply.missing == 0 ? .success : .badData
    }
}
