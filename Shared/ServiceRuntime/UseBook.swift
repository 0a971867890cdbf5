package import Consent
package import MessageSchema
private import Synchronization
package import Timekeeping

/// What a service does right now by which grants, for the coordinator and the person to see.
///
/// Any thread may use it; nothing in it waits.
package final class UseBook: Sendable {
    /// The most uses that are told at a time, the oldest first.
    package static let toldAtMost = 512

    private struct State {
        var uses: [UInt64: Use] = [:]
        var past: Set<DecisionID> = []
        var last: UInt64 = 0
        var changes: UInt64 = 0
    }

    private let role: Role
    private let service: ServiceName
    private let process: Int32
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    /// Makes an empty book of a process of a service.
    package init(of role: Role, process: Int32, now: @escaping @Sendable () -> Timestamp = { .now() }) {
        self.role = role
        service = ServiceName(rawValue: role.rawValue) ?? .coordinator
        self.process = process
        self.now = now
    }

    /// Work begins that rests on grants.
    ///
    /// - Returns: Its name, and the number to end it with.
    package func begin(_ asker: Asker, _ grants: [Grant]) -> (id: UseID, number: UInt64) {
        let since = now().description
        return state.withLock { state in
            state.last += 1
            let id = UseID(role, process: process, number: state.last)
            state.uses[state.last] = Use(
                use: id,
                service: service,
                principal: asker.principal,
                label: asker.decisionLabel,
                needs: grants.map(\.need),
                grants: grants.map(\.id),
                purpose: asker.purpose.map { EscapedText($0).text },
                since: since
            )
            state.changes += 1
            for grant in grants {
                if case .unusedFor = grant.lifespan { state.past.insert(grant.id) }
            }
            return (id, state.last)
        }
    }

    /// The work is over.
    package func end(_ number: UInt64) {
        state.withLock { state in
            state.uses[number] = nil
            state.changes += 1
        }
    }

    /// Counts everything that begins and ends.
    package var changes: UInt64 { state.withLock { $0.changes } }

    /// What goes on, and grants that end unused which were used since this was asked last.
    package func report() -> ReportUses {
        state.withLock { state in
            defer { state.past = [] }
            let numbers = state.uses.keys.sorted().prefix(Self.toldAtMost)
            return ReportUses(
                uses: numbers.compactMap { state.uses[$0] },
                past: state.past.isEmpty ? nil : state.past.sorted { $0.description < $1.description }
            )
        }
    }

    /// A report did not arrive: the grants in it are told again.
    package func returned(_ report: ReportUses) {
        state.withLock { $0.past.formUnion(report.past ?? []) }
    }
}
