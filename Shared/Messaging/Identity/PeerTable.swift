import Consent

/// The short name of a proven identity; libzmq attaches it to every message of the connection as its `User-Id`.
struct PeerToken: Hashable, Sendable {
    let number: UInt64

    init(number: UInt64) { self.number = number }

    init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "p"), let number = UInt64(text.dropFirst()) else { return nil }
        self.number = number
    }

    var text: String { "p\(number)" }
}

/// The identities of the connections of one server, bounded.
///
/// The same process as the same principal and role keeps its token however often it connects, and under whatever label:
/// a process can write its own, so it would get an entry for each. libzmq does not tell when a connection ends, so an
/// entry lives as long as its process.
struct PeerTable {
    /// Why there is no room.
    enum Refusal: Error { case full, tooManyOfUser }

    private struct Key: Hashable {
        let processID: Int32
        let startTime: UInt64
        let userID: UInt32
        let role: Role?
        let principal: Principal

        init(_ identity: PeerIdentity) {
            processID = identity.processID
            startTime = identity.startTime
            userID = identity.userID
            role = identity.role
            principal = identity.principal
        }
    }

    private let capacity: Int
    private let capacityPerUser: Int
    private var identities: [PeerToken: PeerIdentity] = [:]
    private var tokens: [Key: PeerToken] = [:]
    private var countByUser: [UInt32: Int] = [:]
    private var lastNumber: UInt64 = 0

    init(capacity: Int = 4_096, capacityPerUser: Int = 1_024) {
        self.capacity = capacity
        self.capacityPerUser = capacityPerUser
    }

    var count: Int { identities.count }

    subscript(token: PeerToken) -> PeerIdentity? { identities[token] }

    /// The token of an identity, a new one if it has none yet; what is known by the token is the identity as it is now.
    ///
    /// - Parameters:
    ///   - identity: What was proven.
    ///   - isAlive: Whether a process still runs; asked only when there is no room.
    /// - Returns: The token.
    /// - Throws: ``Refusal`` when living processes take all the room.
    mutating func token(
        for identity: PeerIdentity,
        isAlive: (PeerIdentity) -> Bool
    ) throws(Refusal) -> PeerToken {
        if let token = tokens[Key(identity)] {
            identities[token] = identity
            return token
        }
        if !hasRoom(for: identity.userID) { removeDead(isAlive) }
        guard identities.count < capacity else { throw .full }
        guard countByUser[identity.userID, default: 0] < capacityPerUser else { throw .tooManyOfUser }
        lastNumber += 1
        let token = PeerToken(number: lastNumber)
        identities[token] = identity
        tokens[Key(identity)] = token
        countByUser[identity.userID, default: 0] += 1
        return token
    }

    /// Forgets the identities of processes that are gone.
    mutating func removeDead(_ isAlive: (PeerIdentity) -> Bool) {
        for (token, identity) in identities where !isAlive(identity) {
            identities[token] = nil
            tokens[Key(identity)] = nil
            countByUser[identity.userID, default: 1] -= 1
            if countByUser[identity.userID] == 0 { countByUser[identity.userID] = nil }
        }
    }

    private func hasRoom(for userID: UInt32) -> Bool {
        identities.count < capacity && countByUser[userID, default: 0] < capacityPerUser
    }
}
