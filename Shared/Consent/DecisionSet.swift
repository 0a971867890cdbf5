/// How a program stands towards one need, and by which decision.
package enum Standing: Hashable, Sendable {
    /// Nobody decided.
    case notDetermined
    /// The policy forbids it with this entry.
    case restricted(Restriction)
    /// The person said no.
    case denied(Decision)
    /// The person said yes.
    case authorized(Decision)

    /// The word for it.
    package var status: Status {
        switch self {
        case .notDetermined: .notDetermined
        case .restricted: .restricted
        case .denied: .denied
        case .authorized: .authorized
        }
    }

    /// The decision that makes it so.
    package var decision: Decision? {
        switch self {
        case .denied(let decision), .authorized(let decision): decision
        case .notDetermined, .restricted: nil
        }
    }
}

/// Decisions and restrictions, and what follows from them; the coordinator and every service hold the same.
///
/// What the policy forbids comes first. Then, of all decisions in force that speak about a need, the latest holds; where
/// there is none, what the policy allows.
package struct DecisionSet: Hashable, Sendable {
    private var decisionsByPrincipal: [Principal: [Decision]] = [:]
    /// What the policy forbids.
    package private(set) var restrictions: [Restriction]
    /// What the policy allows.
    package private(set) var granted: [PolicyGrant]

    /// Makes a set.
    package init(_ decisions: [Decision] = [], restrictions: [Restriction] = [], granted: [PolicyGrant] = []) {
        self.restrictions = restrictions
        self.granted = granted
        for decision in decisions { upsert(decision) }
    }

    /// All decisions, the oldest first.
    package var all: [Decision] {
        decisionsByPrincipal.values.joined().sorted { $0.generation < $1.generation }
    }

    /// The decisions about one principal, the oldest first.
    package func about(_ principal: Principal) -> [Decision] {
        decisionsByPrincipal[principal] ?? []
    }

    /// The decision with this id about the principal, or what the policy allows to it under this id.
    package func decision(_ id: DecisionID, about principal: Principal) -> Decision? {
        (id.isPolicy ? granted(to: principal) : about(principal)).first { $0.id == id }
    }

    /// How new work of a program stands towards a need at `now`; a redeemed `once` grant allows nothing new.
    package func standing(of need: Need, principal: Principal, label: String?, at now: Moment) -> Standing {
        if let restriction = restriction(of: need, principal) { return .restricted(restriction) }
        for decision in speaking(about: need, principal, label, now) {
            if decision.verdict == .denied { return .denied(decision) }
            if decision.redeemedBy == nil { return .authorized(decision) }
        }
        return byPolicy(need, principal).map(Standing.authorized) ?? .notDetermined
    }

    /// How running work stands that rests on the grant `held`: a `once` grant that was redeemed for it goes on allowing it.
    package func standing(
        of need: Need,
        principal: Principal,
        label: String?,
        at now: Moment,
        holding held: DecisionID
    ) -> Standing {
        if let restriction = restriction(of: need, principal) { return .restricted(restriction) }
        for decision in speaking(about: need, principal, label, now) {
            if decision.verdict == .denied { return .denied(decision) }
            if decision.id == held || decision.lifespan != .once { return .authorized(decision) }
        }
        return byPolicy(need, principal).map(Standing.authorized) ?? .notDetermined
    }

    /// Whether new work may rest on this very grant, though there is a newer one that would do as well.
    ///
    /// Not where something newer says no, and not where it was used up.
    package func permits(_ id: DecisionID, _ need: Need, principal: Principal, label: String?, at now: Moment) -> Bool {
        guard restriction(of: need, principal) == nil else { return false }
        for decision in speaking(about: need, principal, label, now) {
            if decision.verdict == .denied { return false }
            if decision.id == id { return decision.redeemedBy == nil }
        }
        return granted(to: principal).contains {
            $0.id == id && $0.applies(to: need, principal: principal, label: label)
        }
    }

    /// What the policy allows to a principal, or to all of them, as decisions.
    package func granted(to principal: Principal?) -> [Decision] {
        granted.filter { principal == nil || $0.principal == principal }.map(\.decision)
    }

    /// Every decision in force that says no to a need, the oldest first: all of them have to go for it to be open again.
    package func denials(of need: Need, principal: Principal, label: String?, at now: Moment) -> [Decision] {
        speaking(about: need, principal, label, now).filter { $0.verdict == .denied }.reversed()
    }

    /// Takes a step.
    package mutating func apply(_ change: DecisionChange) {
        for removal in change.removed { remove(removal.id) }
        for decision in change.upserted { upsert(decision) }
        if let restrictions = change.restrictions { self.restrictions = restrictions }
        if let granted = change.granted { self.granted = granted }
    }

    private func restriction(of need: Need, _ principal: Principal) -> Restriction? {
        restrictions.first { $0.forbids(need.resource, to: principal) }
    }

    private func byPolicy(_ need: Need, _ principal: Principal) -> Decision? {
        granted.first { $0.decision.applies(to: need, principal: principal, label: nil) }?.decision
    }

    private func speaking(
        about need: Need,
        _ principal: Principal,
        _ label: String?,
        _ now: Moment
    ) -> some Sequence<Decision> {
        about(principal).reversed().lazy.filter {
            $0.isInForce(at: now) && $0.applies(to: need, principal: principal, label: label)
        }
    }

    private mutating func upsert(_ decision: Decision) {
        var list = decisionsByPrincipal[decision.principal] ?? []
        list.removeAll { $0.id == decision.id }
        let index = list.firstIndex { $0.generation > decision.generation } ?? list.endIndex
        list.insert(decision, at: index)
        decisionsByPrincipal[decision.principal] = list
    }

    private mutating func remove(_ id: DecisionID) {
        for (principal, list) in decisionsByPrincipal {
            guard let index = list.firstIndex(where: { $0.id == id }) else { continue }
            var rest = list
            rest.remove(at: index)
            decisionsByPrincipal[principal] = rest.isEmpty ? nil : rest
            return
        }
    }
}
