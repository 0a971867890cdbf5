/// Decides what programs may do, as persons told it: events in, actions out, no clock and no input or output of its own.
///
/// The states of a need of a program are the statuses of `Status`; README.md has the table of transitions.
package struct PermissionMachine: Sendable {
    /// The longest that a dismissed question rests.
    package static let longestBackOff = Duration.seconds(86_400)
    /// How long a question rests after its first dismissal; doubled with each further one.
    package static let firstBackOff = Duration.seconds(60)
    /// How many prompts of one principal may be open.
    package static let openPromptsPerPrincipal = 3

    /// All decisions and restrictions.
    package internal(set) var decisions: DecisionSet
    /// The generation of the newest decision ever made.
    package internal(set) var generation: UInt64
    /// The number of the last step.
    package internal(set) var number: UInt64 = 0
    /// How many are there to answer.
    package internal(set) var prompters = 0
    var prompts: [PermissionPrompt] = []
    var waiting: [WaitingAsk] = []
    var backOffs: [BackOffKey: BackOff] = [:]
    var nextPrompt: UInt64 = 1
    /// What the policy forbids, and what the global switch does.
    var policy: [Restriction]
    /// What an operator has switched off for everybody.
    package internal(set) var switchedOff: [Resource]
    /// The sessions that programs keep.
    var sessions: [SessionID: SessionKeeper] = [:]
    /// When grants for a session end that nobody keeps, by the time since the machine started.
    var sessionEnds: [DecisionID: Duration] = [:]
    /// What running work rests on, as services told it last.
    var inUse: Set<DecisionID> = []
    /// Uses that were ended, until services have told that they are over.
    package internal(set) var stopped: [StoppedUse] = []
    /// By which decisions work ends whose unfinished film is discarded, the newest last.
    private var discarding: [DecisionID] = []

    struct WaitingAsk {
        let ask: Ask
        var prompts: Set<PromptID>
    }

    struct BackOffKey: Hashable {
        let principal: Principal
        let need: Need
    }

    struct BackOff {
        var until: Duration
        var next: Duration
    }

    /// A machine that goes on with the decisions that were stored, and with what was switched off.
    package init(
        decisions: [Decision] = [],
        generation: UInt64 = 0,
        restrictions: [Restriction] = [],
        granted: [PolicyGrant] = [],
        switchedOff: [Resource] = []
    ) {
        policy = restrictions
        self.switchedOff = switchedOff
        let switches = switchedOff.map { Restriction($0, isSwitch: true) }
        self.decisions = DecisionSet(decisions, restrictions: restrictions + switches, granted: granted)
        self.generation = max(generation, decisions.map(\.generation).max() ?? 0)
    }

    /// The open prompts, the oldest first.
    package var openPrompts: [PermissionPrompt] { prompts }

    /// All decisions, as a service's replica starts with them.
    package func snapshot(epoch: String) -> DecisionSnapshot {
        DecisionSnapshot(
            epoch: epoch,
            number: number,
            decisions: decisions.all,
            restrictions: decisions.restrictions,
            granted: decisions.granted.isEmpty ? nil : decisions.granted,
            stopped: stopped.isEmpty ? nil : stopped,
            discarding: discarding.isEmpty ? nil : discarding
        )
    }

    /// How a program stands; asks nobody.
    package func standings(of needs: [Need], principal: Principal, label: String?, at now: Moment) -> [NeedStanding] {
        needs.map { need in
            NeedStanding(
                need: need,
                standing: decisions.standing(of: need, principal: principal, label: label, at: now)
            )
        }
    }

    /// The next moment at which a decision ends by itself: `expire(at:)` is due then.
    package var nextExpiry: Moment? {
        decisions.all.compactMap(\.end).min()
    }

    // MARK: Steps

    /// Takes a step with new decisions in place of those that they replace.
    ///
    /// A yes to a prompt is `added`: it takes the place of nothing, and a denial that refuses now what it would allow goes
    /// on doing so. A person who says yes to one program has not said so to another program of the same principal that was
    /// denied by its label, and yes for once ends no lasting yes. The new decisions come below such a denial; everything
    /// from it on moves up in its order, so that a yes lowers the status of nobody.
    mutating func decide(
        _ drafts: [DecisionSelector],
        _ verdict: Verdict,
        _ lifespan: Lifespan,
        by operator: Principal,
        at now: Moment,
        reason: RevocationReason,
        unfinished: Unfinished? = nil,
        added: Bool = false
    ) -> PermissionAction {
        var removed: [Removal] = []
        var upserted: [Decision] = []
        let former = added ? drafts.first.map { decisions.about($0.principal) } ?? [] : []
        let held = former.filter { denial in drafts.contains { holds(denial, against: $0, at: now) } }
        for draft in drafts {
            generation += 1
            let decision = Decision(
                principal: draft.principal,
                label: draft.label,
                resource: draft.resource,
                access: draft.access ?? draft.resource.leastAccess,
                verdict: verdict,
                lifespan: lifespan,
                decidedAt: now,
                decidedBy: `operator`,
                generation: generation
            )
            for old in decisions.about(draft.principal) where !added && decision.takesThePlace(of: old) {
                guard !removed.contains(where: { $0.id == old.id }) else { continue }
                removed.append(Removal(id: old.id, reason: reason, by: `operator`, at: now))
            }
            upserted.append(decision)
        }
        let lowest = held.first?.generation ?? .max
        for var later in former where later.generation >= lowest {
            generation += 1
            later.generation = generation
            upserted.append(later)
        }
        return step(
            upserted: upserted,
            removed: removed,
            unfinished: unfinished,
            endsGrants: verdict == .denied
        )
    }

    /// Whether `denial` is what refuses now, to the programs that it is about, some of what `draft` would allow to them.
    private func holds(_ denial: Decision, against draft: DecisionSelector, at now: Moment) -> Bool {
        guard denial.verdict == .denied, draft.label == nil || draft.label == denial.label else { return false }
        let access = draft.access ?? draft.resource.leastAccess
        return draft.resource.accesses.contains { allowed in
            guard access.covers(allowed) else { return false }
            let need = Need(draft.resource, allowed)
            let standing = decisions.standing(of: need, principal: draft.principal, label: denial.label, at: now)
            return standing == .denied(denial)
        }
    }

    /// Takes a step.
    mutating func step(
        upserted: [Decision] = [],
        removed: [Removal] = [],
        restrictions: [Restriction]? = nil,
        granted: [PolicyGrant]? = nil,
        stopped: [StoppedUse]? = nil,
        unfinished: Unfinished? = nil,
        endsGrants: Bool
    ) -> PermissionAction {
        number += 1
        let change = DecisionChange(
            number: number,
            generation: generation,
            upserted: upserted,
            removed: removed,
            restrictions: restrictions,
            granted: granted,
            stopped: stopped,
            unfinished: unfinished,
            endsGrants: endsGrants
        )
        decisions.apply(change)
        discarding.append(contentsOf: change.discarding)
        discarding.removeFirst(max(0, discarding.count - DecisionReplica.rememberedRemovals))
        return .record(change)
    }

    /// Checks a lifespan against what can be kept.
    func check(_ lifespan: Lifespan, for verdict: Verdict, at now: Moment) throws(PermissionRefusal) {
        switch lifespan {
        case .once, .session, .unusedFor:
            if verdict == .denied { throw .notForDenial(lifespan) }
        case .until(let end):
            if end <= now { throw .alreadyOver }
        case .forever:
            return
        }
    }
}

extension Decision {
    /// Whether this new decision removes `old`: a "no" ends also what a redeemed `once` grant still allows, a "yes" does not.
    fileprivate func takesThePlace(of old: Decision) -> Bool {
        replaces(old) && (verdict == .denied || old.redeemedBy == nil)
    }
}
