import Consent
import Testing

/// Every state of a need against every event: the table of README.md.
@Suite(.timeLimit(.minutes(1)))
struct `Transitions` {
    enum State: CaseIterable {
        case notDetermined, prompted, resting, denied, deniedUntil, authorized, authorizedOnce, redeemed
        case authorizedUntil, authorizedSession, authorizedUnused, restricted, restrictedGrant, switchedOff
    }

    enum Event: CaseIterable {
        case ask, askWithoutPrompt, withdraw, allow, allowOnce, deny, dismiss, timeOut, prompterLeaves
        case grant, operatorDeny, revoke, reset, redeem, release, servicesGone, endComes, restrict, unrestrict
        case switchOff, switchOn, keepSession, leaveSession, sessionLeaseOver, useIsTold, unusedForDays, stop
    }

    static let end = Lifespan.until(Fixture.clock(100).wall)

    static func machine(in state: State) throws -> PermissionMachine {
        var machine = Fixture.machine()
        let now = Fixture.clock()
        func decide(_ verdict: Verdict, _ lifespan: Lifespan) throws {
            _ = try machine.decide(Fixture.selector(), verdict, lifespan, by: Fixture.operator, at: now)
        }
        switch state {
        case .notDetermined: break
        case .prompted: _ = machine.ask(Fixture.ask(1), at: now)
        case .resting:
            let prompt = try #require(machine.ask(Fixture.ask(1), at: now).opened.first)
            _ = try machine.answer(prompt.id, .dismiss, by: Fixture.operator, at: now)
        case .denied: try decide(.denied, .forever)
        case .deniedUntil: try decide(.denied, end)
        case .authorized: try decide(.allowed, .forever)
        case .authorizedOnce: try decide(.allowed, .once)
        case .redeemed:
            try decide(.allowed, .once)
            let grant = try #require(machine.grant())
            _ = try machine.redeem(
                grant,
                for: Fixture.front,
                principal: Fixture.program,
                label: nil,
                by: "capture-1",
                at: now
            )
        case .authorizedUntil: try decide(.allowed, end)
        case .authorizedSession: try decide(.allowed, .session)
        case .authorizedUnused: try decide(.allowed, .unusedFor(days: 1))
        case .restricted: _ = machine.follow(restrictions: [Restriction(.camera("*"))], at: now)
        case .restrictedGrant:
            try decide(.allowed, .forever)
            _ = machine.follow(restrictions: [Restriction(.camera("*"))], at: now)
        case .switchedOff: _ = machine.turn(.camera("*"), on: false, at: now)
        }
        return machine
    }

    /// Applies the event; nil when the machine refused it.
    static func apply(_ event: Event, to machine: inout PermissionMachine) throws -> [PermissionAction]? {
        let now = Self.time(of: event)
        let selector = Fixture.selector()
        let prompt = machine.openPrompts.first?.id ?? PromptID(99)
        let id = machine.decisions.all.last?.id ?? DecisionID(generation: 99)
        do {
            switch event {
            case .ask: return machine.ask(Fixture.ask(2), at: now)
            case .askWithoutPrompt: return machine.ask(Fixture.ask(2, mayPrompt: false), at: now)
            case .withdraw:
                return machine.withdraw(AskID(1))
            case .allow: return try machine.answer(prompt, .allow(.forever), by: Fixture.operator, at: now)
            case .allowOnce: return try machine.answer(prompt, .allow(.once), by: Fixture.operator, at: now)
            case .deny: return try machine.answer(prompt, .deny(.forever), by: Fixture.operator, at: now)
            case .dismiss: return try machine.answer(prompt, .dismiss, by: Fixture.operator, at: now)
            case .timeOut: return machine.timeOut(prompt, at: now)
            case .prompterLeaves: return machine.setPrompters(0, at: now)
            case .grant: return try machine.decide(selector, .allowed, .forever, by: Fixture.operator, at: now)
            case .operatorDeny: return try machine.decide(selector, .denied, .forever, by: Fixture.operator, at: now)
            case .revoke: return try machine.revoke(selector, by: Fixture.operator, at: now)
            case .reset: return try machine.reset(selector, by: Fixture.operator, at: now)
            case .redeem:
                return try machine.redeem(
                    id,
                    for: Fixture.front,
                    principal: Fixture.program,
                    label: nil,
                    by: "capture-1",
                    at: now
                )
            case .release: return machine.release(id, principal: Fixture.program, by: "capture-1", at: now)
            case .servicesGone: return machine.keepRedeemed(by: [], at: now)
            case .endComes, .sessionLeaseOver, .unusedForDays: return machine.expire(at: now)
            case .restrict: return machine.follow(restrictions: [Restriction(.camera("*"))], at: now)
            case .unrestrict: return machine.follow(restrictions: [], at: now)
            case .switchOff: return machine.turn(.camera("*"), on: false, at: now)
            case .switchOn: return machine.turn(.camera("*"), on: true, at: now)
            case .keepSession:
                machine.openSession(SessionID(1), principal: Fixture.program, label: nil, at: now)
                return []
            case .leaveSession:
                machine.closeSession(SessionID(1), at: now)
                return []
            case .useIsTold: return machine.noteUses([Self.use: [id]], at: now)
            case .stop: return machine.stop(Self.use, by: Fixture.operator, at: now)
            }
        } catch {
            return nil
        }
    }

