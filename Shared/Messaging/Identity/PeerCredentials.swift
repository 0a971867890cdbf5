/// What the kernel says about the process that connected to a local socket.
///
/// libzmq passes it to authentication as the address `localhost:UID:GID:PID` (libzmq 4.3.4,
/// `stream_engine_base.cpp`, from SO_PEERCRED of unix(7)).
struct PeerCredentials: Hashable, Sendable {
    var userID: UInt32
    var groupID: UInt32
    var processID: Int32

    init(userID: UInt32, groupID: UInt32, processID: Int32) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }

    /// Reads an address; `nil` for one that is not a local socket's.
    init?(address: String) {
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "localhost", let userID = UInt32(parts[1]),
            let groupID = UInt32(parts[2]), let processID = Int32(parts[3])
        else { return nil }
        self.init(userID: userID, groupID: groupID, processID: processID)
    }
}
