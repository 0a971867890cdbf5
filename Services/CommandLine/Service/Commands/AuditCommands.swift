import Consent
import MessageSchema

/// `obscura audit list`.
struct ListAuditCommand: Command {
    private static let since = Option(
        "since",
        "RFC3339",
        "Only what happened then or later",
        as: ValueReader<Moment>.written("a time such as 2026-11-30T00:00:00Z")
    )
    private static let until = Option(
        "until",
        "RFC3339",
        "Only what happened before",
        as: ValueReader<Moment>.written("a time such as 2026-12-01T00:00:00Z")
    )
    private static let principal = Option(
        "principal",
        "P",
        "Only what is about uid:1000, unit:booth.service, key:HEX or container:NAME, or was done by it",
        as: ValueReader<Principal>.written("a principal such as uid:1000 or unit:booth.service")
    )
    private static let resource = Option(
        "resource",
        "R",
        "Only what is about camera/ID, 'camera/*', microphone/ID, library, location or export",
        as: ValueReader<Resource>.written("a resource such as camera/ID, 'camera/*', library, location or export")
    )
    private static let kind = Option(
        "kind",
        "KIND",
        "Only entries of this kind, such as decision.denied",
        as: ValueReader<AuditKind>.word
    )

    var signature: CommandSignature {
        CommandSignature(
            "audit list",
            "Lists what was decided, done and refused, the oldest first; an operator alone may",
            discussion:
                "Entries name programs, cameras, decisions and consent records by their ids, and nobody by name. They have the\n"
                + "order in which they were stored; the time says when something happened.",
            parameters: [Self.since, Self.until, Self.principal, Self.resource, Self.kind],
            examples: [
                ("audit list --since 2026-11-30T00:00:00Z", "what happened since"),
                ("audit list --principal unit:booth.service --kind use.began --json", "when the booth used something"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let asJSON = arguments[CommonParameters.json]
        let filter = AuditFilter(
            since: arguments[Self.since],
            until: arguments[Self.until],
            principal: arguments[Self.principal],
            resource: arguments[Self.resource],
            kind: arguments[Self.kind]
        )
        let terminal = context.terminal
        var table = TextTable("entry", "time", "what", "principal", "about", "by", "why")
        try await LiveAudit(cluster: try context.cluster(arguments)).entries(filter) { chained in
            guard !asJSON else { return terminal.writeJSON(chained) }
            let entry = chained.entry
            table.add(
                entry.sequence.description,
                entry.time.description,
                entry.kind.rawValue,
                entry.principal?.description,
                Self.subject(of: entry),
                entry.by?.description,
                entry.cause ?? entry.lifespan?.description
            )
        }
        if !asJSON { terminal.write(table, orSay: "no entries") }
        return .success
    }

    private static func subject(of entry: AuditEntry) -> String? {
        let needs = (entry.needs ?? []).map(\.description)
        let others = [
            entry.resource?.description, entry.record?.description, entry.prompt?.description, entry.use?.description,
            needs.isEmpty ? entry.service?.rawValue : nil,
            entry.rules.map { CountText.of($0.count, "rule") },
            entry.count.map { CountText.of($0.value, "entry", plural: "entries") },
        ].compactMap(\.self)
        let words = needs + others
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}

/// The audit log of a cluster, page by page.
struct LiveAudit: Sendable {
    let cluster: any Cluster

    /// Hands over the entries that are wanted, in their order.
    func entries(_ filter: AuditFilter, _ each: (ChainedEntry) async throws -> Void) async throws {
        var request = ListAudit(filter)
        repeat {
            let page = try await cluster.call(request)
            for entry in page.entries { try await each(entry) }
            request.cursor = page.next
        } while request.cursor != nil
    }

    /// Hands over all entries, and each checkpoint behind the entry that it is about; what belongs behind none comes last.
    ///
    /// With `end`, what came after that checkpoint is left out.
    func everything(
        through end: AuditCheckpoint? = nil,
        entry: (ChainedEntry) async throws -> Void,
        checkpoint: (SignedCheckpoint) async throws -> Void
    ) async throws {
        // Before the entries, so that there is an entry for each.
        var left = try await checkpoints().filter { signed in
            end.map { signed.checkpoint.segment <= $0.segment } ?? true
        }[...]
        try await entries(AuditFilter()) { chained in
            if let end, chained.entry.sequence > end.sequence { return }
            try await entry(chained)
            while let next = left.first, next.checkpoint.sequence <= chained.entry.sequence {
                try await checkpoint(next)
                left = left.dropFirst()
            }
        }
        for signed in left { try await checkpoint(signed) }
    }

    private func checkpoints() async throws -> [SignedCheckpoint] {
        var request = ListCheckpoints()
        var all: [SignedCheckpoint] = []
        repeat {
            let page = try await cluster.call(request)
            all += page.checkpoints
            request.cursor = page.next
        } while request.cursor != nil
        return all
    }
}
