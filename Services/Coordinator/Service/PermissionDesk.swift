package import Consent
package import EventLoop
package import Logging
package import MessageSchema

/// Performs what the permission machine decides: keeps decisions, tells services and prompters, answers who waits.
///
/// Pinned to the socket loop. Events are taken one after the other; a grant is stored before it is told, a revocation is told
/// first and stored when every service has applied it, without holding up the events behind it. What could not be stored
/// stays in force, goes along with whatever is stored next, and is tried again until it has reached the disk.
package actor PermissionDesk {
    /// How long a step that could not be stored waits until it is tried again.
    package static let retryInterval = Duration.seconds(5)

    /// What the desk reaches the rest of the world with.
    package struct World: Sendable {
        /// Both clocks.
        package var now: @Sendable () -> ClockPair
        /// Waits for so long; throws when cancelled.
        package var sleep: @Sendable (Duration) async throws -> Void
        /// Tells every service; returns when all have applied the step or have lost their lease.
        package var announce: @Sendable (DecisionChange) async -> Void

        /// Makes a world.
        package init(
            now: @escaping @Sendable () -> ClockPair,
            sleep: @escaping @Sendable (Duration) async throws -> Void,
            announce: @escaping @Sendable (DecisionChange) async -> Void
        ) {
            self.now = now
            self.sleep = sleep
            self.announce = announce
        }
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    private let loop: EventLoop
    let world: World
    let storage: any DecisionStorage
    private let promptLifetime: Duration
    let log: Logger
    private(set) var machine: PermissionMachine
    private let turns = Turnstile()
    /// One writes at a time, and what it writes is the newest there is.
    let writing = Turnstile()
    var unstored = UnstoredSteps()
    var limit = AuditLimit()
    var retryTimer: Task<Void, Never>?
    var noting: Task<Void, Never>?
    /// Whether whoever is in ``writing`` writes notes alone.
    var writesNotes = false
    private var lastAsk: UInt64 = 0
    private var lastSession: UInt64 = 0
    private var waiting: [AskID: CheckedContinuation<AskOutcome, any Error>] = [:]
    private var outcomes: [AskID: AskOutcome] = [:]
    private var promptTimers: [PromptID: Task<Void, Never>] = [:]
    private var expiryTimer: Task<Void, Never>?
    private var promptFeed = Feed<PromptEvent>()
    private var decisionFeed = Feed<PermissionState>()
    var restrictionFeed = Feed<FollowRestrictions.Item>()
    /// Why grants ended, for those who see that what rested on them has ended.
    private(set) var endings = GrantEndings()

    /// Makes a desk that goes on with what was stored.
    ///
    /// - Parameters:
    ///   - stored: What `storage` had kept.
    ///   - storage: Where decisions are kept.
    ///   - loop: The socket loop.
    ///   - world: Clocks and services.
    ///   - restrictions: What the policy forbids.
    ///   - granted: What the policy allows.
    ///   - promptLifetime: How long a prompt waits for an answer.
    ///   - log: Changes go here at `info`.
    package init(
        _ stored: StoredDecisions,
        storage: any DecisionStorage,
        loop: EventLoop,
        world: World,
        restrictions: [Restriction] = [],
        granted: [PolicyGrant] = [],
        promptLifetime: Duration = .seconds(120),
        log: Logger
    ) {
        machine = PermissionMachine(
            decisions: stored.decisions,
            generation: stored.generation,
            restrictions: restrictions,
            granted: granted,
            switchedOff: stored.switchedOff
        )
        self.storage = storage
        self.loop = loop
        self.world = world
        self.promptLifetime = promptLifetime
        self.log = log
    }

    isolated deinit {
        expiryTimer?.cancel()
        retryTimer?.cancel()
        noting?.cancel()
        for timer in promptTimers.values { timer.cancel() }
    }

    // MARK: What programs ask

    /// Answers how a request of a program stands, after asking the person for what nobody decided.
    ///
    /// Cancelling the task gives up the request; a prompt for whose answer nobody else waits is withdrawn.
    /// - Throws: `CancellationError`, or what the storage throws.
    package func request(
        _ needs: [Need],
        principal: Principal,
        label: String?,
        purpose: String?,
        mayPrompt: Bool
    ) async throws -> AskOutcome {
        lastAsk += 1
        let ask = Ask(
            id: AskID(lastAsk),
            principal: principal,
            label: EscapedText.label(label),
            needs: needs,
            purpose: purpose.map { EscapedText($0) },
            mayPrompt: mayPrompt
        )
        _ = try await takeTurn { machine, now in machine.ask(ask, at: now) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, for: ask.id) }
        } onCancel: {
            // The machine belongs to the actor; an unstructured task is the way to it from here.
            Task { await self.giveUp(ask.id) }
        }
    }

    /// How a program stands; asks nobody.
    ///
    /// `label` is as decisions and prompts have it, escaped.
    package func standings(of needs: [Need], principal: Principal, label: String?) -> [NeedStanding] {
        machine.standings(of: needs, principal: principal, label: label, at: world.now().wall)
    }

    private func wait(_ continuation: CheckedContinuation<AskOutcome, any Error>, for id: AskID) {
        if let outcome = outcomes.removeValue(forKey: id) { return continuation.resume(returning: outcome) }
        guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
        waiting[id] = continuation
    }

    private func giveUp(_ id: AskID) async {
        waiting.removeValue(forKey: id)?.resume(throwing: CancellationError())
        // Forgetting a request stores nothing, so that nothing can fail.
        _ = try? await takeTurn { machine, _ in machine.withdraw(id) }
        outcomes[id] = nil
    }

    // MARK: Sessions

    /// A program keeps a session, until it is handed back to ``closeSession(_:)``.
    package func openSession(principal: Principal, label: String?) async throws -> SessionID {
        lastSession += 1
        let id = SessionID(lastSession)
        _ = try await takeTurn { machine, now in
            machine.openSession(id, principal: principal, label: label, at: now)
            return []
        }
        return id
    }

    /// A program keeps its session no longer.
    package func closeSession(_ id: SessionID) async throws {
        _ = try await takeTurn { machine, now in
            machine.closeSession(id, at: now)
            return []
        }
    }

    /// Services told what goes on, and which grants were used meanwhile: sessions are kept by it, also while nothing can be stored.
    package func noteRunning(_ running: [UseID: Set<DecisionID>], past: Set<DecisionID>) async throws {
        _ = try await takeTurn { machine, now in
            machine.noteRunning(running, past: past, at: now)
            return []
        }
    }

    // MARK: What operators, services and time do

    /// Has time do its part for what was stored; once, at the start.
    package func begin() async throws {
        try await turn { machine, now in machine.expire(at: now) }
    }

    /// Takes an event that `transition` gives the machine, and performs what follows.
    ///
    /// Returns when it has: a step that ends grants has been applied by every service that still has a lease, and it and
    /// everything before it is stored. The audit log tells of it in the same transaction; of a step that stores nothing, soon.
    ///
    /// `operator` is whose event it is, where it is one's.
    ///
    /// - Throws: What the machine refuses, with nothing changed; or what the storage throws, where grants stay ended and
    ///   nothing is granted.
    package func turn(
        by operator: Principal? = nil,
        _ transition: @Sendable (inout PermissionMachine, ClockPair) throws -> [PermissionAction]
    ) async throws {
        if let ending = try await takeTurn(by: `operator`, transition) {
            await ending.applied.value
            if let change = ending.unstored { unstored.add(change, noting: ending.notes) }
        }
        try await storeRest()
    }

    /// Those who redeemed `once` grants and are still there are at most these.
    package func keepRedeemed(by processes: Set<ServiceInstance>) async throws {
        let names = Set(processes.map(\.description))
        guard machine.decisions.all.contains(where: { $0.redeemedBy.map { !names.contains($0) } ?? false }) else {
            return
        }
        try await turn { machine, now in machine.keepRedeemed(by: names, at: now) }
    }

    /// The decisions about a principal, or all of them, the oldest first.
    package func decisions(about principal: Principal?) -> [Decision] {
        principal.map(machine.decisions.about) ?? machine.decisions.all
    }

    /// What the policy allows to a principal, or to all of them.
    package func granted(to principal: Principal?) -> [Decision] { machine.decisions.granted(to: principal) }

    /// All decisions at their present step, for a service.
    package func snapshot(epoch: String) -> DecisionSnapshot { machine.snapshot(epoch: epoch) }

    /// The number of the last step.
    package var number: UInt64 { machine.number }

    // MARK: Who follows

    /// The open prompts, the oldest first.
    package var prompts: [Prompt] { machine.openPrompts.map(Prompt.init) }

    /// The open prompt of this name.
    package func openPrompt(_ id: PromptID) -> PermissionPrompt? { machine.openPrompts.first { $0.id == id } }

    /// How many are there to answer prompts.
    package var prompters: Int { machine.prompters }

    /// How many follow decisions.
    package var watchers: Int { decisionFeed.count }

    /// Follows prompts, the open ones first, as long as the caller may; as long as somebody does, there is somebody to ask.
    package func followPrompts(
        while mayFollow: @escaping @Sendable () -> Bool = { true }
    ) async throws -> Following<PromptEvent> {
        let open = machine.openPrompts.map { PromptEvent(kind: .opened, prompt: Prompt($0)) }
        let following = promptFeed.follow(from: open, while: mayFollow, wants: { _ in true })
        try await countPrompters()
        return following
    }

    /// Follows prompts no more.
    package func leavePrompts(_ id: FollowerID) async throws {
        promptFeed.leave(id)
        try await countPrompters()
    }

    /// Follows decisions: those about a principal, or all of them, as long as the caller may.
    package func followDecisions(
        about principal: Principal?,
        while mayFollow: @escaping @Sendable () -> Bool = { true }
    ) -> Following<PermissionState> {
        decisionFeed.follow(from: [], while: mayFollow, wants: { principal == nil || $0.principal == principal })
    }

    /// Follows decisions no more.
    package func leaveDecisions(_ id: FollowerID) { decisionFeed.leave(id) }

    /// Lets those go who may not follow any more.
    package func review() async throws {
        promptFeed.review()
        decisionFeed.review()
        restrictionFeed.review()
        try await countPrompters()
    }

    private func countPrompters() async throws {
        _ = try await takeTurn { [count = promptFeed.count] machine, now in machine.setPrompters(count, at: now) }
    }

    // MARK: Performing

    /// A step that ends grants, on its way to the services.
    private struct Ending {
        /// The step, unless there is nothing to store of it.
        let unstored: DecisionChange?
        /// What the audit log tells of it when it is stored.
        let notes: [AuditEntryDraft]
        let applied: Task<Void, Never>
    }

    private func takeTurn(
        by operator: Principal? = nil,
        _ transition: @Sendable (inout PermissionMachine, ClockPair) throws -> [PermissionAction]
    ) async throws -> Ending? {
        await turns.enter()
        defer { turns.leave() }
        var next = machine
        let now = world.now()
        let actions = try transition(&next, now)
        let notes = AuditEntryDraft.telling(of: actions, from: machine, to: next, by: `operator`, at: now.wall)
        let change = actions.lazy.compactMap { if case .record(let change) = $0 { change } else { nil } }.first
        let stores = change.map { UnstoredSteps.keeps($0, from: machine, to: next) } ?? false
        let isStoredFirst = stores && change?.endsGrants == false
        if let change, isStoredFirst {
            await writing.enter()
            do throws(StorageFailure) {
                var step = UnstoredSteps()
                step.add(change, noting: notes)
                try await write(step, of: next)
            } catch {
                writing.leave()
                throw error
            }
        }
        // Whoever writes next finds the machine that was written.
        defer { if isStoredFirst { writing.leave() } }
        let before = machine
        machine = next
        // Begins at once, so that steps go out in their order.
        let applied = change.map { change in Task.immediate { [announce = world.announce] in await announce(change) } }
        for action in actions { perform(action, before: before) }
        scheduleExpiry()
        if !stores { note(notes) }
        guard let change, let applied, change.endsGrants else { return nil }
        return Ending(unstored: stores ? change : nil, notes: notes, applied: applied)
    }

    private func perform(_ action: PermissionAction, before: PermissionMachine) {
        switch action {
        case .record(let change): tell(change, before: before)
        case .open(let prompt):
            log.info("prompt opened", ["prompt": .string("\(prompt.id)"), "principal": .string("\(prompt.principal)")])
            promptFeed.publish(PromptEvent(kind: .opened, prompt: Prompt(prompt)))
            promptTimers[prompt.id] = timer(promptLifetime) { desk in
                try await desk.turn { machine, now in machine.timeOut(prompt.id, at: now) }
            }
        case .close(let prompt, let end):
            log.info("prompt closed", ["prompt": .string("\(prompt.id)"), "end": .string(end.rawValue)])
            promptTimers.removeValue(forKey: prompt.id)?.cancel()
            promptFeed.publish(PromptEvent(kind: .closed, prompt: Prompt(prompt)))
        case .reply(let id, let outcome):
            if let waiter = waiting.removeValue(forKey: id) {
                waiter.resume(returning: outcome)
            } else {
                outcomes[id] = outcome
            }
        }
    }

    private func tell(_ change: DecisionChange, before: PermissionMachine) {
        endings.note(change.removed)
        if change.restrictions != nil { publishRestrictions() }
        for decision in change.upserted where !isOnlyMoved(decision, before) {
            log.info(
                "decision",
                [
                    "decision": .string("\(decision.id)"), "verdict": .string(decision.verdict.rawValue),
                    "principal": .string("\(decision.principal)"), "resource": .string("\(decision.resource)"),
                    "access": .string("\(decision.access)"), "by": .string("\(decision.decidedBy)"),
                ]
            )
            decisionFeed.publish(PermissionState(decision, number: machine.number))
        }
        for removal in change.removed {
            let reason = removal.reason.rawValue
            log.info("decision ended", ["decision": .string("\(removal.id)"), "reason": .string(reason)])
            guard let old = before.decisions.all.first(where: { $0.id == removal.id }) else { continue }
            let status = machine.standings(
                of: [Need(old.resource, old.access)],
                principal: old.principal,
                label: old.label,
                at: removal.at
            )
            guard let standing = status.first, standing.standing.decision == nil else { continue }
            var state = PermissionState(standing, principal: old.principal, number: machine.number)
            state.label = old.label
            state.cause = reason
            decisionFeed.publish(state)
        }
    }

    /// Whether nothing but the order of a decision among the others is new.
    private func isOnlyMoved(_ decision: Decision, _ before: PermissionMachine) -> Bool {
        guard let old = before.decisions.decision(decision.id, about: decision.principal) else { return false }
        return old.redeemedBy == decision.redeemedBy
    }

    private func scheduleExpiry() {
        expiryTimer?.cancel()
        expiryTimer = nil
        let now = world.now()
        // The wall clock can be set: look again at least each minute.
        let expiry = machine.nextExpiry.map {
            Duration.milliseconds(min($0.milliseconds - now.wall.milliseconds, 60_000))
        }
        let sessionEnd = machine.nextSessionEnd.map { $0 - now.uptime }
        guard let wait = [expiry, sessionEnd].compactMap(\.self).min() else { return }
        expiryTimer = timer(max(.zero, wait)) { desk in try await desk.expire() }
    }

    private func expire() async throws {
        expiryTimer = nil
        try await turn { machine, now in machine.expire(at: now) }
    }

    /// Runs the body later, unless it is cancelled or the desk is gone.
    private func timer(
        _ delay: Duration,
        _ body: @escaping @Sendable (PermissionDesk) async throws -> Void
    ) -> Task<Void, Never> {
        // Unstructured, because it outlives the call; kept by the desk and cancelled with it.
        Task { [weak self, sleep = world.sleep, log] in
            do {
                try await sleep(delay)
                guard let self else { return }
                try await body(self)
            } catch is CancellationError {
                return
            } catch {
                log.error("what was due could not be stored", ["error": .string("\(error)")])
            }
        }
    }
}
