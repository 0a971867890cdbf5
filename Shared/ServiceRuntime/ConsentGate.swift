package import Consent
private import MessageSchema
private import Messaging
private import Timekeeping

/// How a service asks for permission: from its own copy of the decisions, and of the coordinator when a person must be asked.
///
/// One per process. It fails closed: without a snapshot, or after the lease, everything is refused and running work ends.
package actor ConsentGate {
    /// The coordinator, as far as the gate needs it; every call throws `ErrorReply`.
    package struct Coordinator: Sendable {
        /// Has the person asked for what is missing.
        package var request: @Sendable ([Need], Asker) async throws -> Answer
        /// Uses up a `once` grant; false when it is not in force any more.
        package var redeem: @Sendable (Grant, Asker) async throws -> Bool
        /// Says that the work for which a grant was redeemed is over.
        package var release: @Sendable (Grant, Asker) async -> Void
        /// Says that the request for which a `once` grant was asked is over, and that nobody is to use it later.
        package var forgo: @Sendable (Grant, Asker) async -> Void

        /// Makes a coordinator.
        package init(
            request: @escaping @Sendable ([Need], Asker) async throws -> Answer,
            redeem: @escaping @Sendable (Grant, Asker) async throws -> Bool,
            release: @escaping @Sendable (Grant, Asker) async -> Void,
            forgo: @escaping @Sendable (Grant, Asker) async -> Void
        ) {
            self.request = request
            self.redeem = redeem
            self.release = release
            self.forgo = forgo
        }
    }

    /// What came of asking the person.
    package struct Answer: Hashable, Sendable {
        /// The step at which it holds.
        package var number: UInt64
        /// The grants that allow what was asked for, as far as it is allowed.
        package var grants: [DecisionID]

        /// Makes an answer.
        package init(number: UInt64, grants: [DecisionID] = []) {
            self.number = number
            self.grants = grants
        }
    }

    /// The copy of the decisions, for any thread.
    package nonisolated let decisions: SharedGate
    /// What goes on by which grants; nil where nobody is told.
    package nonisolated let uses: UseBook?
    private let coordinator: Coordinator
    /// How often a request whose `once` grant somebody else used up asks again.
    private static let attempts = 8
    /// How long a request waits for this service's copy to catch up, or for its lease.
    private static let catchUp = Duration.seconds(2)

    /// Makes a gate.
    package init(decisions: SharedGate, coordinator: Coordinator, uses: UseBook? = nil) {
        self.uses = uses
        self.decisions = decisions
        self.coordinator = coordinator
    }

    /// How a program stands towards a need; asks nobody.
    package nonisolated func standing(of need: Need, for asker: Asker) -> GateAnswer {
        decisions.answer(need, principal: asker.principal, label: asker.decisionLabel)
    }

    /// Whether a request may do something without a question: by what was decided, or by a grant that was redeemed for it.
    package nonisolated func allows(_ need: Need, for asker: Asker) -> Bool {
        if case .allowed = answer(need, asker) { true } else { false }
    }

    /// Returns when everything that is needed is allowed, after asking the person, once, for what nobody decided.
    ///
    /// `once` grants are redeemed, except for what is in `handingOn`: another service enforces that, and redeems there.
    /// What this question brought `once` is for this request alone, and ends with the authorization though nobody has
    /// redeemed it. Nobody is asked for a caller that has ended, and nothing is redeemed for it. Cancelling the task gives the question up.
    ///
    /// `isUse` is false where nothing is done by the authorization, and nobody checks it: one that only asks. The person sees as a
    /// use, and can stop, what ends when it is stopped.
    ///
    /// - Throws: The `ErrorReply` for the program.
    package func authorize(
        _ needs: [Need],
        for asker: Asker,
        handingOn: [Need] = [],
        isUse: Bool = true
    ) async throws -> Authorization {
        var hasAsked = false
        let handed = asker.grants
        var asker = asker
        for _ in 0..<Self.attempts {
            let epoch = decisions.epoch
            guard let grants = try await grants(needs, asker, handed) else {
                if hasAsked, !asker.mayPrompt { break }
                let answer = try await ask(needs, asker)
                hasAsked = true
                asker.grants = handed + answer.grants
                await wait { $0.number >= answer.number }
                continue
            }
            guard let redeemed = try await redeem(grants, asker, except: handingOn) else {
                // The service that hands its grant on may have heard that it is redeemed before us.
                if !asker.grants.isEmpty {
                    await wait { [asker] gate in
                        asker.grants.allSatisfy { id in
                            gate.decision(id, about: asker.principal).map {
                                $0.lifespan != .once || $0.redeemedBy != nil
                            } ?? true
                        }
                    }
                }
                continue
            }
            let unspent = hasAsked ? grants.filter { $0.lifespan == .once && handingOn.contains($0.need) } : []
            return authorization(asker, grants, redeemed, unspent, epoch, isUse)
        }
        // Somebody else used up each grant before us, or took it away again.
        let need = needs.first { if case .allowed = standing(of: $0, for: asker) { false } else { true } }
        throw ErrorReply.refusal(.notDetermined, of: need ?? needs.first ?? Need(.export), to: asker)
    }

    // MARK: Inside

    /// Asks the person as long as the caller is there to have the answer.
    private func ask(_ needs: [Need], _ asker: Asker) async throws -> Answer {
        guard let question = asker.question, asker.mayPrompt else { return try await askWhileRunning(needs, asker) }
        let open = needs.filter { if case .notDetermined = answer($0, asker) { true } else { false } }
        return try await question.asking(about: open) { try await askWhileRunning(needs, asker) }
    }

    private func askWhileRunning(_ needs: [Need], _ asker: Asker) async throws -> Answer {
        guard let caller = asker.caller, asker.mayPrompt else { return try await coordinator.request(needs, asker) }
        return try await caller.whileRunning { [coordinator] in try await coordinator.request(needs, asker) }
    }

    /// The grants for all needs; nil when some are not determined.
    ///
    /// `handed` are those that came with the request.
    private func grants(_ needs: [Need], _ asker: Asker, _ handed: [DecisionID]) async throws -> [Grant]? {
        if !decisions.leaseIsValid { await wait { $0.leaseIsValid } }
        if handed.contains(where: { decisions.decision($0, about: asker.principal) == nil }) {
            // The service that sent them may have heard of them before us.
            await wait { gate in handed.allSatisfy { gate.decision($0, about: asker.principal) != nil } }
        }
        var grants: [Grant] = []
        var isMissing = false
        for need in needs {
            switch answer(need, asker) {
            case .allowed(let grant): grants.append(grant)
            case .notDetermined: isMissing = true
            case .denied(let decision):
                throw denial(of: need, decision, among: needs, asker)
            case .restricted(let restriction): throw ErrorReply.refusal(.restricted(restriction), of: need, to: asker)
            case .noLease: throw ErrorReply.refusal(.noLease, of: need, to: asker)
            }
        }
        return isMissing ? nil : grants
    }

    /// The error of the first need that is denied; it tells of the others that are, so that one look mends them all.
    private func denial(of need: Need, _ decision: Decision, among needs: [Need], _ asker: Asker) -> ErrorReply {
        func denials(_ need: Need) -> [Decision] {
            decisions.denials(of: need, principal: asker.principal, label: asker.decisionLabel)
        }
        let others = needs.filter { $0 != need }.compactMap { other -> (need: Need, denials: [Decision])? in
            guard case .denied(let decision) = answer(other, asker) else { return nil }
            return (other, [decision] + denials(other))
        }
        return .refusal(.denied(decision), of: need, to: asker, denials: denials(need), besides: others)
    }

    /// The gate's answer; a grant that a service redeemed for the program before it came to us allows what it is for, and one
    /// that is meant for this request is used before any other.
    private nonisolated func answer(_ need: Need, _ asker: Asker) -> GateAnswer {
        if let held = heldGrant(need, asker) ?? ownGrant(need, asker) { return .allowed(held) }
        return standing(of: need, for: asker)
    }

    /// The grant for once that is meant for this request, and still to be used up.
    private nonisolated func ownGrant(_ need: Need, _ asker: Asker) -> Grant? {
        let label = asker.decisionLabel
        for id in asker.grants {
            guard let decision = decisions.decision(id, about: asker.principal), decision.lifespan == .once,
                decisions.permits(id, need, principal: asker.principal, label: label)
            else { continue }
            return Grant(id: id, need: need, lifespan: .once)
        }
        return nil
    }

    private nonisolated func heldGrant(_ need: Need, _ asker: Asker) -> Grant? {
        let (principal, label) = (asker.principal, asker.decisionLabel)
        for id in asker.grants {
            guard let decision = decisions.decision(id, about: principal), decision.redeemedBy != nil,
                decision.applies(to: need, principal: principal, label: label)
            else { continue }
            let grant = Grant(id: id, need: need, lifespan: decision.lifespan)
            if decisions.revocation(of: grant, principal: principal, label: label) == nil { return grant }
        }
        return nil
    }

    /// Redeems what has to be; nil when somebody else was faster, and nothing is kept redeemed then.
    private func redeem(_ grants: [Grant], _ asker: Asker, except handingOn: [Need]) async throws -> [Grant]? {
        var redeemed: [Grant] = []
        for grant in grants where grant.lifespan == .once && !handingOn.contains(grant.need) {
            if heldGrant(grant.need, asker)?.id == grant.id || redeemed.contains(where: { $0.id == grant.id }) {
                continue
            }
            do throws(ErrorReply) {
                // The answer is for whoever lives to have it.
                try asker.caller?.checkPresence()
            } catch {
                await release(redeemed, asker)
                throw error
            }
            // A cancelled request must not cut this call off: whoever redeemed a grant has to know it, and releases it.
            let redeeming = Task { [coordinator] in try await coordinator.redeem(grant, asker) }
            let isOurs: Bool
            do {
                isOurs = try await redeeming.value
            } catch {
                // The coordinator may have redeemed it all the same; it releases only what is ours.
                await release(redeemed + [grant], asker)
                throw error
            }
            if isOurs { redeemed.append(grant) }
            guard isOurs, !Task.isCancelled else {
                await release(redeemed, asker)
                try Task.checkCancellation()
                return nil
            }
        }
        return redeemed
    }

    /// Releases them even in a task that was cancelled.
    private func release(_ grants: [Grant], _ asker: Asker) async {
        guard !grants.isEmpty else { return }
        await Task { [coordinator] in for grant in grants { await coordinator.release(grant, asker) } }.value
    }

    private func authorization(
        _ asker: Asker,
        _ grants: [Grant],
        _ redeemed: [Grant],
        _ unspent: [Grant],
        _ epoch: UInt64,
        _ isUse: Bool
    ) -> Authorization {
        let uses = isUse ? self.uses : nil
        let use = uses?.begin(asker, grants, isStopped: { [decisions] in decisions.stop(of: $0) != nil })
        return Authorization(asker: asker, grants: grants, gate: decisions, epoch: epoch, use: use?.id) {
            [coordinator, uses] leavesUnspent in
            if let use { uses?.end(use.number) }
            let forgone = leavesUnspent ? [] : unspent
            guard !redeemed.isEmpty || !forgone.isEmpty else { return }
            // Nobody waits for it: the work is over already, and a service that is gone is released by the coordinator.
            Task {
                for grant in redeemed { await coordinator.release(grant, asker) }
                for grant in forgone { await coordinator.forgo(grant, asker) }
            }
        }
    }

    private func wait(until isReached: (SharedGate) -> Bool) async {
        let clock = BootClock()
        let deadline = clock.now.advanced(by: Self.catchUp)
        // Wakes the waiting below at the deadline.
        let alarm = Task { [decisions] in
            try await clock.sleep(until: deadline, tolerance: nil)
            decisions.wake()
        }
        defer { alarm.cancel() }
        while clock.now < deadline, !Task.isCancelled {
            let version = decisions.version
            if isReached(decisions) { return }
            await decisions.change(after: version)
        }
    }
}
