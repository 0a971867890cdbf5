private import Consent
private import Media
private import MessageSchema

/// `obscura library changes`.
struct LibraryChangesCommand: Command {
    private static let since = Option(
        "since",
        "TOKEN",
        "What changed after it; without it only a token comes",
        as: .text
    )
    private static let follow = Flag("follow", "Go on with what changes from now on, until you interrupt")

    var signature: CommandSignature {
        CommandSignature(
            "library changes",
            "Shows what changed since a token, and gives the next one",
            discussion:
                "An asset in the trash counts as deleted. A token of a library that was restored, and one that is older than 90 days or "
                + "a million changes, has expired (75): list everything, and go on from a new one.",
            parameters: [Self.since, Self.follow] + CommonParameters.asking,
            examples: [
                ("library changes", "the token to begin with"),
                ("library changes --since TOKEN --json", "a line for each change, then the next token"),
            ]
        )
    }

    func interruption(_ arguments: Arguments) -> InterruptionRule { arguments[Self.follow] ? .ends : .cancels }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let asJSON = arguments[CommonParameters.json]
        let follows = arguments[Self.follow]
        let request = ListChanges(since: arguments[Self.since])
        let cluster = try context.cluster(arguments)
        let terminal = context.terminal
        let show = { @Sendable (event: LibraryEvent) in
            if asJSON {
                terminal.writeJSON(StreamLine(.item, event))
            } else {
                let line = TextRow.line(("\(event.generation)", 8), (event.kind.rawValue, 8), last: "\(event.url)")
                terminal.writeLine(line)
            }
        }
        let needs = [Need(.library, .read)]
        let summary = try await context.asking(arguments, cluster, about: needs) { rules, hasBegun in
            try await cluster.stream(request, rules.unhurried(unless: arguments)) { page, _ in
                hasBegun()
                for change in page.changes { show(change) }
            }
        }
        guard follows else {
            if asJSON {
                terminal.writeJSON(StreamLine(.result, TokenLine(token: summary.token)))
            } else {
                terminal.writeLine("token \(summary.token)")
            }
            return .success
        }
        _ = try await context.asking(arguments, cluster, about: needs) { rules, hasBegun in
            try await cluster.stream(WatchLibrary(since: summary.token), rules.endless) { event, _ in
                hasBegun()
                show(event)
            }
        }
        return .success
    }
}

private struct TokenLine: Encodable {
    let token: String
}
