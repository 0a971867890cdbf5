import Testing

@testable import Consent

/// A generator with a known sequence (SplitMix64, Steele et al., OOPSLA 2014).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// What programs, operators, services and time do to a machine, with what must hold after each step.
struct RandomWalk {
    static let principals: [Principal] = [.user(1000), .unit("booth.service")]
    static let labels: [String?] = [nil, "a", "b"]
    static let needs = [Fixture.front, Fixture.back, Fixture.add, Fixture.read, Fixture.write, Need(.location)]
    static let patterns: [Resource] = [.camera("front"), .camera("back"), .camera("*"), .library, .location]

    var random: SeededGenerator
    var machine = PermissionMachine()
    var gate = Gate()
    var seconds: Int64 = 0
    var nextAsk: UInt64 = 1
    var answered: Set<AskID> = []
    var redeemed: Set<DecisionID> = []
    var held: [(grant: Grant, principal: Principal, label: String?)] = []
    var rests: [String: Int64] = [:]
    var sessions: [UInt64: SessionKeeper] = [:]
    var inUse: Set<DecisionID> = []
    var nextSession: UInt64 = 1

    init(seed: UInt64) {
        random = SeededGenerator(state: seed)
        gate.apply(machine.snapshot(epoch: "walk"))
        gate.setLease(valid: true)
    }

    private var now: ClockPair { Fixture.clock(seconds) }

