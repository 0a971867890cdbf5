/// What the policy forbids: a resource or pattern, to one principal or to everybody.
///
/// The text form is that of the policy file, `camera/*`, or `camera/* for uid:1000`; one that an operator made by the
/// global switch ends in ` by switch`.
package struct Restriction: TextCodable {
    /// What is forbidden; may be a pattern.
    package var resource: Resource
    /// To whom; nil means everybody.
    package var principal: Principal?
    /// Whether the global switch forbids it, and not the policy file.
    package var isSwitch: Bool

    /// Makes a restriction.
    package init(_ resource: Resource, for principal: Principal? = nil, isSwitch: Bool = false) {
        self.resource = resource
        self.principal = principal
        self.isSwitch = isSwitch
    }

    package init?(_ description: String) {
        if description.hasSuffix(Self.switchMark) {
            guard let resource = Resource(String(description.dropLast(Self.switchMark.count))) else { return nil }
            self.init(resource, isSwitch: true)
            return
        }
        guard let words = description.firstRange(of: " for ") else {
            guard let resource = Resource(description) else { return nil }
            self.init(resource)
            return
        }
        guard let resource = Resource(String(description[..<words.lowerBound])),
            let principal = Principal(String(description[words.upperBound...]))
        else { return nil }
        self.init(resource, for: principal)
    }

    package var description: String {
        "\(resource)" + (principal.map { " for \($0)" } ?? "") + (isSwitch ? Self.switchMark : "")
    }

    private static let switchMark = " by switch"

    /// Why what it forbids to everybody is forbidden, in the middle of a sentence.
    package var reason: String {
        isSwitch ? "an operator has switched it off for everybody" : "the policy of this machine forbids it"
    }

    /// Whether `resource` is forbidden to `principal`.
    package func forbids(_ resource: Resource, to principal: Principal) -> Bool {
        (self.principal == nil || self.principal == principal) && self.resource.covers(resource)
    }

    /// Whether everything that `other` forbids is forbidden here too.
    package func covers(_ other: Restriction) -> Bool {
        (principal == nil || principal == other.principal) && resource.covers(other.resource)
    }
}
