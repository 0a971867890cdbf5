package import Consent
private import Files

/// Decides who may speak for the person: root, those the policy names, and in a personal deployment its user.
///
/// A label never makes an operator, and in a system deployment the services' own user is none.
package struct Operators: Sendable {
    private let principals: Set<Principal>
    private let groups: Set<UInt32>

    /// Resolves the policy's group names with the group database, which reads files: call it at start, not on a loop.
    package init(policy: Policy, deployment: Deployment, user: UInt32) {
        var principals: Set<Principal> = [.user(0)]
        if deployment == .personal { principals.insert(.user(user)) }
        var groups: Set<UInt32> = []
        for text in policy.operators {
            if let principal = Principal(text) {
                principals.insert(principal)
            } else if let group = Self.groupID(named: String(text.dropFirst(6))) {
                groups.insert(group)
            }
        }
        self.principals = principals
        self.groups = groups
    }

    /// Whether a proven caller may answer prompts and change decisions.
    ///
    /// A service never does. Nothing is looked up, so it can be asked on a loop.
    ///
    /// Groups are those that the kernel says its process has, as everywhere on the machine: whoever was added to a group
    /// counts after the next login.
    package func include(_ caller: PeerIdentity) -> Bool {
        guard caller.role == nil else { return false }
        if principals.contains(caller.principal) { return true }
        // A unit or a container is its own principal: it inherits nothing from its user or its groups.
        guard !groups.isEmpty, case .user = caller.principal else { return false }
        return groups.contains(caller.groupID) || caller.groups.contains { groups.contains($0) }
    }

    private static func groupID(named name: String) -> UInt32? {
        UInt32(name) ?? UserDatabase.group(named: name)
    }
}
