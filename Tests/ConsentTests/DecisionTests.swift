import Consent
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Decisions` {
    let now = Fixture.clock()

    private func decide(
        _ machine: inout PermissionMachine,
        _ verdict: Verdict,
        _ resource: Resource,
        _ access: Access? = nil,
        label: String? = nil
    ) throws {
        let selector = Fixture.selector(resource, access, label: label)
        _ = try machine.decide(selector, verdict, .forever, by: Fixture.operator, at: now)
    }

    @Test func `the latest decision about a camera holds, whether it names it or all`() throws {
        var machine = Fixture.machine()
        try decide(&machine, .allowed, .camera("front"))
        try decide(&machine, .denied, .camera("*"))
        #expect(machine.status(Fixture.front) == .denied && machine.status(Fixture.back) == .denied)
        try decide(&machine, .allowed, .camera("front"))
        #expect(machine.status(Fixture.front) == .authorized && machine.status(Fixture.back) == .denied)
    }

    @Test func `denying the library at its least denies all of it`() throws {
        var machine = Fixture.machine()
        try decide(&machine, .allowed, .library, .read)
        try decide(&machine, .denied, .library)
        for need in [Fixture.add, Fixture.read, Fixture.write] { #expect(machine.status(need) == .denied) }
        #expect(machine.decisions.all.count == 1)
    }

    @Test func `denying to change the library leaves reading alone`() throws {
        var machine = Fixture.machine()
        try decide(&machine, .allowed, .library, .readWrite)
        try decide(&machine, .denied, .library, .readWrite)
        #expect(machine.status(Fixture.write) == .denied)
        #expect(machine.status(Fixture.read) == .authorized && machine.status(Fixture.add) == .authorized)
    }

    @Test func `resetting a denial does not bring back what it denied`() throws {
        var machine = Fixture.machine()
        try decide(&machine, .allowed, .camera("front"))
        try decide(&machine, .denied, .camera("*"))
        _ = try machine.reset(Fixture.selector(.camera("*")), by: Fixture.operator, at: now)
        #expect(machine.status() == .notDetermined && machine.decisions.all.isEmpty)
    }

    @Test func `revoking one camera of a grant for all leaves the others`() throws {
        var machine = Fixture.machine()
        try decide(&machine, .allowed, .camera("*"))
        _ = try machine.revoke(Fixture.selector(.camera("front")), by: Fixture.operator, at: now)
        #expect(machine.status(Fixture.front) == .denied && machine.status(Fixture.back) == .authorized)
    }

    @Test func `revoking all cameras denies only those that were granted`() throws {
        var machine = Fixture.machine()
        try decide(&machine, .allowed, .camera("front"))
        let actions = try machine.revoke(Fixture.selector(.camera("*")), by: Fixture.operator, at: now)
        #expect(machine.status(Fixture.front) == .denied && machine.status(Fixture.back) == .notDetermined)
        #expect(actions.changes.first?.removed.map(\.reason) == [.revoked])
    }

    @Test func `a decision for one label says nothing about the others`() throws {
        var machine = Fixture.machine()
        try decide(&machine, .allowed, .camera("front"), label: "booth")
        #expect(machine.status(label: "booth") == .authorized && machine.status(label: "other") == .notDetermined)
        try decide(&machine, .denied, .camera("front"))
        #expect(machine.status(label: "booth") == .denied)
    }

    @Test func `a yes to one program is no yes to another that was denied by its label`() throws {
        var machine = Fixture.machine()
        try decide(&machine, .denied, .camera("front"), label: "spy")
        let prompt = try #require(machine.ask(Fixture.ask(1, label: "booth"), at: now).opened.first)
        _ = try machine.answer(prompt.id, .allow(.forever), by: Fixture.operator, at: now)
        #expect(machine.status(label: "booth") == .authorized && machine.status(label: "spy") == .denied)
    }

    @Test func `a decision about one principal says nothing about another`() throws {
        var machine = Fixture.machine()
        try decide(&machine, .allowed, .camera("front"))
        let other = machine.standings(of: [Fixture.front], principal: .user(1001), label: nil, at: now.wall)
        #expect(other.map(\.standing) == [.notDetermined])
    }

    @Test func `a grant cannot be redeemed for another principal`() throws {
        var machine = Fixture.machine()
        _ = try machine.decide(Fixture.selector(), .allowed, .once, by: Fixture.operator, at: now)
        let grant = try #require(machine.grant())
        #expect(throws: PermissionRefusal.notInForce) {
            try machine.redeem(grant, for: Fixture.front, principal: .user(1001), label: nil, by: "a", at: now)
        }
    }

    @Test func `of two grants for once each can be used up, in any order, unless a newer no stands before it`() throws {
        var machine = Fixture.machine()
        let now = Fixture.clock()
        for label in [nil, "L"] {
            let selector = Fixture.selector(label: label)
            _ = try machine.decide(selector, .allowed, .once, by: Fixture.operator, at: now)
        }
        let ids = machine.decisions.all.map(\.id)
        func redeem(_ id: DecisionID, in machine: inout PermissionMachine) throws {
            let program = Fixture.program
            _ = try machine.redeem(id, for: Fixture.front, principal: program, label: "L", by: "a", at: now)
        }
        var other = machine
        try redeem(ids[0], in: &other)
        try redeem(ids[1], in: &other)
        #expect(throws: PermissionRefusal.notInForce) { try redeem(ids[0], in: &other) }
        _ = try machine.decide(Fixture.selector(label: "L"), .denied, .forever, by: Fixture.operator, at: now)
        #expect(throws: PermissionRefusal.notInForce) { try redeem(ids[0], in: &machine) }
    }

    @Test func `a once grant for all cameras can be redeemed`() throws {
        var machine = Fixture.machine()
        _ = try machine.decide(Fixture.selector(.camera("*")), .allowed, .once, by: Fixture.operator, at: now)
        let grant = try #require(machine.grant())
        _ = try machine.redeem(grant, for: Fixture.front, principal: Fixture.program, label: nil, by: "a", at: now)
        #expect(machine.status(Fixture.front) == .notDetermined)
    }

    @Test func `an access that the resource does not have is refused`() {
        var machine = Fixture.machine()
        #expect(throws: PermissionRefusal.noSuchAccess(.camera("front"), .read)) {
            try machine.decide(Fixture.selector(.camera("front"), .read), .allowed, .forever, by: .user(0), at: now)
        }
    }

    @Test func `numbers of decisions are not used again after a restart`() throws {
        var machine = Fixture.machine()
        try decide(&machine, .allowed, .camera("front"))
        let first = machine.decisions.all.map(\.id)
        _ = try machine.reset(Fixture.selector(), by: Fixture.operator, at: now)
        var restarted = PermissionMachine(decisions: machine.decisions.all, generation: machine.generation)
        try decide(&restarted, .allowed, .camera("front"))
        #expect(restarted.decisions.all.map(\.id) != first)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `The gate` {
    let now = Fixture.clock()

    private func gate(_ machine: PermissionMachine) -> Gate {
        var gate = Gate()
        gate.apply(machine.snapshot(epoch: "e"))
        gate.setLease(valid: true)
        return gate
    }

    private func answer(_ gate: Gate) -> GateAnswer {
        gate.answer(Fixture.front, principal: Fixture.program, label: nil, at: now.wall)
    }

    @Test func `without a snapshot or a lease it allows nothing`() throws {
        var machine = Fixture.machine()
        _ = try machine.decide(Fixture.selector(), .allowed, .forever, by: Fixture.operator, at: now)
        var empty = Gate()
        empty.setLease(valid: true)
        #expect(answer(empty) == .noLease)
        var gate = gate(machine)
        guard case .allowed(let grant) = answer(gate) else {
            Issue.record("not allowed")
            return
        }
        let before = gate.epoch
        gate.setLease(valid: false)
        #expect(answer(gate) == .noLease && gate.epoch != before)
        let revocation = gate.revocation(of: grant, principal: Fixture.program, label: nil, at: now.wall)
        #expect(revocation?.reason == .leaseLost)
    }

    @Test func `a gap is refused and changes nothing`() throws {
        var machine = Fixture.machine()
        var gate = gate(machine)
        let first = try machine.decide(Fixture.selector(), .allowed, .forever, by: Fixture.operator, at: now)
        let second = try machine.decide(Fixture.selector(), .denied, .forever, by: Fixture.operator, at: now)
        let before = gate.replica
        #expect(throws: DecisionReplica.Gap(last: 0, received: 2)) { try gate.apply(#require(second.changes.first)) }
        #expect(gate.replica == before)
        for change in (first + second + first).changes { try gate.apply(change) }
        #expect(gate.replica.decisions == machine.decisions)
        guard case .denied = answer(gate) else {
            Issue.record("not denied")
            return
        }
        #expect(throws: DecisionReplica.Gap.self) { try DecisionReplica.fresh(#require(first.changes.first)) }
    }

    @Test func `what the policy forbids to one principal is not forbidden to another`() throws {
        var machine = Fixture.machine()
        let now = Fixture.clock()
        for principal in [Fixture.program, .user(7)] {
            let selector = DecisionSelector(principal: principal, resource: .camera("front"))
            _ = try machine.decide(selector, .allowed, .forever, by: Fixture.operator, at: now)
        }
        let restriction = Restriction(.camera("*"), for: Fixture.program)
        let ended = machine.follow(restrictions: [restriction], at: now).changes
        #expect(ended.map(\.endsGrants) == [true] && ended.map(\.restrictions) == [[restriction]])
        #expect(machine.status() == .restricted)
        let other = machine.decisions.standing(of: Fixture.front, principal: .user(7), label: nil, at: now.wall)
        #expect(other.status == .authorized)
        // Forbidden to everybody is more; to one of them again is less.
        #expect(machine.follow(restrictions: [Restriction(.camera("*"))], at: now).changes.map(\.endsGrants) == [true])
        #expect(machine.follow(restrictions: [restriction], at: now).changes.map(\.endsGrants) == [false])
        #expect(machine.follow(restrictions: [], at: now).changes.count == 1 && machine.status() == .authorized)
    }

    @Test func `what the policy allows needs no question, and a person's word comes before it`() throws {
        let now = Fixture.clock()
        let granted = [
            try #require(PolicyGrant("camera/* use for uid:1000")), try #require(PolicyGrant("library read for uid:7")),
        ]
        var machine = Fixture.machine()
        _ = machine.ask(Fixture.ask(1), at: now)
        let actions = machine.follow(restrictions: [], granted: granted, at: now)
        #expect(actions.changes.map(\.endsGrants) == [false] && actions.closed == [.settled])
        #expect(machine.status() == .authorized && machine.status(Fixture.read) == .notDetermined)
        let other = machine.decisions.standing(of: Fixture.front, principal: .user(7), label: nil, at: now.wall)
        #expect(other == .notDetermined)

        _ = try machine.decide(Fixture.selector(), .denied, .forever, by: Fixture.operator, at: now)
        #expect(machine.status() == .denied && machine.status(Fixture.back) == .authorized)
        _ = machine.follow(restrictions: [], granted: [], at: now)
        _ = machine.follow(restrictions: [], granted: granted, at: now)
        #expect(machine.status() == .denied, "the policy lifts no denial")
        _ = try machine.reset(Fixture.selector(), by: Fixture.operator, at: now)
        #expect(machine.status() == .authorized, "as the policy says")
        let revoked = try machine.revoke(Fixture.selector(.camera("*")), by: Fixture.operator, at: now)
        #expect(revoked.changes.map(\.endsGrants) == [true] && machine.status(Fixture.back) == .denied)
        #expect(machine.decisions.all.map(\.verdict) == [.denied])
        _ = machine.follow(restrictions: [Restriction(.camera("*"))], granted: granted, at: now)
        #expect(machine.status() == .restricted)
    }

    @Test func `work that rests on the policy ends when the policy allows it no more, and only then`() throws {
        let now = Fixture.clock()
        let all = try #require(PolicyGrant("camera/* use for uid:1000"))
        let front = try #require(PolicyGrant("camera/front for uid:1000"))
        var machine = PermissionMachine(granted: [all])
        var gate = Gate()
        gate.apply(machine.snapshot(epoch: "e"))
        gate.setLease(valid: true)
        guard
            case .allowed(let grant) = gate.answer(Fixture.front, principal: Fixture.program, label: "a", at: now.wall)
        else { return #expect(Bool(false), "not allowed") }
        #expect(DecisionID(grant.id.description) == grant.id && grant.id.isPolicy)
        #expect(gate.replica.decisions.decision(grant.id, about: Fixture.program)?.id == grant.id)
        #expect(
            machine.decisions.permits(grant.id, Fixture.front, principal: Fixture.program, label: nil, at: now.wall)
        )
        #expect(!machine.decisions.permits(grant.id, Fixture.front, principal: .user(7), label: nil, at: now.wall))
        for (granted, isOver) in [([all, front], false), ([front], false), ([], true)] {
            let epoch = gate.epoch
            for change in machine.follow(restrictions: [], granted: granted, at: now).changes { try gate.apply(change) }
            let end = gate.revocation(of: grant, principal: Fixture.program, label: "a", at: now.wall)
            #expect((end?.reason == .revoked) == isOver && (end == nil) != isOver)
            if isOver { #expect(gate.epoch > epoch) }
        }
        #expect(gate.replica.decisions == machine.decisions)
    }

    @Test(arguments: [
        ("camera/* use for uid:1000", "camera/* use for uid:1000"), ("library for uid:1", "library addOnly for uid:1"),
        ("location read for unit:a.service", "location read for unit:a.service"),
        ("camera/front", nil), ("camera/front read for uid:1", nil), ("library  read for uid:1", nil),
        ("library read", nil), ("library read for me", nil), (" for uid:1", nil), ("camera/a use twice for uid:1", nil),
    ])
    func `what the policy allows is read from its words`(text: String, read: String?) {
        #expect(PolicyGrant(text)?.description == read)
    }

    @Test(arguments: Role.allCases)
    func `a once grant is redeemed by the service that does the work, and by no other`(role: Role) {
        let mine: [Need] =
            switch role {
            case .coordinator, .probe: []
            case .capture: [Need(.camera("front")), Need(.microphone("m")), Fixture.add]
            case .library: [Fixture.add, Fixture.read, Fixture.write, Need(.location)]
            case .exporter: [Need(.export), Fixture.read, Need(.location)]
            }
        let all = [
            Need(.camera("front")), Need(.microphone("m")), Fixture.add, Fixture.read, Fixture.write, Need(.location),
            Need(.export),
        ]
        #expect(all.filter(role.redeems) == all.filter(mine.contains))
    }

    @Test func `all denials of a need are known, whatever they are about besides`() throws {
        var machine = Fixture.machine()
        let now = Fixture.clock()
        for (access, label) in [(Access.addOnly, nil), (.read, "a"), (.readWrite, "b")] as [(Access, String?)] {
            let selector = Fixture.selector(.library, access, label: label)
            _ = try machine.decide(selector, .denied, .forever, by: Fixture.operator, at: now)
        }
        func denials(_ need: Need, _ label: String?) -> [Access] {
            machine.decisions.denials(of: need, principal: Fixture.program, label: label, at: now.wall).map(\.access)
        }
        #expect(denials(Fixture.read, "a") == [.addOnly, .read])
        #expect(denials(Fixture.write, "b") == [.addOnly, .readWrite])
        #expect(denials(Fixture.add, nil) == [.addOnly])
        #expect(denials(Fixture.front, nil).isEmpty)
    }

    @Test(arguments: ["revoke", "deny", "reset", "restrict", "expire"])
    func `who loses a grant learns why, by whom and when`(event: String) throws {
        var machine = Fixture.machine()
        let end = Fixture.clock(10)
        let lifespan: Lifespan = event == "expire" ? .until(end.wall) : .forever
        _ = try machine.decide(Fixture.selector(), .allowed, lifespan, by: Fixture.operator, at: now)
        var gate = gate(machine)
        guard case .allowed(let grant) = answer(gate) else {
            Issue.record("not allowed")
            return
        }
        let epoch = gate.epoch
        let actions: [PermissionAction]
        let expected: RevocationReason
        var by: Principal? = .user(7)
        switch event {
        case "revoke":
            actions = try machine.revoke(Fixture.selector(), by: .user(7), at: end)
            expected = .revoked
        case "deny":
            actions = try machine.decide(Fixture.selector(), .denied, .forever, by: .user(7), at: end)
            expected = .denied
        case "reset":
            actions = try machine.reset(Fixture.selector(), by: .user(7), at: end)
            expected = .reset
        case "restrict":
            actions = machine.follow(restrictions: [Restriction(.camera("*"))], at: end)
            (expected, by) = (.restricted, nil)
        default:
            actions = machine.expire(at: end)
            (expected, by) = (.expired, nil)
        }
        for change in actions.changes { try gate.apply(change) }
        #expect(gate.epoch != epoch)
        let revocation = gate.revocation(of: grant, principal: Fixture.program, label: nil, at: end.wall)
        #expect(
            revocation == Revocation(reason: expected, by: by, at: end.wall, need: Fixture.front)
        )
    }

    @Test func `what is redeemed goes on for its holder and is refused to the next`() throws {
        var machine = Fixture.machine()
        _ = try machine.decide(Fixture.selector(), .allowed, .once, by: Fixture.operator, at: now)
        var gate = gate(machine)
        guard case .allowed(let grant) = answer(gate) else {
            Issue.record("not allowed")
            return
        }
        let epoch = gate.epoch
        for change in try machine.redeem(
            grant.id,
            for: Fixture.front,
            principal: Fixture.program,
            label: nil,
            by: "a",
            at: now
        ).changes {
            try gate.apply(change)
        }
        #expect(answer(gate) == .notDetermined && gate.epoch == epoch)
        #expect(gate.revocation(of: grant, principal: Fixture.program, label: nil, at: now.wall) == nil)
        for change in machine.release(grant.id, principal: Fixture.program, by: "a", at: now).changes {
            try gate.apply(change)
        }
        let revocation = gate.revocation(of: grant, principal: Fixture.program, label: nil, at: now.wall)
        #expect(revocation?.reason == .used)
    }
}

extension DecisionReplica {
    fileprivate static func fresh(_ change: DecisionChange) throws {
        var replica = DecisionReplica()
        try replica.apply(change)
    }
}
