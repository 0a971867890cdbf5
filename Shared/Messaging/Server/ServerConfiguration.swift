private import MessageSchema

/// How a server listens and what it bears.
package struct ServerConfiguration: Sendable {
    package var endpoint: ServiceEndpoint
    package var identity: IdentityRules
    package var liveness = Liveness.Intervals()
    /// What a request without a deadline gets; streams and uploads without one have none.
    package var defaultDeadline: Duration = .seconds(60)
    /// How many chunks a client may upload ahead.
    package var uploadWindow = 8
    /// Exchanges of programs: of one connection, and of one user.
    package var exchangesPerConnection = Limits.openExchanges
    package var exchangesPerUser = Limits.openExchangesOfUser
    /// Exchanges that one service has open on behalf of one principal; what it asks for itself is not counted.
    package var exchangesPerDelegation = 32
    /// Exchanges of all, and how many of them are kept for what services ask for themselves.
    package var exchanges = 4_096
    package var exchangesReserved = 512
    /// Bytes of requests that are being worked on, of all programs of one user.
    package var requestBytesPerUser = 64 << 20
    /// How often to look whether a peer that was too slow takes messages again.
    package var retryInterval: Duration = .milliseconds(5)
    /// How long libzmq may try to send the last answers when the server has drained.
    package var linger: Duration = .milliseconds(200)
    /// How often a peer that breaks rules is logged, at most.
    package var complaintInterval: Duration = .seconds(10)
    /// How long the server waits at start for an answer from its own authentication.
    package var selfCheckLimit: Duration = .seconds(5)

    package init(endpoint: ServiceEndpoint, identity: IdentityRules) {
        self.endpoint = endpoint
        self.identity = identity
    }
}

/// What a server has done since it started.
package struct ServerStatistics: Hashable, Sendable {
    /// Connections with open exchanges or parked messages, now.
    package var connections = 0
    /// Exchanges that are open, and handlers that still run, now.
    package var exchanges = 0
    package var identities = 0
    package var requests = 0
    package var replies = 0
    package var errors = 0
    package var items = 0
    /// Connections that authentication refused.
    package var refusedConnections = 0
    /// Messages that were dropped because they could not be answered.
    package var dropped = 0
    /// Messages that broke a rule of the wire.
    package var malformed = 0
    /// Times that a peer was too slow.
    package var parked = 0
}
