import Consent
import MessageSchema
import ServiceRuntime
import Synchronization
import Timekeeping

/// A coordinator in the same process: a machine whose steps reach the gate at once, and a person with a fixed answer.
final class FakeCoordinator: Sendable {
    struct State {
        var machine = PermissionMachine()
        var answer: PermissionAnswer?
        var asked: [[Need]] = []
        var released: [DecisionID] = []
        var forgone: [DecisionID] = []
        var beforeRedeeming: (@Sendable () -> Void)?
    }

    let state = Mutex(State())
    let gate: SharedGate
    let uses = UseBook(of: .capture, process: 1)
    static let clock = ClockPair(wall: Moment(milliseconds: 1_796_000_000_000), uptime: .zero)
    static let asker = Asker(principal: .user(1000), label: "booth")
    static let front = Need(.camera("front"))
    static let add = Need(.library, .addOnly)

    init(lease: BootInstant = BootInstant(nanoseconds: 1_000)) {
        gate = SharedGate(wallClock: { Self.clock.wall }, bootClock: { BootInstant(nanoseconds: 0) })
        gate.renewLease(until: lease)
        gate.apply(state.withLock { $0.machine.snapshot(epoch: "e") })
    }

    func take(_ body: (inout PermissionMachine) throws -> [PermissionAction]) rethrows {
        let actions = try state.withLock { try body(&$0.machine) }
        for case .record(let change) in actions {
            // A gap would be seen as a missing decision.
            try? gate.apply(change)
        }
    }

    func decide(_ verdict: Verdict, _ lifespan: Lifespan = .forever, _ resource: Resource, _ access: Access? = nil)
        throws
    {
        try take { machine in
            let selector = DecisionSelector(principal: .user(1000), resource: resource, access: access)
            return try machine.decide(selector, verdict, lifespan, by: .user(0), at: Self.clock)
        }
    }

    func revoke(_ resource: Resource, unfinished: Unfinished? = nil) throws {
        try take { machine in
            let selector = DecisionSelector(principal: .user(1000), resource: resource)
            return try machine.revoke(selector, by: .user(7), unfinished: unfinished, at: Self.clock)
        }
    }

    var consent: ConsentGate {
        ConsentGate(
            decisions: gate,
            coordinator: ConsentGate.Coordinator(
                request: { needs, asker in try self.request(needs, asker) },
                redeem: { grant, asker in self.redeem(grant, asker) },
                release: { grant, _ in self.state.withLock { $0.released.append(grant.id) } },
                forgo: { grant, _ in self.state.withLock { $0.forgone.append(grant.id) } }
            ),
            uses: uses
        )
    }

    private func request(_ needs: [Need], _ asker: Asker) throws -> ConsentGate.Answer {
        let answer = state.withLock { state in
            state.asked.append(needs)
            return state.answer
        }
        guard asker.mayPrompt else { return .init(number: state.withLock { $0.machine.number }) }
        guard let answer else { throw ErrorReply(.dismissed, "Dismissed", cause: "noPrompter") }
        try take { machine in
            _ = machine.setPrompters(1, at: Self.clock)
            let ask = Ask(id: AskID(1), principal: asker.principal, label: asker.label, needs: needs)
            let opened = machine.ask(ask, at: Self.clock)
            guard case .open(let prompt)? = opened.first else { return opened }
            return try machine.answer(prompt.id, answer, by: .user(0), at: Self.clock)
        }
        return .init(number: state.withLock { $0.machine.number })
    }

    func redeem(_ grant: Grant, _ asker: Asker) -> Bool {
        let before = state.withLock { state in
            defer { state.beforeRedeeming = nil }
            return state.beforeRedeeming
        }
        before?()
        do {
            try take { machine in
                try machine.redeem(
                    grant.id,
                    for: grant.need,
                    principal: asker.principal,
                    label: asker.label,
                    by: "me",
                    at: Self.clock
                )
            }
            return true
        } catch {
            return false
        }
    }
}
