import Consent
import MessageSchema
import Synchronization
import TestSupport
import Testing

@testable import Messaging

@Suite("What one caller can take", .timeLimit(.minutes(1)))
struct ShareTests {
    private func hangingCluster(_ configure: (inout ServerConfiguration) -> Void = { _ in }) async throws -> Cluster {
        let cluster = try Cluster(configure: configure)
        await cluster.server.register(Add.self) { request, _ in Add.Reply(sum: request.left + request.right) }
        await cluster.server.register(Hang.self) { _, _ in
            try await Task.sleep(for: .seconds(3_600))
            return Empty()
        }
        await cluster.server.registerWithAttachments(Echo.self) { _, _ in
            try await Task.sleep(for: .seconds(3_600))
            return Answer(Empty())
        }
        await cluster.server.registerStream(Count.self) { _, _, _ in Count.Summary(count: 0) }
        try await cluster.server.start()
        return cluster
    }

    private func waitForExchanges(_ count: Int, _ cluster: Cluster) async {
        while !Task.isCancelled, await cluster.server.statistics().exchanges < count { await Task.yield() }
    }

    @Test(arguments: ["test.hang", "test.count"])
    func `attachments of a request that takes none are refused, and not kept`(name: String) async throws {
        let cluster = try await hangingCluster()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"1","name":"\#(name)","credit":1}"#, attachments: [[1]])
        let answer = try #require(try await peer.answer())
        #expect(answer.header == #"{"kind":"error","id":"1"}"#)
        #expect(answer.body.contains("badMessage") && answer.body.contains(#""cause":"attachments""#), "\(answer.body)")
        #expect(await cluster.server.statistics().exchanges == 0)
    }

    @Test func `the requests of a user's programs have so many bytes together`() async throws {
        let cluster = try await hangingCluster { $0.requestBytesPerUser = 10_000 }
        let peer = try cluster.rawPeer()
        let part = [UInt8](repeating: 0, count: 4_000)
        for id in 1...3 {
            try await peer.send(#"{"kind":"request","id":"\#(id)","name":"test.echo"}"#, attachments: [part])
        }
        let answer = try #require(try await peer.answer())
        #expect(answer.header == #"{"kind":"error","id":"3"}"#)
        #expect(answer.body.contains("tooManyRequests"))
        try await peer.send(#"{"kind":"cancel","id":"1"}"#)
        #expect(try await peer.answer()?.body.contains("cancelled") == true)
        while await cluster.server.statistics().exchanges > 1 { try await turn() }
        try await peer.send(#"{"kind":"request","id":"4","name":"test.echo"}"#, attachments: [part])
        await waitForExchanges(2, cluster)
    }

    private func uploadCluster(opening gate: AsyncStream<Void>) async throws -> Cluster {
        let cluster = try Cluster()
        await cluster.server.registerUpload(Store.self) { _, _, source in
            for await _ in gate { break }
            var chunks = 0
            while try await source.next() != nil { chunks += 1 }
            return Store.Reply(bytes: 0, chunks: chunks)
        }
        try await cluster.server.start()
        return cluster
    }

    @Test func `a chunk for which there is no credit breaks a rule`() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let cluster = try await uploadCluster(opening: gate.stream)
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"early","name":"test.store"}"#)
        try await peer.send(#"{"kind":"item","id":"early","seq":0}"#, attachments: [[1]])
        let early = try #require(try await peer.answer())
        #expect(early.header == #"{"kind":"error","id":"early"}"#)
        #expect(early.body.contains("badMessage"))
        await cluster.waitUntilIdle()
    }

    @Test func `an upload gets no credit before its handler wants chunks`() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let cluster = try await uploadCluster(opening: gate.stream)
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"u","name":"test.store"}"#)
        #expect(try await peer.answer(within: 200) == nil)
        gate.continuation.yield()
        #expect(try await peer.answer()?.header == #"{"kind":"credit","id":"u","credit":8}"#)
    }

    @Test func `what a service asks for somebody leaves it free to ask for itself and for others`() async throws {
        let cluster = try await hangingCluster {
            $0.exchangesPerConnection = 6
            $0.exchangesPerUser = 6
            $0.exchangesPerDelegation = 4
        }
        let service = try cluster.client(as: .role(.capture, key: "c0ffee"))
        let greedy = CallOptions(onBehalfOf: Delegation(principal: .user(1), label: "greedy", grant: nil))
        let other = CallOptions(onBehalfOf: Delegation(principal: .user(2), label: "other", grant: nil))
        let waiting = (0..<4).map { _ in Task { await code { try await service.call(Hang(), greedy) } } }
        await waitForExchanges(4, cluster)
        #expect(await code { try await service.call(Hang(), greedy) } == "tooManyRequests")
        #expect(try await service.call(Add(left: 1, right: 2), other).sum == 3)
        // More than a program may have, on one connection.
        let own = (0..<8).map { _ in Task { await code { try await service.call(Hang()) } } }
        await waitForExchanges(12, cluster)
        #expect(try await service.call(Add(left: 3, right: 4)).sum == 7)
        // A program of the same user has its share all the same.
        #expect(try await cluster.client().call(Add(left: 5, right: 6)).sum == 11)
        for task in waiting + own { task.cancel() }
    }

    @Test func `programs leave room for what services ask for themselves`() async throws {
        let cluster = try await hangingCluster {
            $0.exchanges = 4
            $0.exchangesReserved = 2
        }
        let peer = try cluster.rawPeer()
        for id in 1...3 { try await peer.send(#"{"kind":"request","id":"\#(id)","name":"test.hang"}"#) }
        #expect(try await peer.answer()?.body.contains("tooManyRequests") == true)
        let service = try cluster.client(as: .role(.capture, key: "c0ffee"))
        #expect(try await service.call(Add(left: 1, right: 2)).sum == 3)
    }
}
