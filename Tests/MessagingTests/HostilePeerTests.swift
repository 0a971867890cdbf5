import Glibc
import MessageSchema
import TestSupport
import Testing

@testable import Messaging

@Suite("Hostile peers", .timeLimit(.minutes(1)))
struct HostilePeerTests {
    private func addingCluster() async throws -> Cluster {
        let cluster = try Cluster()
        await cluster.server.register(Add.self) { request, _ in Add.Reply(sum: request.left + request.right) }
        await cluster.server.register(Hang.self) { _, _ in
            try await Task.sleep(for: .seconds(3_600))
            return Empty()
        }
        try await cluster.server.start()
        return cluster
    }

    /// Whatever happened before: somebody else is served.
    private func expectService(_ cluster: Cluster) async throws {
        #expect(try await cluster.client().call(Add(left: 20, right: 22)).sum == 42)
    }

    @Test(arguments: ["me", "\u{1}\u{2}\u{3}\u{4}\u{5}", "library"])
    func `a chosen routing id is refused`(routingID: String) async throws {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer(routingID: routingID)
        try await peer.send(#"{"kind":"request","id":"1","name":"test.add"}"#, #"{"left":1,"right":2}"#)
        let answer = try #require(try await peer.answer())
        #expect(answer.header == #"{"kind":"error","id":"1"}"#)
        #expect(answer.body.contains("badMessage") && answer.body.contains("routingID"))
        try await expectService(cluster)
    }

    @Test func `squatting another's routing id silences the squatter alone`() async throws {
        let cluster = try await addingCluster()
        let first = try cluster.rawPeer(routingID: "twin")
        try await first.send(#"{"kind":"request","id":"1","name":"test.add"}"#)
        _ = try await first.answer()
        let second = try cluster.rawPeer(routingID: "twin")
        try await second.send(#"{"kind":"request","id":"1","name":"test.add"}"#)
        #expect(try await second.answer(within: 300) == nil)
        try await expectService(cluster)
    }

    @Test func `half a message holds up nobody`() async throws {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer()
        try await peer.send(
            [Array("OBS1".utf8), Array(#"{"kind":"request","id":"1","name":"test.add"}"#.utf8)],
            isWhole: false
        )
        try await expectService(cluster)
        await peer.close()
        try await expectService(cluster)
    }

    @Test(arguments: [
        [[UInt8]](), [[]], [[0]], [Array("OBS1".utf8)], [Array("OBS2".utf8), Array("{}".utf8), Array("{}".utf8)],
        [Array("OBS1".utf8), []], [Array("OBS1".utf8), [0xFF, 0xFE]], [Array("OBS1".utf8), Array("{".utf8)],
        [Array("OBS1".utf8), Array("null".utf8)], [Array("OBS1".utf8), Array(#"{"kind":"request"}"#.utf8)],
        [Array("OBS1".utf8), Array(#"{"id":"","kind":"request","name":"x"}"#.utf8)],
    ])
    func `garbage without an id is dropped and counted`(frames: [[UInt8]]) async throws {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer()
        // An empty message is one empty frame.
        try await peer.send(frames.isEmpty ? [[]] : frames)
        try await peer.send(#"{"kind":"request","id":"2","name":"test.add"}"#, #"{"left":1,"right":2}"#)
        #expect(try await peer.answer()?.header == #"{"kind":"reply","id":"2"}"#)
        let statistics = await cluster.server.statistics()
        #expect(statistics.dropped == 1)
        #expect(statistics.malformed == 1)
    }

    @Test(arguments: [
        (#"{"id":"1","kind":"conquer"}"#, "unknownKind"), (#"{"id":"1"}"#, "missingField"),
        (#"{"id":"1","kind":"request"}"#, "missingField"), (#"{"id":"1","kind":"request","name":7}"#, "notJSON"),
        (#"{"id":"1","kind":"request","name":"test.add","credit":-1}"#, "badField"),
        (#"{"id":"1","kind":"request","name":"test.add","deadline":1.5}"#, "badField"),
        (#"{"id":"1","kind":"request","name":"test.add","deadline":99999999999999999999}"#, "badField"),
        (#"{"id":"1","kind":"request","name":"test.add","onBehalfOf":{"principal":"root"}}"#, "badField"),
        (#"{"kind":"request","name":"test.add","onBehalfOf":{"principal":"root"},"id":"1"}"#, "badField"),
        (#"{"kind":"request","name":["test.add"],"deadline":"soon","id":"1"}"#, "notJSON"),
        (#"{"id":"1","kind":"request","name":"test.add"} trailing"#, "notJSON"),
    ])
    func `a header that breaks a rule is answered where its id can be read`(header: String, cause: String) async throws
    {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer()
        try await peer.send(header)
        let answer = try #require(try await peer.answer())
        #expect(answer.header == #"{"kind":"error","id":"1"}"#)
        #expect(answer.body.contains("badMessage") && answer.body.contains(cause), "\(answer.body)")
        try await expectService(cluster)
    }

    @Test func `JSON a thousand levels deep is refused, in the header and in the body`() async throws {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer()
        let deep = String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000)
        try await peer.send(#"{"id":"1","kind":"request","name":"test.add","extra":\#(deep)}"#)
        let first = try #require(try await peer.answer())
        #expect(first.header.contains(#""id":"1""#) && first.body.contains("tooDeep"))
        try await peer.send(
            #"{"id":"2","kind":"request","name":"test.add"}"#,
            #"{"left":1,"right":2,"extra":\#(deep)}"#
        )
        let second = try #require(try await peer.answer())
        #expect(second.header.contains(#""id":"2""#) && second.body.contains("tooDeep"))
        try await expectService(cluster)
    }

    @Test func `what is too large is refused`() async throws {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer()
        let header = #"{"id":"1","kind":"request","name":"test.add"}"#
        try await peer.send(header, String(repeating: " ", count: Limits.bodyBytes + 1))
        #expect(try await peer.answer()?.body.contains("tooLarge") == true)
        try await peer.send(header, "{}", attachments: [[UInt8]](repeating: [1], count: Limits.frames - 2))
        #expect(try await peer.answer()?.body.contains("tooManyFrames") == true)
        // Beyond ZMQ_MAXMSGSIZE libzmq ends the connection, and the peer's next one is a new one.
        try await peer.send(header, "{}", attachments: [[UInt8](repeating: 0, count: Limits.frameBytes + 1)])
        try await expectService(cluster)
    }

    @Test func `a second exchange with the same id is refused, and the first goes on`() async throws {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"1","name":"test.hang"}"#)
        try await peer.send(#"{"kind":"request","id":"1","name":"test.add"}"#, #"{"left":1,"right":2}"#)
        #expect(try await peer.answer()?.body.contains("badMessage") == true)
        #expect(await cluster.server.statistics().exchanges == 1)
        try await peer.send(#"{"kind":"cancel","id":"1"}"#)
        #expect(try await peer.answer()?.body.contains("cancelled") == true)
    }

    @Test(arguments: ["reply", "end", "item"])
    func `a kind that does not belong to the exchange ends it`(kind: String) async throws {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"1","name":"test.hang"}"#)
        try await peer.send(#"{"kind":"\#(kind)","id":"1"}"#)
        #expect(try await peer.answer()?.body.contains("badMessage") == true)
        await cluster.waitUntilIdle()
    }

    @Test func `a purpose that is too long is refused`() async throws {
        let cluster = try await addingCluster()
        let client = try cluster.client()
        let purpose = String(repeating: "x", count: Limits.purposeCharacters + 1)
        #expect(
            await code { try await client.call(Add(left: 1, right: 1), CallOptions(purpose: purpose)) } == "tooLarge"
        )
    }

    @Test func `a peer that asks a thousand times before it reads gets every answer`() async throws {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer(receiveLimit: 1)
        for number in 0..<1_000 {
            try await peer.send(#"{"kind":"request","id":"\#(number)","name":"test.add"}"#, #"{"left":1,"right":2}"#)
        }
        var ids: Set<String> = []
        while ids.count < 1_000 {
            let answer = try #require(try await peer.answer())
            ids.insert(answer.header)
        }
        try await expectService(cluster)
    }

    @Test func `a peer that takes no answers is let go when its outbox is full`() async throws {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer(receiveLimit: 1)
        // Each answer is an error with a long id; the peer reads none of them.
        let id = String(repeating: "i", count: 64)
        for _ in 0..<20_000 { try await peer.send(#"{"kind":"request","id":"\#(id)","name":"x"}"#) }
        try await expectService(cluster)
        await peer.close()
        while await cluster.server.statistics().connections > 0 { try await turn() }
    }
}
