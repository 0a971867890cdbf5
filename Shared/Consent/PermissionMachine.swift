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

    /// A machine that goes on with the decisions that were stored.
    package init(decisions: [Decision] = [], generation: UInt64 = 0, restrictions: [Resource] = []) {
        self.decisions = DecisionSet(decisions, restrictions: restrictions)
        self.generation = max(generation, decisions.map(\.generation).max() ?? 0)
    }

    /// The open prompts, the oldest first.
    package var openPrompts: [PermissionPrompt] { prompts }

    /// All decisions, as a service's replica starts with them.
    package func snapshot(epoch: String) -> DecisionSnapshot {
        DecisionSnapshot(epoch: epoch, number: number, decisions: decisions.all, restrictions: decisions.restrictions)
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
        decisions.all.compactMap(\.lifespan.end).min()
    }

    // MARK: Steps

    /// Takes a step with new decisions in place of those that they replace.
    ///
    /// `keptDenials` stay, and stay the latest word: a person who says yes to one program has not said so to another
    /// program of the same principal that was denied by its label.
    mutating func decide(
        _ drafts: [DecisionSelector],
        _ verdict: Verdict,
        _ lifespan: Lifespan,
        by operator: Principal,
        at now: Moment,
        reason: RevocationReason,
        keptDenials: [Decision] = []
    ) -> PermissionAction {
        var removed: [Removal] = []
        var upserted: [Decision] = []
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
            for old in decisions.about(draft.principal) where decision.takesThePlace(of: old) {
                guard !removed.contains(where: { $0.id == old.id }), !keptDenials.contains(old) else { continue }
                removed.append(Removal(id: old.id, reason: reason, by: `operator`, at: now))
            }
            upserted.append(decision)
        }
        for var denial in keptDenials {
            generation += 1
            denial.generation = generation
            upserted.append(denial)
        }
        return step(upserted: upserted, removed: removed, endsGrants: verdict == .denied)
    }

    /// Takes a step.
    mutating func step(
        upserted: [Decision] = [],
        removed: [Removal] = [],
        restrictions: [Resource]? = nil,
        endsGrants: Bool
    ) -> PermissionAction {
        number += 1
        let change = DecisionChange(
            number: number,
            generation: generation,
            upserted: upserted,
            removed: removed,
            restrictions: restrictions,
            endsGrants: endsGrants
        )
        decisions.apply(change)
        return .record(change)
    }

    /// Checks a lifespan against what can be kept.
    func check(_ lifespan: Lifespan, for verdict: Verdict, at now: Moment) throws(PermissionRefusal) {
        switch lifespan {
        case .session, .unusedFor:
            throw .notYetAvailable(lifespan)
        case .once where verdict == .denied:
            throw .notForDenial(lifespan)
        case .until(let end) where end <= now:
            throw .alreadyOver
        case .once, .until, .forever:
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
