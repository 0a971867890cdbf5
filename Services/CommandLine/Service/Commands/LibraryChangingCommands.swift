private import Media
import MessageSchema

/// `obscura library album create`.
struct CreateAlbumCommand: Command {
    private static let name = Positional("NAME", "The album's name", as: .text)

    var signature: CommandSignature {
        CommandSignature(
            "library album create",
            "Makes an album",
            discussion: "A name that is taken makes nothing, and that is no error.",
            parameters: [Self.name] + CommonParameters.asking,
            examples: [("library album create Holidays", "prints the new group's URL")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let name = arguments.one(Self.name)
        let reply = try await context.asking(arguments, cluster) { rules in
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
            parameters: [Self.group, Self.assets] + CommonParameters.asking,
            examples: [("library album \(change.rawValue) GROUP URL URL", isAdding ? "two assets more" : "two fewer")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let cluster = try context.cluster(arguments)
        let request = ChangeAlbum(change, group: arguments.one(Self.group), assets: arguments[Self.assets])
        let reply = try await context.asking(arguments, cluster) { rules in
            try await cluster.call(request, rules)
        }
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(reply)
        } else {
            context.terminal.writeLine("\(reply.changed) changed")
        }
        return .success
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
