/// What the policy allows to one principal without a question, for machines in front of which nobody sits.
///
/// The text form is that of the policy file, `camera/* use for unit:booth.service`; without an access it is the least. It holds
/// as long as the policy says so, and only where nobody has decided: a person's word, yes or no, comes before it.
package struct PolicyGrant: TextCodable {
    /// What is allowed; may be a pattern.
    package let resource: Resource
    /// What may be done with it.
    package let access: Access
    /// To whom.
    package let principal: Principal

    /// Makes a grant; nil for an access that there is not for the resource.
    package init?(_ resource: Resource, _ access: Access, for principal: Principal) {
        guard resource.accesses.contains(access) else { return nil }
        self.resource = resource
        self.access = access
        self.principal = principal
    }

    package init?(_ description: String) {
        guard let words = description.firstRange(of: " for "),
            let principal = Principal(String(description[words.upperBound...]))
        else { return nil }
        let parts = description[..<words.lowerBound].split(separator: " ", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let resource = Resource(String(parts[0])) else { return nil }
        let access = parts.count == 2 ? Access(String(parts[1])) : resource.leastAccess
        guard let access else { return nil }
        self.init(resource, access, for: principal)
    }

    package var description: String { "\(resource) \(access) for \(principal)" }

    /// Whether everything that `other` allows is allowed here too.
    package func covers(_ other: PolicyGrant) -> Bool {
        principal == other.principal && resource.covers(other.resource) && access.covers(other.access)
    }

    /// The same as a decision, older than all others.
    var decision: Decision { Decision(self) }
}
