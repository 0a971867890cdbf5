import Consent
import Hashing
import MessageSchema
import Synchronization
import TestSupport
import Testing

@testable import Messaging

@Suite("Idempotency keys", .timeLimit(.minutes(1)))
struct IdempotencyTests {
    private final class Effects: Sendable {
        let count = Mutex(0)
        let gate = AsyncStream<Void>.makeStream()
    }

    /// Each effect gives another number; a sum of 13 fails, one of 99 waits.
    private func cluster(_ effects: Effects) async throws -> Cluster {
        let cluster = try Cluster()
        await cluster.server.register(Add.self, remembersReplies: true) { request, _ in
            let number = effects.count.withLock { count in
                count += 1
                return count
            }
            if request.left + request.right == 13 { throw ErrorReply(.diskFull, "full") }
            if request.left + request.right == 99 { for await _ in effects.gate.stream { break } }
            return Add.Reply(sum: number)
        }
        await cluster.server.register(Hang.self) { _, _ in
            effects.count.withLock { $0 += 1 }
            return Empty()
        }
        try await cluster.server.start()
        return cluster
    }

    private let keyed = CallOptions(idempotencyKey: "k")

    @Test func `repeating has the effect once and gives the same reply`() async throws {
        let effects = Effects()
        let cluster = try await cluster(effects)
        #expect(try await cluster.client().call(Add(left: 1, right: 2), keyed).sum == 1)
        // From another connection, as after a reconnect.
        #expect(try await cluster.client().call(Add(left: 1, right: 2), keyed).sum == 1)
        #expect(effects.count.withLock(\.self) == 1)
        #expect(try await cluster.client().call(Add(left: 1, right: 2), CallOptions(idempotencyKey: "other")).sum == 2)
        #expect(try await cluster.client().call(Add(left: 1, right: 2)).sum == 3)
    }

    @Test func `what remembers no replies is asked each time, and gets the key`() async throws {
        let effects = Effects()
        let cluster = try await cluster(effects)
        let client = try cluster.client()
        for _ in 0..<2 { _ = try await client.call(Hang(), keyed) }
        #expect(effects.count.withLock(\.self) == 2)
    }

    @Test func `the same key for another request is a conflict`() async throws {
        let effects = Effects()
        let cluster = try await cluster(effects)
        let client = try cluster.client()
        _ = try await client.call(Add(left: 1, right: 2), keyed)
        #expect(await code { try await client.call(Add(left: 2, right: 1), keyed) } == "idempotencyConflict")
    }

    @Test func `keys of different principals are different keys`() async throws {
        let effects = Effects()
        let cluster = try await cluster(effects)
        let capture = try cluster.client(as: .role(.capture, key: "c0ffee"))
        for user in [UInt32(1), 2] {
            var options = keyed
            options.onBehalfOf = Delegation(principal: .user(user))
            #expect(try await capture.call(Add(left: 1, right: 2), options).sum == Int(user))
        }
    }

    @Test func `an error is not remembered`() async throws {
        let effects = Effects()
        let cluster = try await cluster(effects)
        let client = try cluster.client()
        for _ in 0..<2 { #expect(await code { try await client.call(Add(left: 6, right: 7), keyed) } == "diskFull") }
        #expect(effects.count.withLock(\.self) == 2)
    }

    @Test func `a repetition waits for the first to finish`() async throws {
        let effects = Effects()
        let cluster = try await cluster(effects)
        let client = try cluster.client()
        async let first = client.call(Add(left: 90, right: 9), keyed)
        async let second = client.call(Add(left: 90, right: 9), keyed)
        while await cluster.server.statistics().exchanges < 2 { try await turn() }
        effects.gate.continuation.yield()
        #expect(try await [first.sum, second.sum] == [1, 1])
        #expect(effects.count.withLock(\.self) == 1)
    }

    @Test func `the store in memory is bounded and forgets in time`() async throws {
        func scope(_ number: Int) -> IdempotencyScope {
            IdempotencyScope(principal: .user(1), name: "n", key: "\(number)")
        }
        let reply = StoredReply(requestHash: SHA256Digest(hashing: "r"), body: [1])
        let store = MemoryIdempotencyStore(capacity: 2)
        for number in 0..<3 { try await store.store(reply, for: scope(number)) }
        #expect(try await store.reply(for: scope(0)) == nil)
        #expect(try await store.reply(for: scope(1)) == reply)
        #expect(try await store.reply(for: scope(2)) == reply)
        let brief = MemoryIdempotencyStore(lifetime: .zero)
        try await brief.store(reply, for: scope(1))
        #expect(try await brief.reply(for: scope(1)) == nil)
    }
}
