import Consent
import CoordinatorService
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The decision store` {
    private func decision(_ generation: UInt64, _ lifespan: Lifespan = .forever, label: String? = nil) -> Decision {
        Decision(
            principal: .unit("booth.service"),
            label: label,
            resource: .camera("*"),
            access: .use,
            verdict: .allowed,
            lifespan: lifespan,
            decidedAt: Moment(milliseconds: 1_796_000_000_123),
            decidedBy: .user(0),
            generation: generation
        )
    }

    @Test func `what was recorded is there after it is opened again`() async throws {
        try await withTemporaryDirectory { path in
            var redeemed = decision(2, .once, label: "/usr/bin/python3 'a'.py")
            redeemed.redeemedBy = "capture-7-1"
            var unused = decision(4, .unusedFor(days: 30))
            unused.usedAt = Moment(milliseconds: 1_796_000_000_456)
            let until = decision(3, .until(Moment(milliseconds: 1_800_000_000_000)))
            try await record(path, [decision(1), redeemed, until, unused, decision(5, .session)], [])
            try await record(path, [], [DecisionID(generation: 3)])
            let stored = try await DecisionStore(in: path).load()
            #expect(
                stored
                    == StoredDecisions(
                        decisions: [decision(1), redeemed, unused, decision(5, .session)],
                        generation: 5,
                        switchedOff: [.library, .camera("*")]
                    )
            )
        }
    }

    private func record(_ path: String, _ kept: [Decision], _ removed: [DecisionID]) async throws {
        let store = try DecisionStore(in: path)
        try await store.record(
            kept,
            forgetting: removed,
            switchedOff: [.library, .camera("*")],
            generation: kept.map(\.generation).max() ?? 0,
            noting: []
        )
        await store.close()
    }

    @Test func `a second coordinator on the same data is refused`() async throws {
        try await withTemporaryDirectory { path in
            let first = try DecisionStore(in: path)
            let error = #expect(throws: SQLiteError.self) { try DecisionStore(in: path) }
            guard case .inUse = error?.code else {
                Issue.record("\(String(describing: error))")
                return
            }
            await first.close()
        }
    }
}
