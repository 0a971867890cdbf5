import Consent

/// Who has how much open, so that nobody takes what others need; confined to the server's loop.
///
/// A program counts with its user. A service has one connection for all that it does: what it asks on behalf of somebody
/// counts with that principal alone, and what it asks for itself does not count, or a program could silence the service.
struct ServerShares {
    /// Whose share an exchange is of.
    enum Owner: Hashable {
        case user(UInt32)
        case delegation(ConnectionID, Principal)
        case service

        init(_ connection: ConnectionID, _ identity: PeerIdentity, onBehalfOf principal: Principal?) {
            switch (connection.door, principal) {
            case (.programs, _): self = .user(identity.userID)
            case (.roles, let principal?): self = .delegation(connection, principal)
            case (.roles, nil): self = .service
            }
        }
    }

    private struct Share {
        var exchanges = 0
        var bytes = 0
    }

    private var shares: [Owner: Share] = [:]

    /// How many exchanges are open.
    func exchanges(of owner: Owner) -> Int { shares[owner]?.exchanges ?? 0 }

    /// How many bytes the requests have that are being worked on.
    func bytes(of owner: Owner) -> Int { shares[owner]?.bytes ?? 0 }

    mutating func open(_ owner: Owner, bytes: Int) {
        shares[owner, default: Share()].exchanges += 1
        shares[owner, default: Share()].bytes += bytes
    }

    mutating func close(_ owner: Owner, bytes: Int) {
        guard var share = shares[owner] else { return }
        share.exchanges -= 1
        share.bytes -= bytes
        shares[owner] = share.exchanges > 0 ? share : nil
    }
}
