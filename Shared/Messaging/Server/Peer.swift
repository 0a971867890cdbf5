import Consent

/// A connection that has something open, confined to the server's loop.
final class Peer {
    let identity: PeerIdentity
    /// Exchanges whose final message is not out, by the client's identifier.
    var exchanges: [String: Exchange] = [:]
    /// Those, and the ones whose handlers still run.
    var openCount = 0
    var outbox = Outbox()
    /// Whether libzmq took no more for this peer when it was last tried.
    var isParked = false

    init(identity: PeerIdentity) { self.identity = identity }

    var isIdle: Bool { openCount == 0 && outbox.isEmpty && !isParked }
}
