package import Consent
package import Hashing
private import Synchronization
private import Timekeeping

/// What a key is bound to: the same key of another program, or for another request, is another key.
package struct IdempotencyScope: Hashable, Sendable {
    package let principal: Principal
    package let name: String
    package let key: String

    package init(principal: Principal, name: String, key: String) {
        self.principal = principal
        self.name = name
        self.key = key
    }
}

/// The reply that a request with a key has got.
package struct StoredReply: Hashable, Sendable {
    /// The hash of the request it belongs to.
    package let requestHash: SHA256Digest
    /// The reply's body.
    package let body: [UInt8]

    package init(requestHash: SHA256Digest, body: [UInt8]) {
        self.requestHash = requestHash
        self.body = body
    }
}

/// Remembers replies for 24 hours, so that repeating a request has its effect once.
///
/// A service with a database keeps the reply in the transaction of the effect: its `store` does nothing then.
package protocol IdempotencyStore: Sendable {
    /// The reply that was given, if there is one.
    func reply(for scope: IdempotencyScope) async throws -> StoredReply?
    /// Remembers a reply; called after the effect and before the reply is sent.
    func store(_ reply: StoredReply, for scope: IdempotencyScope) async throws
}

/// Remembers replies in memory, bounded, for services whose effects do not outlive them.
package final class MemoryIdempotencyStore: IdempotencyStore {
    private struct State {
        var replies: [IdempotencyScope: (reply: StoredReply, expires: BootInstant)] = [:]
        // Oldest first; each scope once.
        var order: [IdempotencyScope] = []
    }

    private let capacity: Int
    private let lifetime: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: When there are more, the oldest is forgotten before its time.
    ///   - lifetime: How long a reply is remembered.
    package init(capacity: Int = 4_096, lifetime: Duration = .seconds(24 * 3_600)) {
        self.capacity = capacity
        self.lifetime = lifetime
    }

    package func reply(for scope: IdempotencyScope) async throws -> StoredReply? {
        state.withLock { state in
            guard let entry = state.replies[scope], entry.expires > BootInstant.now() else { return nil }
            return entry.reply
        }
    }

    package func store(_ reply: StoredReply, for scope: IdempotencyScope) async throws {
        state.withLock { state in
            if state.replies.updateValue((reply, .now() + lifetime), forKey: scope) != nil {
                state.order.removeAll { $0 == scope }
            }
            state.order.append(scope)
            if state.order.count > capacity { state.replies[state.order.removeFirst()] = nil }
        }
    }
}
