/// The name of a decision; that of a stored one is unique as long as the database lives.
package struct DecisionID: TextCodable {
    private let number: UInt64
    /// Whether it names what the policy allows, and nothing that is stored.
    package let isPolicy: Bool

    /// The id of the decision that was made at `generation`.
    package init(generation: UInt64) {
        number = generation
        isPolicy = false
    }

    /// The id of what the policy allows: the same for the same words (FNV-1a, draft-eastlake-fnv).
    init(_ grant: PolicyGrant) {
        number = grant.description.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        isPolicy = true
    }

    package init?(_ description: String) {
        guard let kind = description.first, kind == "d" || kind == "p", let value = UInt64(description.dropFirst())
        else { return nil }
        number = value
        isPolicy = kind == "p"
        guard self.description == description else { return nil }
    }

    package var description: String { "\(isPolicy ? "p" : "d")\(number)" }
}

/// Yes or no.
package enum Verdict: String, Codable, Sendable, Hashable, CaseIterable {
    case allowed, denied
}

/// A stored answer of a person.
package struct Decision: Codable, Hashable, Sendable, Identifiable {
    /// The decision's name.
    package var id: DecisionID
    /// Whom it is about.
    package var principal: Principal
    /// The label that a program must have for the decision to be about it; nil means every program of the principal.
    package var label: String?
    /// What it is about; may be a pattern.
    package var resource: Resource
    /// What may, or may not, be done with it.
    package var access: Access
    /// Yes or no.
    package var verdict: Verdict
    /// How long it holds.
    package var lifespan: Lifespan
    /// When it was made.
    package var decidedAt: Moment
    /// The operator who made it.
    package var decidedBy: Principal
    /// Of two decisions that speak about the same, the one with the higher generation holds.
    package var generation: UInt64
    /// The instance of the service that redeemed a `once` grant; from then on it allows nothing new.
    package var redeemedBy: String?
    /// When it was last used, to the minute; kept for a grant that ends when it is not.
    package var usedAt: Moment?

    /// Makes a decision.
    package init(
        principal: Principal,
        label: String? = nil,
        resource: Resource,
        access: Access,
        verdict: Verdict,
        lifespan: Lifespan,
        decidedAt: Moment,
        decidedBy: Principal,
        generation: UInt64
    ) {
        id = DecisionID(generation: generation)
        self.principal = principal
        self.label = label
        self.resource = resource
        self.access = access
        self.verdict = verdict
        self.lifespan = lifespan
        self.decidedAt = decidedAt
        self.decidedBy = decidedBy
        self.generation = generation
    }

    /// What the policy allows, as a decision of the user of the cluster's machine that is older than all others.
    init(_ grant: PolicyGrant) {
        self.init(
            principal: grant.principal,
            resource: grant.resource,
            access: grant.access,
            verdict: .allowed,
            lifespan: .forever,
            decidedAt: Moment(milliseconds: 0),
            decidedBy: .user(0),
            generation: 0
        )
        id = DecisionID(grant)
    }

    /// Whether the decision speaks about `need` of a program with this principal and label.
    package func applies(to need: Need, principal: Principal, label: String?) -> Bool {
        principal == self.principal
            && (self.label == nil || self.label == label)
            && resource.covers(need.resource)
            && speaks(about: need.access)
    }

    /// The moment at which it ends by itself, as far as that is known now; each use moves that of `unusedFor` on.
    package var end: Moment? {
        switch lifespan {
        case .until(let moment): moment
        case .unusedFor(let days): Moment(milliseconds: lastUse.milliseconds + Int64(days) * 86_400_000)
        case .once, .session, .forever: nil
        }
    }

    /// When it was last used, or made.
    var lastUse: Moment { usedAt.map { max($0, decidedAt) } ?? decidedAt }

    /// Whether it is in force at `now`: not past its end.
    package func isInForce(at now: Moment) -> Bool {
        end.map { now < $0 } ?? true
    }

    /// Whether everything that `other` speaks about is spoken about here too, so that the later of the two replaces the other.
    package func replaces(_ other: Decision) -> Bool {
        principal == other.principal
            && (label == nil || label == other.label)
            && resource.covers(other.resource)
            && other.resource.accesses.allSatisfy { !other.speaks(about: $0) || speaks(about: $0) }
    }

    /// Whether the decision allows, or refuses, `access` to what it names.
    package func speaks(about access: Access) -> Bool {
        verdict == .allowed ? self.access.covers(access) : self.access.refuses(access)
    }
}

/// An allowed decision in force, as the work that rests on it knows it.
package struct Grant: Codable, Hashable, Sendable {
    /// The decision.
    package var id: DecisionID
    /// What it was found for.
    package var need: Need
    /// How long it holds; a `once` grant must be redeemed before it is used.
    package var lifespan: Lifespan

    /// Makes a grant.
    package init(id: DecisionID, need: Need, lifespan: Lifespan) {
        self.id = id
        self.need = need
        self.lifespan = lifespan
    }
}
