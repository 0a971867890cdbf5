/// Why something that was allowed is allowed no more.
package enum RevocationReason: String, Codable, Sendable, Hashable, CaseIterable {
    /// An operator withdrew the grant.
    case revoked
    /// An operator, or the person's answer to a prompt, said no.
    case denied
    /// An operator had the decision forgotten.
    case reset
    /// A later decision of an operator took its place.
    case replaced
    /// Its time was over.
    case expired
    /// The policy or the global switch forbids it.
    case restricted
    /// A `once` grant whose request or stream is over.
    case used
    /// The program no longer kept the session for which it was allowed.
    case sessionEnded
    /// An operator ended this one use; the decision stands.
    case stopped
    /// The service has heard nothing from the coordinator for longer than its lease.
    case leaseLost
}

/// A decision that is gone, and why.
package struct Removal: Codable, Hashable, Sendable {
    /// The decision.
    package var id: DecisionID
    /// Why.
    package var reason: RevocationReason
    /// The operator who did it; nil when nobody did, as when time passes.
    package var by: Principal?
    /// When.
    package var at: Moment

    /// Makes a removal.
    package init(id: DecisionID, reason: RevocationReason, by: Principal?, at: Moment) {
        self.id = id
        self.reason = reason
        self.by = by
        self.at = at
    }
}

/// One step of the set of decisions; steps are numbered without gaps from the start of a coordinator.
package struct DecisionChange: Codable, Hashable, Sendable {
    /// One more than that of the step before.
    package var number: UInt64
    /// The generation of the newest decision ever made.
    package var generation: UInt64
    /// Decisions that are new or have changed.
    package var upserted: [Decision]
    /// Decisions that are gone.
    package var removed: [Removal]
    /// What the policy forbids now, when that has changed.
    package var restrictions: [Restriction]?
    /// What the policy allows now, when that has changed.
    package var granted: [PolicyGrant]?
    /// Uses that end, though what they rest on stays decided.
    package var stopped: [StoppedUse]?
    /// What becomes of what the work was making that this step ends; kept when absent.
    package var unfinished: Unfinished?
    /// Whether somebody may lose something that they were allowed: such a step is announced first and stored then.
    package var endsGrants: Bool

    /// Makes a step.
    package init(
        number: UInt64,
        generation: UInt64,
        upserted: [Decision] = [],
        removed: [Removal] = [],
        restrictions: [Restriction]? = nil,
        granted: [PolicyGrant]? = nil,
        stopped: [StoppedUse]? = nil,
        unfinished: Unfinished? = nil,
        endsGrants: Bool
    ) {
        self.number = number
        self.generation = generation
        self.upserted = upserted
        self.removed = removed
        self.restrictions = restrictions
        self.granted = granted
        self.stopped = stopped
        self.unfinished = unfinished
        self.endsGrants = endsGrants
    }

    /// By which decisions, new or gone, work ends whose unfinished film is discarded.
    var discarding: [DecisionID] {
        guard unfinished == .discarded else { return [] }
        return upserted.filter { $0.verdict == .denied }.map(\.id) + removed.map(\.id)
    }
}

/// The whole set of decisions at one step of one coordinator.
package struct DecisionSnapshot: Codable, Hashable, Sendable {
    /// Another one for each start of the coordinator.
    package var epoch: String
    /// The step.
    package var number: UInt64
    /// All decisions in force.
    package var decisions: [Decision]
    /// What the policy forbids.
    package var restrictions: [Restriction]
    /// What the policy allows.
    package var granted: [PolicyGrant]?
    /// Uses that were ended and that the coordinator has not yet heard to be over.
    package var stopped: [StoppedUse]?
    /// By which decisions, also some that are gone, work ends whose unfinished film is discarded, as far as the coordinator
    /// that runs remembers.
    package var discarding: [DecisionID]?

    /// Makes a snapshot.
    package init(
        epoch: String,
        number: UInt64,
        decisions: [Decision],
        restrictions: [Restriction],
        granted: [PolicyGrant]? = nil,
        stopped: [StoppedUse]? = nil,
        discarding: [DecisionID]? = nil
    ) {
        self.epoch = epoch
        self.number = number
        self.decisions = decisions
        self.restrictions = restrictions
        self.granted = granted
        self.stopped = stopped
        self.discarding = discarding
    }
}
