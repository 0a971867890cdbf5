package import Consent
package import MessageSchema
private import Synchronization
package import Timekeeping

/// What a service does right now by which grants, for the coordinator and the person to see.
///
/// Work that looks the same to the person is one use with a count, and of one principal a bounded number of uses is told apart:
/// whatever one program does, everybody else's uses are told. Any thread may use it; nothing in it waits.
package final class UseBook: Sendable {
    /// How many uses of one principal are told apart; what comes beyond them is one use more.
    package static let toldApart = 32
    /// How many needs and grants the use has that stands for all beyond those.
    package static let restNeeds = 64

    /// What work has in common that is one use.
    private struct Kind: Hashable {
        var principal: Principal
        var label: String?
        var grants: [Grant]
        var purpose: String?
        /// Whether it stands for everything that is not told apart.
        var isRest = false
    }

    private struct Group {
        let kind: Kind
        var use: Use
    }

    private struct State {
        var groups: [UInt64: Group] = [:]
        /// The group that work of a kind joins.
        var open: [Kind: UInt64] = [:]
        /// How many groups each principal has, the rest not counted.
        var apart: [Principal: Int] = [:]
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
    /// - Parameters:
    ///   - asker: For whom.
    ///   - grants: What it rests on.
    ///   - isStopped: Whether an operator has ended a use: new work does not join that.
    /// - Returns: The name of its use, and the number to end the work with.
    package func begin(
        _ asker: Asker,
        _ grants: [Grant],
        isStopped: (UseID) -> Bool = { _ in false }
    ) -> (id: UseID, number: UInt64) {
        let since = now().description
        let kind = Kind(
            principal: asker.principal,
            label: asker.decisionLabel,
            grants: grants,
            purpose: asker.purpose.map { EscapedText($0).text }
        )
        let rest = Kind(principal: asker.principal, grants: [], isRest: true)
        // Asked without the lock, as whoever answers has one of its own.
        let joined = state.withLock { state in [kind, rest].compactMap { state.open[$0] } }
        let stopped = joined.filter { isStopped(id($0)) }
        return state.withLock { state in
            for key in [kind, rest] {
                if let number = state.open[key], stopped.contains(number) { state.open[key] = nil }
            }
            state.changes += 1
            for grant in grants {
                switch grant.lifespan {
                case .session, .unusedFor: state.past.insert(grant.id)
                case .once, .until, .forever: break
                }
            }
            let isApart = state.open[kind] != nil || state.apart[kind.principal, default: 0] < Self.toldApart
            let number = enter(isApart ? kind : rest, grants, since, &state)
            return (id(number), number)
        }
    }

    private func id(_ number: UInt64) -> UseID { UseID(role, process: process, number: number) }

    /// Adds work to the group of its kind, which is made if need be.
    private func enter(_ kind: Kind, _ grants: [Grant], _ since: String, _ state: inout State) -> UInt64 {
        if let number = state.open[kind], var group = state.groups[number] {
            group.use.count += 1
            for grant in grants where kind.isRest && group.use.grants.count < Self.restNeeds {
                guard !zip(group.use.grants, group.use.needs).contains(where: { $0 == (grant.id, grant.need) }) else {
                    continue
                }
                group.use.grants.append(grant.id)
                group.use.needs.append(grant.need)
            }
            state.groups[number] = group
            return number
        }
        state.last += 1
        let grants = grants.prefix(Self.restNeeds)
        let use = Use(
            use: id(state.last),
            service: service,
            principal: kind.principal,
            label: kind.label,
            needs: grants.map(\.need),
            grants: grants.map(\.id),
            purpose: kind.purpose,
            since: since
        )
        state.groups[state.last] = Group(kind: kind, use: use)
        state.open[kind] = state.last
        if !kind.isRest { state.apart[kind.principal, default: 0] += 1 }
        return state.last
    }

    /// A piece of work is over; its use is when all of its work is.
    package func end(_ number: UInt64) {
        state.withLock { state in
            guard let group = state.groups[number] else { return }
            state.changes += 1
            guard group.use.count == 1 else {
                state.groups[number]?.use.count -= 1
                return
            }
            state.groups[number] = nil
            if state.open[group.kind] == number { state.open[group.kind] = nil }
            guard !group.kind.isRest else { return }
            let left = state.apart[group.kind.principal, default: 1] - 1
            state.apart[group.kind.principal] = left == 0 ? nil : left
        }
    }

    /// Counts everything that begins and ends.
    package var changes: UInt64 { state.withLock { $0.changes } }

    /// What goes on, in parts that each fit into a message, and grants that are kept by use and were used since this was asked last.
    ///
    /// There is at least one part, and the first has the grants.
    package func report() -> [ReportUses] {
        let (uses, past) = state.withLock { state in
            defer { state.past = [] }
            return (state.groups.keys.sorted().compactMap { state.groups[$0]?.use }, state.past)
        }
        return ReportUses.parts(uses, past: past.sorted { $0.description < $1.description })
    }

    /// A report did not arrive: the grants in it are told again.
    package func returned(_ report: [ReportUses]) {
        let past = report.flatMap { $0.past ?? [] }
        state.withLock { $0.past.formUnion(past) }
    }
}
