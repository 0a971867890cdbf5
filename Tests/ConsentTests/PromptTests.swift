import Consent
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Prompts` {
    let now = Fixture.clock()

    @Test func `one prompt asks for everything that is missing`() throws {
        var machine = Fixture.machine()
        _ = try machine.decide(Fixture.selector(), .allowed, .forever, by: Fixture.operator, at: now)
        let actions = machine.ask(Fixture.ask(1, [Fixture.front, Fixture.add, Fixture.back, Fixture.add]), at: now)
        #expect(actions.opened.map(\.needs) == [[Fixture.add, Fixture.back]])
    }

    @Test func `a second asker joins and both go on with one answer`() throws {
        var machine = Fixture.machine()
        let prompt = try #require(machine.ask(Fixture.ask(1), at: now).opened.first)
        #expect(machine.ask(Fixture.ask(2), at: now).isEmpty)
        let actions = try machine.answer(prompt.id, .allow(.forever), by: Fixture.operator, at: now)
        #expect(actions.statuses(1) == [.authorized] && actions.statuses(2) == [.authorized])
        #expect(actions.changes.count == 1 && actions.closed == [.answered])
    }

    @Test func `a need that is being asked for is not asked for again beside another`() throws {
        var machine = Fixture.machine()
        let first = try #require(machine.ask(Fixture.ask(1, [Fixture.front]), at: now).opened.first)
        let second = try #require(machine.ask(Fixture.ask(2, [Fixture.front, Fixture.add]), at: now).opened.first)
        #expect(second.needs == [Fixture.add])
        let half = try machine.answer(second.id, .allow(.forever), by: Fixture.operator, at: now)
        #expect(half.replies.isEmpty)
        let whole = try machine.answer(first.id, .allow(.forever), by: Fixture.operator, at: now)
        #expect(whole.statuses(1) == [.authorized] && whole.statuses(2) == [.authorized, .authorized])
    }

    @Test func `a no to one of two prompts answers the request at once`() throws {
        var machine = Fixture.machine()
        let first = try #require(machine.ask(Fixture.ask(1, [Fixture.front]), at: now).opened.first)
        _ = machine.ask(Fixture.ask(2, [Fixture.front, Fixture.add]), at: now)
        let actions = try machine.answer(first.id, .deny(.forever), by: Fixture.operator, at: now)
        #expect(actions.statuses(2) == [.denied, .notDetermined])
        #expect(actions.statuses(1) == [.denied])
    }

    @Test func `a dismissed question rests for a minute, then two, up to a day`() throws {
        var machine = Fixture.machine()
        var seconds: Int64 = 0
        var lengths: [Int64] = []
        for number in 1...14 {
            let time = Fixture.clock(seconds)
            let prompt = try #require(machine.ask(Fixture.ask(UInt64(number) * 2), at: time).opened.first)
            let actions = try machine.answer(prompt.id, .dismiss, by: Fixture.operator, at: time)
            #expect(actions.dismissal(UInt64(number) * 2) == .closed && actions.changes.isEmpty)
            guard
                case .backingOff(let rest) = machine.ask(Fixture.ask(UInt64(number) * 2 + 1), at: time)
                    .dismissal(UInt64(number) * 2 + 1)
            else {
                Issue.record("asked again at once")
                return
            }
            lengths.append(rest.components.seconds)
            seconds += rest.components.seconds
        }
        #expect(lengths.prefix(3) == [60, 120, 240] && lengths.last == 86_400)
        #expect(machine.status(at: Fixture.clock(seconds)) == .notDetermined)
    }

    @Test func `a question with anything new in it is another one than the one that was dismissed`() throws {
        var machine = Fixture.machine()
        let asked = Fixture.ask(1, [Fixture.back, Fixture.add])
        let prompt = try #require(machine.ask(asked, at: now).opened.first)
        _ = try machine.answer(prompt.id, .dismiss, by: Fixture.operator, at: now)
        // All of it, or a part of it, is the same question.
        #expect(machine.ask(Fixture.ask(2, [Fixture.add]), at: now).dismissal(2) == .backingOff(.seconds(60)))
        let again = machine.ask(Fixture.ask(3, [Fixture.add, Fixture.back]), at: now)
        #expect(again.dismissal(3) == .backingOff(.seconds(60)))
        let front = machine.ask(Fixture.ask(4, [Fixture.front, Fixture.add]), at: now).opened
        #expect(front.map(\.needs) == [[Fixture.front, Fixture.add]])
        _ = machine.withdraw(AskID(4))
        // A reset of any of it has it asked again at once.
        _ = try machine.reset(Fixture.selector(.library), by: Fixture.operator, at: now)
        let reset = machine.ask(Fixture.ask(5, [Fixture.back, Fixture.add]), at: now).opened
        #expect(reset.map(\.needs) == [[Fixture.back, Fixture.add]])
    }

    @Test func `a prompt that times out is a dismissal and decides nothing`() throws {
        var machine = Fixture.machine()
        let prompt = try #require(machine.ask(Fixture.ask(1), at: now).opened.first)
        let actions = machine.timeOut(prompt.id, at: Fixture.clock(120))
        #expect(actions.dismissal(1) == .timedOut && actions.closed == [.timedOut] && actions.changes.isEmpty)
        #expect(machine.timeOut(prompt.id, at: Fixture.clock(121)).isEmpty)
    }

    @Test func `with nobody there to ask nothing is stored and nothing rests`() throws {
        var machine = PermissionMachine()
        #expect(machine.ask(Fixture.ask(1), at: now).dismissal(1) == .noPrompter)
        _ = machine.setPrompters(1, at: now)
        #expect(machine.ask(Fixture.ask(2), at: now).opened.count == 1)
        let gone = machine.setPrompters(0, at: now)
        #expect(gone.dismissal(2) == .noPrompter && gone.closed == [.unattended])
        _ = machine.setPrompters(1, at: now)
        #expect(machine.ask(Fixture.ask(3), at: now).opened.count == 1)
    }

    @Test func `a principal has at most three open prompts, under whatever labels`() {
        var machine = Fixture.machine()
        for number: UInt64 in 1...3 {
            #expect(machine.ask(Fixture.ask(number, label: "program \(number)"), at: now).opened.count == 1)
        }
        #expect(machine.ask(Fixture.ask(4, label: "program 4"), at: now).dismissal(4) == .tooManyPrompts)
        var other = Fixture.ask(5)
        other.principal = .user(1001)
        #expect(machine.ask(other, at: now).opened.count == 1)
    }

    @Test func `the first answer wins and the second is told`() throws {
        var machine = Fixture.machine()
        let prompt = try #require(machine.ask(Fixture.ask(1), at: now).opened.first)
        _ = try machine.answer(prompt.id, .allow(.forever), by: Fixture.operator, at: now)
        #expect(throws: PermissionRefusal.unknownPrompt) {
            try machine.answer(prompt.id, .deny(.forever), by: .user(1), at: now)
        }
        #expect(machine.status() == .authorized)
    }

    @Test func `a prompt for whose answer nobody waits any more is withdrawn, and nothing of it stays`() throws {
        var machine = Fixture.machine()
        let prompt = try #require(machine.ask(Fixture.ask(1), at: now).opened.first)
        #expect(machine.withdraw(AskID(7)).isEmpty)
        let actions = machine.withdraw(AskID(1))
        #expect(actions.closed == [.withdrawn] && actions.replies.isEmpty && actions.changes.isEmpty)
        #expect(machine.openPrompts.isEmpty)
        #expect(throws: PermissionRefusal.unknownPrompt) {
            try machine.answer(prompt.id, .allow(.forever), by: Fixture.operator, at: now)
        }
        #expect(machine.withdraw(AskID(1)).isEmpty)
        #expect(machine.ask(Fixture.ask(2), at: now).opened.count == 1)
    }

    @Test func `a prompt stays as long as somebody waits for its answer`() throws {
        var machine = Fixture.machine()
        let front = try #require(machine.ask(Fixture.ask(1, [Fixture.front]), at: now).opened.first)
        let add = try #require(machine.ask(Fixture.ask(2, [Fixture.front, Fixture.add]), at: now).opened.first)
        #expect(machine.withdraw(AskID(1)).isEmpty)
        #expect(machine.openPrompts == [front, add])
        #expect(machine.ask(Fixture.ask(3, [Fixture.add]), at: now).isEmpty)
        #expect(machine.withdraw(AskID(2)).closed == [.withdrawn])
        #expect(machine.openPrompts == [add])
        let actions = try machine.answer(add.id, .allow(.forever), by: Fixture.operator, at: now)
        #expect(actions.statuses(3) == [.authorized])
    }

    @Test func `an operator who decides meanwhile settles the prompt`() throws {
        var machine = Fixture.machine()
        _ = machine.ask(Fixture.ask(1), at: now)
        let actions = try machine.decide(
            Fixture.selector(.camera("*")),
            .denied,
            .forever,
            by: Fixture.operator,
            at: now
        )
        #expect(actions.closed == [.settled] && actions.statuses(1) == [.denied])
    }

    @Test func `an answer can be narrowed to the program that asked`() throws {
        var machine = Fixture.machine()
        let prompt = try #require(machine.ask(Fixture.ask(1, label: "booth"), at: now).opened.first)
        _ = try machine.answer(prompt.id, .allow(.forever), narrowed: true, by: Fixture.operator, at: now)
        #expect(machine.status(label: "booth") == .authorized)
        #expect(machine.status(label: "other") == .notDetermined && machine.status() == .notDetermined)
    }

    @Test(arguments: [PermissionAnswer.allow(.forever), .deny(.forever)])
    func `an answer can not be narrowed where the program that asked has no label`(answer: PermissionAnswer) throws {
        var machine = Fixture.machine()
        let prompt = try #require(machine.ask(Fixture.ask(1), at: now).opened.first)
        #expect(throws: PermissionRefusal.noLabel) {
            try machine.answer(prompt.id, answer, narrowed: true, by: Fixture.operator, at: now)
        }
        #expect(machine.status() == .notDetermined && machine.openPrompts.map(\.id) == [prompt.id])
    }

    @Test func `a yes to another program revives no denial that was overruled`() throws {
        var machine = Fixture.machine()
        let by = Fixture.operator
        _ = try machine.decide(Fixture.selector(.library, .addOnly, label: "L"), .denied, .forever, by: by, at: now)
        _ = try machine.decide(Fixture.selector(.library, .read, label: "L"), .allowed, .forever, by: by, at: now)
        let camera = try #require(machine.ask(Fixture.ask(1, [Fixture.front], label: "M"), at: now).opened.first)
        let first = try machine.answer(camera.id, .allow(.forever), by: by, at: now)
        #expect(first.changes.map(\.upserted.count) == [1], "an unrelated yes touches nothing else")
        #expect(machine.status(Fixture.read, label: "L") == .authorized)
        // The denial that still holds is kept for what it refuses, and refuses no more than before.
        let add = try #require(machine.ask(Fixture.ask(2, [Fixture.add], label: "M"), at: now).opened.first)
        _ = try machine.answer(add.id, .allow(.forever), by: by, at: now)
        #expect(machine.status(Fixture.add, label: "M") == .authorized)
        #expect(machine.status(Fixture.add, label: "L") == .denied)
        #expect(machine.status(Fixture.read, label: "L") == .authorized)
    }

    @Test func `a wider yes to another program takes away nothing that was allowed in spite of a no`() throws {
        var machine = Fixture.machine()
        let by = Fixture.operator
        _ = try machine.decide(Fixture.selector(.library, .addOnly, label: "L"), .denied, .forever, by: by, at: now)
        _ = try machine.decide(Fixture.selector(.library, .addOnly), .allowed, .forever, by: by, at: now)
        let prompt = try #require(machine.ask(Fixture.ask(1, [Fixture.write], label: "M"), at: now).opened.first)
        let before = machine.status(Fixture.add, label: "L")
        _ = try machine.answer(prompt.id, .allow(.forever), by: by, at: now)
        #expect(machine.status(Fixture.add, label: "L") == before)
        #expect(machine.status(Fixture.write, label: "L") == .denied)
        #expect(machine.status(Fixture.write, label: "M") == .authorized)
    }

    @Test func `a yes for once to another program takes the place of no lasting yes`() throws {
        var machine = Fixture.machine()
        let by = Fixture.operator
        _ = try machine.decide(Fixture.selector(label: "L"), .allowed, .forever, by: by, at: now)
        let prompt = try #require(machine.ask(Fixture.ask(1, label: "M"), at: now).opened.first)
        _ = try machine.answer(prompt.id, .allow(.once), by: by, at: now)
        let once = try #require(machine.decisions.all.first { $0.lifespan == .once }?.id)
        _ = try machine.redeem(
            once,
            for: Fixture.front,
            principal: Fixture.program,
            label: "M",
            by: "service",
            at: now
        )
        #expect(machine.status(label: "L") == .authorized && machine.status(label: "M") == .notDetermined)
    }

    @Test func `once serves one of two that waited, the other asks again`() throws {
        var machine = Fixture.machine()
        let prompt = try #require(machine.ask(Fixture.ask(1), at: now).opened.first)
        _ = machine.ask(Fixture.ask(2), at: now)
        _ = try machine.answer(prompt.id, .allow(.once), by: Fixture.operator, at: now)
        let grant = try #require(machine.grant())
        _ = try machine.redeem(grant, for: Fixture.front, principal: Fixture.program, label: nil, by: "a", at: now)
        #expect(throws: PermissionRefusal.notInForce) {
            try machine.redeem(grant, for: Fixture.front, principal: Fixture.program, label: nil, by: "b", at: now)
        }
        #expect(machine.ask(Fixture.ask(3), at: now).opened.count == 1)
    }

    @Test(arguments: [Lifespan.once, .session, .unusedFor(days: 30)])
    func `a lifespan that can not be kept is refused and the prompt stays`(lifespan: Lifespan) throws {
        var machine = Fixture.machine()
        let prompt = try #require(machine.ask(Fixture.ask(1), at: now).opened.first)
        #expect(throws: PermissionRefusal.alreadyOver) {
            try machine.answer(prompt.id, .allow(.until(now.wall)), by: Fixture.operator, at: now)
        }
        #expect(throws: PermissionRefusal.notForDenial(lifespan)) {
            try machine.answer(prompt.id, .deny(lifespan), by: Fixture.operator, at: now)
        }
        #expect(machine.openPrompts.map(\.id) == [prompt.id])
    }
}