    private mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }

    private mutating func selector() -> DecisionSelector {
        let resource = pick(Self.patterns)
        let access: Access? = Bool.random(using: &random) ? nil : pick(resource.accesses)
        return DecisionSelector(
            principal: pick(Self.principals),
            label: pick(Self.labels),
            resource: resource,
            access: access
        )
    }

    private mutating func lifespan() -> Lifespan {
        pick([
            .once, .once, .forever, .session, .unusedFor(days: 1),
            .until(Fixture.clock(seconds + Int64.random(in: 1...200, using: &random)).wall),
        ])
    }

    private func statuses() -> [String: Status] {
        var result: [String: Status] = [:]
        for principal in Self.principals {
            for label in Self.labels {
                for need in Self.needs {
                    let standing = machine.decisions.standing(
                        of: need,
                        principal: principal,
                        label: label,
                        at: now.wall
                    )
                    result["\(principal) \(label ?? "-") \(need)"] = standing.status
                }
            }
        }
        return result
    }

    mutating func step() throws {
        seconds += Int64.random(in: 0...5, using: &random)
        if Int.random(in: 0..<20, using: &random) == 0 { seconds += Int64.random(in: 0...400, using: &random) }
        if Int.random(in: 0..<60, using: &random) == 0 { seconds += Int64.random(in: 0...90_000, using: &random) }
        try take(machine.expire(at: now))
        checkLifespans()
        let before = statuses()
        let epoch = gate.epoch
        let heldBefore = held.filter { isHeld($0) }
        var mayLift = false
        var isAllowed = false
        var isAnswered = false
        var lost: DecisionSelector?
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1, 2, 3:
            let count = Int.random(in: 1...3, using: &random)
            let ask = Ask(
                id: AskID(nextAsk),
                principal: pick(Self.principals),
                label: pick(Self.labels),
                needs: (0..<count).map { _ in pick(Self.needs) },
                mayPrompt: Int.random(in: 0..<8, using: &random) != 0
            )
            nextAsk += 1
            try take(machine.ask(ask, at: now))
        case 4, 5, 6:
            guard let prompt = machine.openPrompts.randomElement(using: &random) else { return }
            let choices: [PermissionAnswer] = [
                .dismiss, .deny(.forever), .allow(lifespan()), .allow(.once), .allow(.forever),
            ]
            let answer = pick(choices)
            if answer == .dismiss { rest(prompt) }
            if case .allow = answer { (isAllowed, isAnswered) = (true, true) }
            let narrowed = prompt.label != nil && Bool.random(using: &random)
            try take(machine.answer(prompt.id, answer, narrowed: narrowed, by: .user(0), at: now))
        case 7:
            mayLift = true
            isAllowed = true
            forget(all: true)
            try take(machine.decide(selector(), .allowed, lifespan(), by: .user(0), at: now))
        case 8:
            lost = selector()
            forget(all: true)
            try take(machine.decide(lost ?? selector(), .denied, .forever, by: .user(0), at: now))
        case 9:
            lost = selector()
            try take(machine.revoke(lost ?? selector(), by: .user(0), at: now))
        case 10:
            mayLift = true
            forget(all: true)
            try take(machine.reset(selector(), by: .user(0), at: now))
        case 11:
            try redeemOne()
        case 12:
            guard let item = held.randomElement(using: &random) else { return }
            try take(machine.release(item.grant.id, principal: item.principal, by: "service", at: now))
        case 13, 14:
            try keepOrUse()
        default:
            try change()
        }
        check(before, mayLift)
        checkSessions()
        if isAllowed {
            for (key, status) in statuses() where before[key].map({ Self.rank($0) > Self.rank(status) }) ?? false {
                Issue.record("a yes made \(status) of \(key)")
            }
            if isAnswered { #expect(heldBefore.allSatisfy { isHeld($0) }, "a yes to a prompt ends no work") }
        }
        for item in heldBefore where !isHeld(item) { #expect(gate.epoch != epoch, "a loss moves the epoch") }
        if let lost { checkNothingInForce(lost) }
    }

    private static func rank(_ status: Status) -> Int {
        switch status {
        case .restricted, .denied: 0
        case .notDetermined: 1
        case .limited: 2
        case .authorized: 3
        }
    }

    private mutating func change() throws {
        switch Int.random(in: 0..<5, using: &random) {
        case 4: try take(machine.turn(pick(Self.patterns), on: Int.random(in: 0..<3, using: &random) != 0, at: now))
        case 0: try take(machine.setPrompters(Int.random(in: 0...2, using: &random), at: now))
        case 1:
            guard let prompt = machine.openPrompts.randomElement(using: &random) else { return }
            rest(prompt)
            try take(machine.timeOut(prompt.id, at: now))
        case 2:
            let restrictions = Bool.random(using: &random) ? [] : [Restriction(pick(Self.patterns))]
            let granted = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
                let resource = pick(Self.patterns)
                return PolicyGrant(resource, pick(resource.accesses), for: pick(Self.principals))
            }
            try take(machine.follow(restrictions: restrictions, granted: granted, at: now))
        default: try take(machine.withdraw(AskID(UInt64.random(in: 1...nextAsk, using: &random))))
        }
    }

    /// Programs keep and leave sessions, and services tell of what goes on.
    private mutating func keepOrUse() throws {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let id = SessionID(nextSession)
            nextSession += 1
            let keeper = SessionKeeper(principal: pick(Self.principals), label: pick(Self.labels))
            sessions[id.number] = keeper
            machine.openSession(id, principal: keeper.principal, label: keeper.label, at: now)
        case 1:
            guard let number = sessions.keys.sorted().randomElement(using: &random) else { return }
            sessions[number] = nil
            machine.closeSession(SessionID(number), at: now)
        case 2:
            let ids = machine.decisions.all.map(\.id).filter { _ in Bool.random(using: &random) }
            inUse = Set(ids)
            try take(machine.noteUses([UseID(.capture, process: 1, number: 1): Set(ids)], at: now))
        default:
            inUse = []
            let past = machine.decisions.all.map(\.id).filter { _ in Bool.random(using: &random) }
            try take(machine.noteUses([:], past: Set(past), at: now))
        }
    }

    /// Each grant for a session has an end, unless somebody keeps the session or it is in use; nothing else has one.
    private func checkSessions() {
        for decision in machine.decisions.all {
            let isKept =
                inUse.contains(decision.id)
                || sessions.values.contains { keeper in
                    keeper.principal == decision.principal && [nil, keeper.label].contains(decision.label)
                }
            let end = machine.sessionEnds[decision.id]
            #expect((end != nil) == (decision.lifespan == .session && !isKept), "\(decision.id) \(decision.lifespan)")
            if let end { #expect(end <= now.uptime + PermissionMachine.sessionLease) }
        }
        #expect(Set(machine.sessionEnds.keys).isSubset(of: machine.decisions.all.map(\.id)))
    }

    /// Nothing is in force after its end: that of time, of days without use, and of a session that nobody keeps.
    private func checkLifespans() {
        for decision in machine.decisions.all {
            #expect(decision.isInForce(at: now.wall), "\(decision.lifespan) is over")
            guard case .unusedFor(let days) = decision.lifespan else { continue }
            let idle = now.wall.milliseconds - (decision.usedAt ?? decision.decidedAt).milliseconds
            #expect(idle < Int64(days) * 86_400_000)
        }
        if let end = machine.nextSessionEnd { #expect(end > now.uptime, "a session's lease is over") }
    }

    /// Begins work as a service would: asks the gate, redeems, and keeps the grant.
    private mutating func redeemOne() throws {
        let (principal, label, need) = (pick(Self.principals), pick(Self.labels), pick(Self.needs))
        guard case .allowed(let grant) = gate.answer(need, principal: principal, label: label, at: now.wall) else {
            return
        }
        if grant.lifespan == .once {
            try take(machine.redeem(grant.id, for: need, principal: principal, label: label, by: "service", at: now))
            #expect(redeemed.insert(grant.id).inserted, "a once grant is redeemed at most once")
            #expect(throws: PermissionRefusal.notInForce) {
                try machine.redeem(grant.id, for: need, principal: principal, label: label, by: "other", at: now)
            }
        }
        held.append((grant, principal, label))
    }

    private mutating func take(_ actions: [PermissionAction]) throws {
        for action in actions {
            switch action {
            case .record(let change): try gate.apply(change)
            case .open(let prompt):
                #expect(machine.prompters > 0)
                let rested = prompt.needs.contains { rests["\(prompt.principal) \($0)", default: 0] <= seconds }
                #expect(rested, "there is something in it that was not dismissed a short while ago")
            case .close: break
            case .reply(let id, _): #expect(answered.insert(id).inserted, "answered once")
            }
        }
    }

    private mutating func rest(_ prompt: PermissionPrompt) {
        for need in prompt.needs { rests["\(prompt.principal) \(need)"] = seconds + 60 }
    }

    private mutating func forget(all: Bool) { if all { rests = [:] } }

    private func isHeld(_ item: (grant: Grant, principal: Principal, label: String?)) -> Bool {
        gate.revocation(of: item.grant, principal: item.principal, label: item.label, at: now.wall) == nil
    }

    private func check(_ before: [String: Status], _ mayLift: Bool) {
        #expect(gate.replica.decisions == machine.decisions)
        for (key, status) in statuses() where status == .authorized && before[key] == .denied {
            #expect(mayLift, "only an operator's grant or reset leads from denied to authorized")
        }
        for principal in Self.principals {
            let prompts = machine.openPrompts.filter { $0.principal == principal }
            #expect(prompts.count <= 3)
            for label in Self.labels {
                let needs = prompts.filter { $0.label == label }.flatMap(\.needs)
                #expect(Set(needs).count == needs.count, "nothing is asked for twice at a time")
            }
        }
        if machine.prompters == 0 { #expect(machine.openPrompts.isEmpty) }
    }

    private func checkNothingInForce(_ lost: DecisionSelector) {
        func isMeant(_ need: Need, _ principal: Principal, _ label: String?) -> Bool {
            principal == lost.principal && (lost.label == nil || lost.label == label)
                && lost.resource.covers(need.resource)
                && (lost.access ?? lost.resource.leastAccess).refuses(need.access)
        }
        for principal in Self.principals {
            for label in Self.labels {
                for need in Self.needs where isMeant(need, principal, label) {
                    let answer = gate.answer(need, principal: principal, label: label, at: now.wall)
                    if case .allowed = answer { Issue.record("\(need) is allowed after it was taken away") }
                }
            }
        }
        for item in held where isMeant(item.grant.need, item.principal, item.label) {
            #expect(!isHeld(item), "work goes on after its grant was taken away")
        }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `Random walks` {
    @Test(arguments: 1...40)
    func `keep every promise`(seed: Int) throws {
        var walk = RandomWalk(seed: UInt64(seed))
        for _ in 0..<300 { try walk.step() }
    }
}
