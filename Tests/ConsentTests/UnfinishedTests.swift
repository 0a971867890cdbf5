import Consent
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `What becomes of unfinished work` {
    private static let use = UseID(.capture, process: 7, number: 3)
    private let now = Fixture.clock()

    /// How an operator ends what rests on the grant of the front camera.
    enum Ending: CaseIterable {
        case denial, revocation, wideRevocation, reset

        func end(_ machine: inout PermissionMachine, _ unfinished: Unfinished?) throws -> DecisionChange {
            let (who, now) = (Fixture.operator, Fixture.clock(1))
            let actions =
                switch self {
                case .denial:
                    try machine.decide(
                        Fixture.selector(),
                        .denied,
                        .forever,
                        by: who,
                        unfinished: unfinished,
                        at: now
                    )
                case .revocation:
                    try machine.revoke(Fixture.selector(), by: who, unfinished: unfinished, at: now)
                case .wideRevocation:
                    try machine.revoke(Fixture.selector(.camera("*")), by: who, unfinished: unfinished, at: now)
                case .reset:
                    try machine.reset(Fixture.selector(), by: who, unfinished: unfinished, at: now)
                }
            return try #require(actions.changes.first)
        }
    }

    private func allowed(_ resources: [Resource] = [.camera("front")]) throws -> PermissionMachine {
        var machine = Fixture.machine()
        for resource in resources {
            _ = try machine.decide(Fixture.selector(resource), .allowed, .forever, by: Fixture.operator, at: now)
        }
        return machine
    }

    private func gate(_ machine: PermissionMachine) -> Gate {
        var gate = Gate()
        gate.apply(machine.snapshot(epoch: "e"))
        gate.setLease(valid: true)
        return gate
    }

    private func unfinished(_ gate: Gate, _ need: Need = Fixture.front, by grant: DecisionID?) throws -> Unfinished? {
        let grant = Grant(id: try #require(grant), need: need, lifespan: .forever)
        return gate.revocation(of: grant, principal: Fixture.program, label: nil, at: now.wall)?.unfinished
    }

    @Test(arguments: Ending.allCases, [nil, Unfinished.kept, .discarded])
    func `is what the operator said, and kept where nothing was said`(ending: Ending, said: Unfinished?) throws {
        var machine = try allowed()
        let grant = machine.grant()
        var gate = gate(machine)
        #expect(try unfinished(gate, by: grant) == nil)
        try gate.apply(try ending.end(&machine, said))
        #expect(try unfinished(gate, by: grant) == said ?? .kept)
    }

    @Test(arguments: Ending.allCases)
    func `is told by a snapshot too, of the coordinator that was told it`(ending: Ending) throws {
        var machine = try allowed()
        let grant = machine.grant()
        _ = try ending.end(&machine, .discarded)
        #expect(try unfinished(gate(machine), by: grant) == .discarded)
        let restarted = PermissionMachine(decisions: machine.decisions.all)
        #expect(try unfinished(gate(restarted), by: grant) == .kept)
    }

    @Test func `is so for what was ended, and for nothing else`() throws {
        var machine = try allowed([.camera("front"), .camera("back")])
        let (front, back) = (machine.grant(), machine.grant(Fixture.back))
        var gate = gate(machine)
        try gate.apply(try Ending.revocation.end(&machine, .discarded))
        #expect(try unfinished(gate, by: front) == .discarded)
        #expect(try unfinished(gate, Fixture.back, by: back) == nil)
        // Said anew of what is allowed anew.
        _ = try machine.decide(Fixture.selector(), .allowed, .forever, by: Fixture.operator, at: now)
        let again = machine.grant()
        _ = try Ending.revocation.end(&machine, nil)
        _ = try machine.revoke(Fixture.selector(.camera("back")), by: Fixture.operator, at: now)
        gate.apply(machine.snapshot(epoch: "e"))
        #expect(try unfinished(gate, by: again) == .kept)
        #expect(try unfinished(gate, Fixture.back, by: back) == .kept)
    }

    @Test(arguments: [nil, Unfinished.discarded])
    func `is said of a use that is stopped`(said: Unfinished?) throws {
        var machine = try allowed()
        var gate = gate(machine)
        let actions = machine.stop(Self.use, by: Fixture.operator, unfinished: said, at: now)
        try gate.apply(try #require(actions.changes.first))
        #expect(gate.replica.stop(of: Self.use)?.unfinished == said)
        var late = DecisionReplica()
        late.apply(machine.snapshot(epoch: "e"))
        #expect(late.stop(of: Self.use)?.unfinished == said)
    }

    @Test func `is remembered of the newest 256 decisions`() throws {
        var machine = Fixture.machine()
        var grants: [DecisionID?] = []
        for index in 0..<200 {
            let selector = Fixture.selector(.camera("c\(index)"))
            _ = try machine.decide(selector, .allowed, .forever, by: Fixture.operator, at: now)
            grants.append(machine.grant(Need(.camera("c\(index)"))))
            // Two names each: of the denial, and of the grant that is gone.
            _ = try machine.revoke(selector, by: Fixture.operator, unfinished: .discarded, at: now)
        }
        #expect(machine.snapshot(epoch: "e").discarding?.count == 256)
        let gate = gate(machine)
        #expect(try unfinished(gate, Need(.camera("c0")), by: grants[0]) == .kept)
        #expect(try unfinished(gate, Need(.camera("c199")), by: grants[199]) == .discarded)
    }
}
