/// What the gate of a service says to one need.
package enum GateAnswer: Hashable, Sendable {
    /// Go on; a `once` grant must be redeemed first.
    case allowed(Grant)
    /// The person said no, by this decision.
    case denied(Decision)
    /// The policy forbids it with this entry.
    case restricted(Restriction)
    /// Nobody decided: the coordinator may ask the person.
    case notDetermined
    /// The coordinator has not been heard for longer than the lease: nothing is allowed.
    case noLease
}

/// Why running work has to end.
package struct Revocation: Error, Hashable, Sendable {
    /// Why.
    package var reason: RevocationReason
    /// The operator who did it; nil when nobody did.
    package var by: Principal?
    /// When.
    package var at: Moment
    /// What was taken away.
    package var need: Need
    /// What becomes of what the work was making.
    package var unfinished: Unfinished

    /// Makes a revocation.
    package init(
        reason: RevocationReason,
        by: Principal?,
        at: Moment,
        need: Need,
        unfinished: Unfinished = .kept
    ) {
        self.reason = reason
        self.by = by
        self.at = at
        self.need = need
        self.unfinished = unfinished
    }
}

/// What a service asks before every request, and, when the epoch has moved, before every frame or chunk.
///
/// It fails closed: without a replica, or without a valid lease on it, it allows nothing.
package struct Gate: Sendable {
    /// The service's copy of the decisions.
    package private(set) var replica = DecisionReplica()
    /// Whether the coordinator was heard within the lease.
    package private(set) var leaseIsValid = false
    /// Moves whenever something that was allowed may be allowed no more; equal epochs mean that nothing was taken away.
    package private(set) var epoch: UInt64 = 0

    /// A gate that allows nothing yet.
    package init() {}

    /// Takes a snapshot in place of everything.
    package mutating func apply(_ snapshot: DecisionSnapshot) {
        replica.apply(snapshot)
        epoch += 1
    }

    /// Takes the next step.
    ///
    /// - Throws: `Gap` when it is not the next; nothing has changed then.
    package mutating func apply(_ change: DecisionChange) throws(DecisionReplica.Gap) {
        try replica.apply(change)
        if change.endsGrants || !change.removed.isEmpty { epoch += 1 }
    }

    /// Notes that the lease was renewed or lost.
    package mutating func setLease(valid: Bool) {
        if leaseIsValid, !valid { epoch += 1 }
        leaseIsValid = valid
    }

    /// Whether new work of a program may begin.
    package func answer(_ need: Need, principal: Principal, label: String?, at now: Moment) -> GateAnswer {
        guard leaseIsValid, replica.epoch != nil else { return .noLease }
        switch replica.decisions.standing(of: need, principal: principal, label: label, at: now) {
        case .notDetermined: return .notDetermined
        case .restricted(let restriction): return .restricted(restriction)
        case .denied(let decision): return .denied(decision)
        case .authorized(let decision):
            return .allowed(Grant(id: decision.id, need: need, lifespan: decision.lifespan))
        }
    }

    /// Why running work that rests on `grant` has to end; nil when it may go on.
    package func revocation(of grant: Grant, principal: Principal, label: String?, at now: Moment) -> Revocation? {
        let need = grant.need
        guard leaseIsValid, replica.epoch != nil else {
            return Revocation(reason: .leaseLost, by: nil, at: now, need: need)
        }
        switch replica.decisions.standing(of: need, principal: principal, label: label, at: now, holding: grant.id) {
        case .authorized:
            return nil
        case .restricted:
            return Revocation(reason: .restricted, by: nil, at: now, need: need)
        case .denied(let decision):
            let removal = replica.removal(of: grant.id)
            return Revocation(
                reason: removal?.reason ?? .denied,
                by: decision.decidedBy,
                at: decision.decidedAt,
                need: need,
                unfinished: replica.unfinished(by: decision.id)
            )
        case .notDetermined:
            let unfinished = replica.unfinished(by: grant.id)
            guard let removal = replica.removal(of: grant.id) else {
                let ended = replica.decisions.decision(grant.id, about: principal)?.end
                return Revocation(
                    reason: ended == nil ? .revoked : .expired,
                    by: nil,
                    at: ended ?? now,
                    need: need,
                    unfinished: unfinished
                )
            }
            return Revocation(
                reason: removal.reason,
                by: removal.by,
                at: removal.at,
                need: need,
                unfinished: unfinished
            )
        }
    }
}
