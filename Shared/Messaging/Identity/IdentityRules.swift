package import Consent
package import Hashing

/// What a server holds against a caller's claims.
package struct IdentityRules: Sendable {
    package var deployment: Deployment
    /// The SHA-256 of each role's key, as bytes; the keys themselves stay with the roles.
    package var roleVerifiers: [Role: SHA256Digest]
    /// Control groups below these paths, such as `/machine.slice/`, name containers; none do without one.
    package var containerPrefixes: [String]
    /// The user of the services; in system deployment a role must be this user too.
    package var serviceUser: UInt32
    /// The user that stands for all users of other namespaces (`/proc/sys/kernel/overflowuid`).
    package var overflowUser: UInt32

    package init(
        deployment: Deployment = .personal,
        roleVerifiers: [Role: SHA256Digest] = [:],
        containerPrefixes: [String] = [],
        serviceUser: UInt32,
        overflowUser: UInt32 = 65_534
    ) {
        self.deployment = deployment
        self.roleVerifiers = roleVerifiers
        self.containerPrefixes = containerPrefixes
        self.serviceUser = serviceUser
        self.overflowUser = overflowUser
    }
}

/// Why a connection was refused, and what its owner can do about it.
enum IdentityRefusal: String, Error, Hashable, Sendable {
    case noCredentials = "the kernel gave no credentials"
    case otherNamespace = "the process is in another user or process namespace; use an enrolled key"
    case noSuchProcess = "the process is gone or was replaced"
    case unreadableControlGroup = "the control group can not be read; use an enrolled key"
    case noControlGroups =
        "the policy tells containers apart, and no control group hierarchy is mounted; mount one (cgroups(7))"
    case wrongMechanism = "programs use no mechanism, roles use PLAIN on the roles' socket"
    case unknownRole = "no such role"
    case wrongKey = "the role's key is wrong"
    case wrongUser = "the role runs as another user"
    case noRoom = "too many identities"
}

extension IdentityRules {
    /// Who a process counts as.
    ///
    /// - Parameters:
    ///   - credentials: From the kernel.
    ///   - record: What `/proc` said about the process, if it could be read.
    /// - Returns: The identity, without a role.
    /// - Throws: ``IdentityRefusal`` for what can not be proven.
    func identity(
        of credentials: PeerCredentials,
        record: ProcessRecord?
    ) throws(IdentityRefusal) -> PeerIdentity {
        guard credentials.processID > 0, credentials.userID != overflowUser else { throw .otherNamespace }
        guard let record else { throw .noSuchProcess }
        guard let controlGroup = record.controlGroup else { throw .unreadableControlGroup }
        // Where containers have to be told apart, one that can not be must not count as its user.
        guard controlGroup.path != nil || containerPrefixes.isEmpty else { throw .noControlGroups }
        // The groups count only while the process is still the user that connected.
        let isSameUser = record.userID == credentials.userID
        let proven = isSameUser ? controlGroup.principal(containerPrefixes: containerPrefixes) : nil
        return PeerIdentity(
            principal: proven ?? .user(credentials.userID),
            userID: credentials.userID,
            groupID: credentials.groupID,
            groups: isSameUser ? record.groups : [],
            processID: credentials.processID,
            startTime: record.startTime,
            label: record.label
        )
    }

    /// The role that a name and a key prove.
    func role(name: String, key: String, credentials: PeerCredentials) throws(IdentityRefusal) -> Role {
        guard let role = Role(rawValue: name), let verifier = roleVerifiers[role] else { throw .unknownRole }
        guard isEqualInConstantTime(SHA256Digest(hashing: key).bytes, verifier.bytes) else { throw .wrongKey }
        guard deployment == .personal || credentials.userID == serviceUser else { throw .wrongUser }
        return role
    }
}
