private import CLinux
package import Consent
private import Glibc

/// Decides who may speak for the person: root, those the policy names, and in a personal deployment its user.
///
/// A label never makes an operator, and in a system deployment the services' own user is none.
package struct Operators: Sendable {
    private let principals: Set<Principal>
    private let groups: Set<UInt32>

    /// Resolves the policy's group names with getgrnam(3), which reads files: call it at start, not on a loop.
    package init(policy: Policy, deployment: Deployment, user: UInt32) {
        var principals: Set<Principal> = [.user(0)]
        if deployment == .personal { principals.insert(.user(user)) }
        var groups: Set<UInt32> = []
        for text in policy.operators ?? [] {
            if let principal = Principal(text) {
                principals.insert(principal)
            } else if let group = Self.groupID(named: String(text.dropFirst(6))) {
                groups.insert(group)
            }
        }
        self.principals = principals
        self.groups = groups
    }

    /// Whether a proven principal is an operator.
    ///
    /// - Parameters:
    ///   - principal: What was proven.
    ///   - user: The user of the peer's process, as the kernel told it.
    ///   - group: The peer's primary group, as the kernel told it.
    /// - Returns: Whether it may answer prompts and change decisions.
    package func include(_ principal: Principal, user: UInt32?, group: UInt32?) -> Bool {
        if principals.contains(principal) { return true }
        guard !groups.isEmpty else { return false }
        if let group, groups.contains(group) { return true }
        // A unit or a container is its own principal; it does not inherit its user's groups.
        guard case .user(let user) = principal else { return false }
        return Self.groups(of: user).contains { groups.contains($0) }
    }

    private static func groupID(named name: String) -> UInt32? {
        if let number = UInt32(name) { return number }
        return unsafe getgrnam(name)?.pointee.gr_gid
    }

    /// The supplementary groups that the user database gives a user.
    private static func groups(of user: UInt32) -> [UInt32] {
        guard let entry = unsafe getpwuid(user) else { return [] }
        var groups = [gid_t](repeating: 0, count: 256)
        var count = CInt(groups.count)
        guard unsafe getgrouplist(entry.pointee.pw_name, entry.pointee.pw_gid, &groups, &count) >= 0 else { return [] }
        return Array(groups.prefix(Int(count)))
    }
}