    static let use = UseID(.capture, process: 1, number: 1)

    /// When an event comes: the end of what ends, and else a second after the state was reached.
    static func time(of event: Event) -> ClockPair {
        switch event {
        case .endComes: Fixture.clock(100)
        case .sessionLeaseOver: Fixture.clock(11)
        case .unusedForDays: Fixture.clock(86_400)
        default: Fixture.clock(1)
        }
    }

    /// The status after an event and whether the machine refuses it; written from the rules, not from the code.
    static func expectation(_ state: State, _ event: Event) -> (status: Status, refused: Bool) {
        let before: Status =
            switch state {
            case .notDetermined, .prompted, .resting, .redeemed: .notDetermined
            case .denied, .deniedUntil: .denied
            case .authorized, .authorizedOnce, .authorizedUntil, .authorizedSession, .authorizedUnused: .authorized
            case .restricted, .restrictedGrant, .switchedOff: .restricted
            }
        let isRestricted = before == .restricted
        switch event {
        case .allow, .allowOnce: return state == .prompted ? (.authorized, false) : (before, true)
        case .deny: return state == .prompted ? (.denied, false) : (before, true)
        case .dismiss: return (before, state != .prompted)
        case .grant: return (isRestricted ? .restricted : .authorized, false)
        case .operatorDeny: return (isRestricted ? .restricted : .denied, false)
        case .revoke:
            let hadGrant = before == .authorized || state == .redeemed
            return (hadGrant ? .denied : before, false)
        case .reset: return (isRestricted ? .restricted : .notDetermined, false)
        case .redeem: return state == .authorizedOnce ? (.notDetermined, false) : (before, true)
        case .endComes:
            let ends: [State] = [.authorizedUntil, .deniedUntil, .authorizedSession]
            return (ends.contains(state) ? .notDetermined : before, false)
        case .sessionLeaseOver: return (state == .authorizedSession ? .notDetermined : before, false)
        case .unusedForDays:
            let ends: [State] = [.authorizedUntil, .deniedUntil, .authorizedSession, .authorizedUnused]
            return (ends.contains(state) ? .notDetermined : before, false)
        case .restrict, .switchOff: return (.restricted, false)
        case .unrestrict:
            let revealed: Status = state == .restrictedGrant ? .authorized : .notDetermined
            return (isRestricted && state != .switchedOff ? revealed : before, false)
        case .switchOn: return (state == .switchedOff ? .notDetermined : before, false)
        case .ask, .askWithoutPrompt, .withdraw, .timeOut, .prompterLeaves, .release, .servicesGone, .keepSession,
            .leaveSession, .useIsTold, .stop:
            return (before, false)
        }
    }

    @Test(arguments: State.allCases, Event.allCases)
    func `every event in every state leads where the table says`(state: State, event: Event) throws {
        var machine = try Self.machine(in: state)
        let before = machine.decisions
        let actions = try Self.apply(event, to: &machine)
        let expected = Self.expectation(state, event)
        let now = Self.time(of: event)
        #expect(machine.status(at: now) == expected.status)
        #expect((actions == nil) == expected.refused)
        if actions == nil { #expect(machine.decisions == before) }
    }

    @Test(arguments: State.allCases)
    func `asking opens a prompt only where nobody decided and none is open`(state: State) throws {
        var machine = try Self.machine(in: state)
        let actions = machine.ask(Fixture.ask(2), at: Fixture.clock(1))
        #expect(actions.opened.count == ([.notDetermined, .redeemed].contains(state) ? 1 : 0))
        switch state {
        case .notDetermined, .redeemed, .prompted: #expect(actions.replies.isEmpty)
        case .resting: #expect(actions.dismissal(2) == .backingOff(.seconds(59)))
        case .denied, .deniedUntil: #expect(actions.statuses(2) == [.denied])
        case .authorized, .authorizedOnce, .authorizedUntil, .authorizedSession, .authorizedUnused:
            #expect(actions.statuses(2) == [.authorized])
        case .restricted, .restrictedGrant, .switchedOff: #expect(actions.statuses(2) == [.restricted])
        }
    }

    @Test(arguments: State.allCases, Event.allCases)
    func `who loses something they were allowed hears of it in a step that ends grants`(
        state: State,
        event: Event
    ) throws {
        var machine = try Self.machine(in: state)
        guard let id = machine.decisions.all.last(where: { $0.verdict == .allowed })?.id else { return }
        func isHeld(_ machine: PermissionMachine) -> Bool {
            let time = Self.time(of: event).wall
            let standing = machine.decisions.standing(
                of: Fixture.front,
                principal: Fixture.program,
                label: nil,
                at: time,
                holding: id
            )
            return standing.status == .authorized
        }
        let endsAlone = [.authorizedUntil, .authorizedUnused].contains(state)
        let before = isHeld(machine) || (endsAlone && [.endComes, .unusedForDays].contains(event))
        let actions = try Self.apply(event, to: &machine) ?? []
        if before, !isHeld(machine) {
            #expect(actions.changes.contains { $0.endsGrants })
        }
    }
}
