import Consent
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A grant for a session` {
    private func machine(_ label: String? = nil) throws -> PermissionMachine {
        var machine = Fixture.machine()
        let selector = Fixture.selector(label: label)
        _ = try machine.decide(selector, .allowed, .session, by: Fixture.operator, at: Fixture.clock())
        return machine
    }

    @Test func `ends ten seconds after it was made when nobody keeps a session`() throws {
        var machine = try machine()
        #expect(machine.nextSessionEnd == .seconds(10))
        #expect(machine.expire(at: Fixture.clock(9)).isEmpty && machine.status(at: Fixture.clock(9)) == .authorized)
        let change = try #require(machine.expire(at: Fixture.clock(10)).changes.first)
        #expect(change.removed.map(\.reason) == [.sessionEnded] && change.endsGrants)
        #expect(machine.status(at: Fixture.clock(10)) == .notDetermined)
    }

    @Test func `holds as long as one of several sessions is kept, and ten seconds more`() throws {
        var machine = try machine()
        machine.openSession(SessionID(1), principal: Fixture.program, label: "a", at: Fixture.clock(1))
        machine.openSession(SessionID(2), principal: Fixture.program, label: "b", at: Fixture.clock(2))
        machine.closeSession(SessionID(1), at: Fixture.clock(3))
        #expect(machine.nextSessionEnd == nil && machine.expire(at: Fixture.clock(90_000)).isEmpty)
        machine.closeSession(SessionID(2), at: Fixture.clock(90_000))
        #expect(machine.expire(at: Fixture.clock(90_009)).isEmpty)
        machine.openSession(SessionID(3), principal: Fixture.program, label: "a", at: Fixture.clock(90_009))
        #expect(machine.expire(at: Fixture.clock(90_011)).isEmpty, "the lease begins anew")
        machine.closeSession(SessionID(3), at: Fixture.clock(90_011))
        #expect(!machine.expire(at: Fixture.clock(90_021)).isEmpty)
    }

    @Test(arguments: [Principal.user(1001), Fixture.program])
    func `is not kept by another program`(principal: Principal) throws {
        var machine = try machine("mine")
        machine.openSession(SessionID(1), principal: principal, label: "other", at: Fixture.clock(1))
        #expect(!machine.expire(at: Fixture.clock(10)).isEmpty)
    }

    @Test func `holds while something goes on that rests on it`() throws {
        var machine = try machine()
        let grant = try #require(machine.grant())
        let use = UseID(.capture, process: 1, number: 1)
        #expect(machine.followsUses)
        _ = machine.noteUses([use: [grant]], at: Fixture.clock(2))
        #expect(machine.expire(at: Fixture.clock(500)).isEmpty)
        _ = machine.noteUses([:], at: Fixture.clock(500))
        #expect(!machine.expire(at: Fixture.clock(510)).isEmpty)
    }

    @Test func `has its lease begin anew with a use that is over before it is told`() throws {
        var machine = try machine()
        let grant = try #require(machine.grant())
        machine.noteRunning([:], past: [grant], at: Fixture.clock(9))
        #expect(machine.expire(at: Fixture.clock(18)).isEmpty && machine.nextSessionEnd == .seconds(19))
        #expect(!machine.expire(at: Fixture.clock(19)).isEmpty)
    }

    @Test func `is not brought back by a use that is told after its lease`() throws {
        var machine = try machine()
        let grant = try #require(machine.grant())
        machine.noteRunning([:], past: [grant], at: Fixture.clock(10))
        #expect(!machine.expire(at: Fixture.clock(10)).isEmpty)
    }

    @Test func `that was stored has its lease begin when the coordinator does`() throws {
        let stored = try machine().decisions.all
        var machine = PermissionMachine(decisions: stored)
        #expect(machine.expire(at: Fixture.clock(1_000)).isEmpty && machine.nextSessionEnd == .seconds(1_010))
        #expect(machine.expire(at: Fixture.clock(1_010)).changes.first?.removed.first?.reason == .sessionEnded)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A grant that ends unused` {
    private static let day: Int64 = 86_400
    private let use = UseID(.library, process: 1, number: 1)

    private func machine() throws -> (machine: PermissionMachine, grant: DecisionID) {
        var machine = Fixture.machine()
        let span = Lifespan.unusedFor(days: 2)
        _ = try machine.decide(Fixture.selector(), .allowed, span, by: Fixture.operator, at: Fixture.clock())
        return (machine, try #require(machine.grant()))
    }

    @Test func `ends after so many days`() throws {
        var (machine, _) = try machine()
        let end = Fixture.clock(2 * Self.day)
        #expect(machine.nextExpiry == end.wall)
        #expect(machine.status(at: Fixture.clock(2 * Self.day - 1)) == .authorized)
        #expect(machine.status(at: end) == .notDetermined, "also before anybody notices")
        #expect(machine.expire(at: end).changes.first?.removed.map(\.reason) == [.expired])
    }

    @Test(arguments: [true, false])
    func `has its days begin anew with each use`(goesOn: Bool) throws {
        var (machine, grant) = try machine()
        let running: [UseID: Set<DecisionID>] = goesOn ? [use: [grant]] : [:]
        let actions = machine.noteUses(running, past: goesOn ? [] : [grant], at: Fixture.clock(Self.day))
        let change = try #require(actions.changes.first)
        #expect(change.upserted.map(\.usedAt) == [Fixture.clock(Self.day).wall] && !change.endsGrants)
        #expect(machine.nextExpiry == Fixture.clock(3 * Self.day).wall)
        #expect(machine.status(at: Fixture.clock(3 * Self.day - 1)) == .authorized)
    }

    @Test func `is noted once a minute at most, and never when its end has come`() throws {
        var (machine, grant) = try machine()
        #expect(machine.noteUses([use: [grant]], at: Fixture.clock(59)).isEmpty)
        #expect(!machine.noteUses([use: [grant]], at: Fixture.clock(60)).isEmpty)
        #expect(machine.noteUses([use: [grant]], at: Fixture.clock(119)).isEmpty)
        #expect(machine.noteUses([use: [grant]], at: Fixture.clock(60 + 2 * Self.day)).isEmpty)
    }

    @Test(arguments: [true, false])
    func `does not go on for years because a wrong clock noted its use`(isUsedAgain: Bool) throws {
        var (machine, grant) = try machine()
        let ahead = Fixture.clock(Self.day)
        _ = machine.noteUses([use: [grant]], at: ahead)
        #expect(machine.nextExpiry == Fixture.clock(3 * Self.day).wall)
        let now = Fixture.clock(10)
        let actions = isUsedAgain ? machine.noteUses([use: [grant]], at: now) : machine.expire(at: now)
        let change = try #require(actions.changes.first)
        #expect(change.upserted.map(\.usedAt) == [now.wall] && change.removed.isEmpty && !change.endsGrants)
        #expect(machine.nextExpiry == Fixture.clock(10 + 2 * Self.day).wall)
        #expect(machine.expire(at: now).isEmpty)
    }

    @Test func `does not go on for ever because the clock was set back`() throws {
        var (machine, grant) = try machine()
        #expect(machine.noteUses([use: [grant]], at: Fixture.clock(-500)).isEmpty)
        #expect(machine.nextExpiry == Fixture.clock(2 * Self.day).wall)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `The global switch` {
    private let now = Fixture.clock()

    @Test func `restricts for everybody, ends what runs, and brings back what was decided`() throws {
        var machine = Fixture.machine()
        _ = try machine.decide(Fixture.selector(), .allowed, .forever, by: Fixture.operator, at: now)
        let off = try #require(machine.turn(.camera("*"), on: false, at: now).changes.first)
        #expect(off.endsGrants && machine.status() == .restricted && machine.switchedOff == [.camera("*")])
        #expect(machine.turn(.camera("*"), on: false, at: now).isEmpty, "twice is once")
        let on = try #require(machine.turn(.camera("*"), on: true, at: now).changes.first)
        #expect(!on.endsGrants && machine.status() == .authorized && machine.switchedOff.isEmpty)
    }

    @Test func `and the policy do not undo each other`() {
        var machine = Fixture.machine()
        let policy = [Restriction(.camera("*"))]
        _ = machine.follow(restrictions: policy, at: now)
        _ = machine.turn(.camera("front"), on: false, at: now)
        _ = machine.follow(restrictions: [], at: now)
        #expect(machine.status() == .restricted && machine.status(Fixture.back) == .notDetermined)
        _ = machine.follow(restrictions: policy, at: now)
        _ = machine.turn(.camera("front"), on: true, at: now)
        #expect(machine.status() == .restricted)
    }

    @Test func `outlasts the coordinator, and can be told from the policy`() {
        let machine = PermissionMachine(restrictions: [Restriction(.export)], switchedOff: [.library])
        let restrictions = machine.decisions.restrictions
        #expect(restrictions.map(\.description) == ["export", "library by switch"])
        #expect(restrictions.compactMap { Restriction($0.description) } == restrictions)
        #expect(machine.status(Fixture.read) == .restricted)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A use that is stopped` {
    private let now = Fixture.clock()
    private let use = UseID(.capture, process: 7, number: 3)

    @Test func `ends, while what was decided stays`() throws {
        var machine = Fixture.machine()
        _ = try machine.decide(Fixture.selector(), .allowed, .forever, by: Fixture.operator, at: now)
        var gate = Gate()
        gate.apply(machine.snapshot(epoch: "e"))
        gate.setLease(valid: true)
        let epoch = gate.epoch
        let change = try #require(machine.stop(use, by: Fixture.operator, at: now).changes.first)
        try gate.apply(change)
        #expect(gate.epoch != epoch && change.endsGrants)
        #expect(gate.replica.stop(of: use) == StoppedUse(use: use, by: Fixture.operator, at: now.wall))
        #expect(gate.replica.stop(of: UseID(.capture, process: 7, number: 4)) == nil)
        #expect(machine.status() == .authorized)
    }

    @Test func `is told to a service that missed the step, until it says that it is over`() throws {
        var machine = Fixture.machine()
        _ = machine.stop(use, by: Fixture.operator, at: now)
        var replica = DecisionReplica()
        replica.apply(machine.snapshot(epoch: "e"))
        #expect(replica.stop(of: use) != nil)
        _ = machine.noteUses([use: []], at: now)
        #expect(machine.snapshot(epoch: "e").stopped?.count == 1)
        _ = machine.noteUses([:], at: now)
        #expect(machine.snapshot(epoch: "e").stopped == nil)
    }
}
