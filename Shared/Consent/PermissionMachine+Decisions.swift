extension PermissionMachine {
    /// An operator allows or denies without having been asked.
    ///
    /// `unfinished` says what becomes of what the work was making that a denial ends.
    ///
    /// - Throws: A refusal of the access or the lifespan; nothing has changed then.
    package mutating func decide(
        _ selector: DecisionSelector,
        _ verdict: Verdict,
        _ lifespan: Lifespan,
        by operator: Principal,
        unfinished: Unfinished? = nil,
        at now: ClockPair
    ) throws(PermissionRefusal) -> [PermissionAction] {
        try check(selector)
        try check(lifespan, for: verdict, at: now.wall)
        let reason: RevocationReason = verdict == .denied ? .denied : .replaced
        let action = decide(
            [selector],
            verdict,
            lifespan,
            by: `operator`,
            at: now.wall,
            reason: reason,
            unfinished: unfinished
        )
        forgetBackOffs(selector)
        return [action] + reconsider(at: now)
    }

    /// An operator withdraws grants: what they allowed is denied from now on.
    ///
    /// Where nothing that was allowed is meant, nothing changes. `unfinished` says what becomes of what the work was making.
    ///
    /// - Throws: A refusal of the access; nothing has changed then.
    package mutating func revoke(
        _ selector: DecisionSelector,
        by operator: Principal,
        unfinished: Unfinished? = nil,
        at now: ClockPair
    ) throws(PermissionRefusal) -> [PermissionAction] {
        try check(selector)
        var drafts: [DecisionSelector] = []
        let known = decisions.about(selector.principal) + decisions.granted(to: selector.principal)
        for grant in known where grant.isInForce(at: now.wall) {
            guard grant.verdict == .allowed, let draft = selector.denial(of: grant), !drafts.contains(draft) else {
                continue
            }
            drafts.append(draft)
        }
        guard !drafts.isEmpty else { return [] }
        let action = decide(
            drafts,
            .denied,
            .forever,
            by: `operator`,
            at: now.wall,
            reason: .revoked,
            unfinished: unfinished
        )
        return [action] + reconsider(at: now)
    }

    /// An operator has decisions forgotten, so that the person is asked again.
    ///
    /// Dismissals are forgotten too. `unfinished` says what becomes of what the work was making that ends by it.
    ///
    /// - Throws: A refusal of the access; nothing has changed then.
    package mutating func reset(
        _ selector: DecisionSelector,
        by operator: Principal,
        unfinished: Unfinished? = nil,
        at now: ClockPair
    ) throws(PermissionRefusal) -> [PermissionAction] {
        try check(selector)
        forgetBackOffs(selector)
        let forgotten = decisions.about(selector.principal).filter { selector.selects($0) }
        guard !forgotten.isEmpty else { return [] }
        let action = step(
            removed: forgotten.map { Removal(id: $0.id, reason: .reset, by: `operator`, at: now.wall) },
            unfinished: unfinished,
            endsGrants: forgotten.contains { $0.verdict == .allowed }
        )
        return [action] + reconsider(at: now)
    }

    /// A service uses up a `once` grant for one request or stream of a program.
    ///
    /// `instance` is the instance of the service; when it is gone, so is the grant.
    ///
    /// Whether the service may redeem grants for the need is asked before: ``Role/redeems(_:)``.
    ///
    /// It may be another than the newest that would do: who was given one each uses up one each.
    ///
    /// - Throws: `notInForce` when it does not allow the need to that program, or was redeemed before. Nothing has changed then.
    package mutating func redeem(
        _ id: DecisionID,
        for need: Need,
        principal: Principal,
        label: String?,
        by instance: String,
        at now: ClockPair
    ) throws(PermissionRefusal) -> [PermissionAction] {
        guard var decision = decisions.decision(id, about: principal), decision.verdict == .allowed,
            decision.lifespan == .once, decision.redeemedBy == nil,
            decisions.permits(id, need, principal: principal, label: label, at: now.wall)
        else { throw .notInForce }
        decision.redeemedBy = instance
        return [step(upserted: [decision], endsGrants: false)] + reconsider(at: now)
    }

    /// The request or stream for which a service redeemed a `once` grant is over.
    package mutating func release(
        _ id: DecisionID,
        principal: Principal,
        by instance: String,
        at now: ClockPair
    ) -> [PermissionAction] {
        guard let decision = decisions.decision(id, about: principal), decision.redeemedBy == instance else {
            return []
        }
        return [step(removed: [Removal(id: id, reason: .used, by: nil, at: now.wall)], endsGrants: true)]
    }

    /// The request that had the person asked for a `once` grant is over, and did not use it: it was for that request alone.
    ///
    /// One that is redeemed by now is left to whoever did.
    package mutating func forgo(_ id: DecisionID, principal: Principal, at now: ClockPair) -> [PermissionAction] {
        guard let decision = decisions.decision(id, about: principal), decision.verdict == .allowed,
            decision.lifespan == .once, decision.redeemedBy == nil
        else { return [] }
        return [step(removed: [Removal(id: id, reason: .used, by: nil, at: now.wall)], endsGrants: true)]
    }

    /// These instances of services are the only ones left: what others had redeemed is used up.
    package mutating func keepRedeemed(by instances: Set<String>, at now: ClockPair) -> [PermissionAction] {
        let orphans = decisions.all.filter { $0.redeemedBy.map { !instances.contains($0) } ?? false }
        guard !orphans.isEmpty else { return [] }
        let removals = orphans.map { Removal(id: $0.id, reason: .used, by: nil, at: now.wall) }
        return [step(removed: removals, endsGrants: true)]
    }

    // MARK: Inside

    private func check(_ selector: DecisionSelector) throws(PermissionRefusal) {
        guard let access = selector.access, !selector.resource.accesses.contains(access) else { return }
        throw .noSuchAccess(selector.resource, access)
    }

    private mutating func forgetBackOffs(_ selector: DecisionSelector) {
        backOffs = backOffs.filter { key, _ in
            key.principal != selector.principal || !selector.resource.covers(key.need.resource)
        }
    }
}

extension DecisionSelector {
    /// Whether `decision` is one of those that are meant.
    fileprivate func selects(_ decision: Decision) -> Bool {
        principal == decision.principal
            && (label == nil || label == decision.label)
            && resource.covers(decision.resource)
            && (access.map { decision.reaches($0) } ?? true)
    }

    /// The denial that withdraws from `grant` what is meant here; nil when nothing of it is.
    fileprivate func denial(of grant: Decision) -> DecisionSelector? {
        guard label == nil || grant.label == nil || label == grant.label, resource.overlaps(grant.resource) else {
            return nil
        }
        let lost = grant.resource.accesses.filter { granted in
            grant.speaks(about: granted) && (access?.refuses(granted) ?? true)
        }
        guard let least = lost.first else { return nil }
        return DecisionSelector(
            principal: principal,
            label: grant.label ?? label,
            resource: resource.covers(grant.resource) ? grant.resource : resource,
            access: access ?? least
        )
    }
}

extension Decision {
    /// Whether what is said here is about `access` or, for a denial, about nothing less than it.
    ///
    /// So a "no" to less stays when somebody has a "no" to more forgotten.
    fileprivate func reaches(_ access: Access) -> Bool {
        verdict == .allowed ? self.access.covers(access) : access.refuses(self.access)
    }
}
