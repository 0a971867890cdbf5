/// Who is at the other end of a connection, as far as it was proven.
package struct PeerIdentity: Hashable, Sendable {
    /// Who it counts as.
    package var principal: Principal
    /// The kernel's credentials of the process that connected.
    package var userID: UInt32
    package var groupID: UInt32
    /// The supplementary groups of that process; empty when it was no longer the user that connected.
    package var groups: [UInt32]
    package var processID: Int32
    /// When the process started, in clock ticks since the machine did; with the process id it names one process.
    package var startTime: UInt64
    /// The program as a person may recognise it: its executable, or an interpreter with its script.
    ///
    /// Never a proof.
    package var label: String
    /// Which service it is, if it proved to be one.
    package var role: Role?

    package init(
        principal: Principal,
        userID: UInt32,
        groupID: UInt32,
        groups: [UInt32] = [],
        processID: Int32,
        startTime: UInt64,
        label: String,
        role: Role? = nil
    ) {
        self.principal = principal
        self.userID = userID
        self.groupID = groupID
        self.groups = groups
        self.processID = processID
        self.startTime = startTime
        self.label = label
        self.role = role
    }

    /// What made the identity certain.
    package var provenBy: Proof { principal.proof }
}
