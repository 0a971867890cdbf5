import MessageSchema
import Synchronization
import Testing

@testable import Messaging

@Suite("Uploads", .timeLimit(.minutes(1)))
struct UploadTests {
    /// Takes every chunk, or answers early after `limit` of them.
    private func storingCluster(
        liveness: Liveness.Intervals = Liveness.Intervals(),
        window: Int = 4
    ) async throws -> Cluster {
        let cluster = try Cluster(liveness: liveness, configure: { $0.uploadWindow = window })
        let ends = cluster.ends
        await cluster.server.registerUpload(Store.self) { request, call, source in
            var reply = Store.Reply(bytes: 0, chunks: 0)
            do {
                while let chunk = try await source.next() {
                    reply.bytes += chunk.count
                    reply.chunks += 1
                    if let limit = request.limit, reply.chunks == limit { throw ErrorReply(.diskFull, "full") }
                }
            } catch {
                ends.append(call.ended)
                throw error
            }
            #expect(await source.received == Int64(reply.bytes))
            return reply
        }
        try await cluster.server.start()
        return cluster
    }

    @Test(arguments: [0, 1, 5, 300])
    func `all chunks arrive`(count: Int) async throws {
        let cluster = try await storingCluster()
        let left = Mutex(count)
        let reply = try await cluster.client().upload(Store()) {
            left.withLock { left in
                guard left > 0 else { return nil }
                left -= 1
                return Attachment([UInt8](repeating: 7, count: 10_000))
            }
        }
        #expect(reply == Store.Reply(bytes: count * 10_000, chunks: count))
    }

    @Test func `an early error stops the upload`() async throws {
        let cluster = try await storingCluster()
        let client = try cluster.client()
        let given = Mutex(0)
        let result = await code {
            try await client.upload(Store(limit: 3)) {
                given.withLock { $0 += 1 }
                return Attachment([1, 2, 3])
            }
        }
        #expect(result == "diskFull")
        // Three were taken, and at most a window was on its way or given too late.
        #expect(given.withLock(\.self) <= 3 + 4 + 4)
    }

    @Test func `what the source throws cancels the upload and comes back`() async throws {
        struct Broken: Error {}
        let cluster = try await storingCluster()
        let client = try cluster.client()
        await #expect(throws: Broken.self) { try await client.upload(Store()) { throw Broken() } }
        await cluster.waitUntilIdle()
        #expect(cluster.ends.values == [.cancelled])
    }

    @Test func `a chunk that is too large is refused before it is sent`() async throws {
        let cluster = try await storingCluster()
        let client = try cluster.client()
        let chunk = Attachment([UInt8](repeating: 0, count: Limits.chunkBytes + 1))
        #expect(await code { try await client.upload(Store()) { chunk } } == "tooLarge")
    }

    @Test func `the client waits for credit`() async throws {
        let cluster = try Cluster(configure: { $0.uploadWindow = 2 })
        let gate = AsyncStream<Void>.makeStream()
        await cluster.server.registerUpload(Store.self) { _, _, source in
            // The first one gives the credit.
            var chunks = try await source.next() == nil ? 0 : 1
            for await _ in gate.stream { break }
            while try await source.next() != nil { chunks += 1 }
            return Store.Reply(bytes: 0, chunks: chunks)
        }
        try await cluster.server.start()
        let client = try cluster.client()
        let given = AsyncStream<Int>.makeStream()
        let left = Mutex(10)
        let uploading = Task {
            try await client.upload(Store()) {
                let number = left.withLock { left in
                    left -= 1
                    return left
                }
                given.continuation.yield(number)
                return number < 0 ? nil : Attachment([1])
            }
        }
        var numbers = given.stream.makeAsyncIterator()
        #expect(await numbers.next() == 9)
        #expect(await numbers.next() == 8)
        #expect(await numbers.next() == 7)
        for _ in 0..<100 { await Task.yield() }
        #expect(left.withLock(\.self) == 7)
        gate.continuation.yield()
        #expect(try await uploading.value.chunks == 10)
    }

    @Test(arguments: [
        (#"{"kind":"item","id":"u","seq":1}"#, 1), (#"{"kind":"item","id":"u"}"#, 1),
        (#"{"kind":"item","id":"u","seq":0}"#, 0), (#"{"kind":"item","id":"u","seq":0}"#, 2),
    ])
    func `an item out of order, or without its one chunk, ends the upload`(header: String, chunks: Int) async throws {
        let cluster = try await storingCluster()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"u","name":"test.store"}"#)
        #expect(try await peer.answer()?.header == #"{"kind":"credit","id":"u","credit":4}"#)
        try await peer.send(header, attachments: [[UInt8]](repeating: [1], count: chunks))
        let answer = try #require(try await peer.answer())
        #expect(answer.header == #"{"kind":"error","id":"u"}"#)
        #expect(answer.body.contains("badMessage"))
    }

    @Test func `chunks beyond credit end the upload`() async throws {
        let cluster = try Cluster(configure: { $0.uploadWindow = 2 })
        await cluster.server.registerUpload(Store.self) { _, _, source in
            _ = try await source.next()
            try await Task.sleep(for: .seconds(3_600))
            return Store.Reply(bytes: 0, chunks: 0)
        }
        try await cluster.server.start()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"u","name":"test.store"}"#)
        #expect(try await peer.answer()?.header == #"{"kind":"credit","id":"u","credit":2}"#)
        try await peer.send(#"{"kind":"item","id":"u","seq":0}"#, attachments: [[1]])
        // One was taken, and is allowed anew.
        #expect(try await peer.answer()?.header == #"{"kind":"credit","id":"u","credit":1}"#)
        for number in 1..<4 { try await peer.send(#"{"kind":"item","id":"u","seq":\#(number)}"#, attachments: [[1]]) }
        #expect(try await peer.answer()?.body.contains("badMessage") == true)
    }

    @Test func `an uploader that dies ends its handler`() async throws {
        let cluster = try await storingCluster(liveness: .quick)
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"u","name":"test.store"}"#)
        _ = try await peer.answer()
        try await peer.send(#"{"kind":"item","id":"u","seq":0}"#, attachments: [[1]])
        await peer.close()
        await cluster.waitUntilIdle()
        let reason = try #require(cluster.ends.values.first)
        #expect(reason == .holderSilent || reason == .peerGone)
    }
}
