import EventLoop
import MessageSchema
import Synchronization
import TestSupport
import Testing

@testable import Messaging

@Suite("Streams", .timeLimit(.minutes(1)))
struct StreamTests {
    /// Counts to the number that is asked for, or for ever.
    private func countingCluster(
        liveness: Liveness.Intervals = Liveness.Intervals()
    ) async throws -> Cluster {
        let cluster = try Cluster(liveness: liveness)
        let ends = cluster.ends
        await cluster.server.registerStream(Count.self) { request, call, sink in
            do {
                var number = 0
                while request.to < 0 || number < request.to {
                    try await sink.send(
                        Count.Item(number: number),
                        attachments: [Attachment([UInt8(truncatingIfNeeded: number)])]
                    )
                    number += 1
                }
                return Count.Summary(count: number)
            } catch {
                ends.append(call.ended)
                throw error
            }
        }
        await cluster.server.registerStream(LiveCount.self) { request, _, sink in
            for number in 0..<request.to { try await sink.send(Count.Item(number: number)) }
            return Count.Summary(count: request.to)
        }
        try await cluster.server.start()
        return cluster
    }

    @Test func `a live stream is two items ahead at most, whatever its receiver allows`() async throws {
        let cluster = try await countingCluster()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"s","name":"test.live","credit":16}"#, #"{"to":5}"#)
        for number in 0..<2 {
            #expect(try await peer.answer()?.header == #"{"kind":"item","id":"s","seq":\#(number)}"#)
        }
        // A reply to something else shows that no third item was sent before it.
        try await peer.send(#"{"kind":"request","id":"x","name":"test.unknown"}"#)
        #expect(try await peer.answer()?.header == #"{"kind":"error","id":"x"}"#)
        let stream = try await cluster.client().stream(LiveCount(to: 40), window: 16)
        var count = 0
        for try await item in stream {
            #expect(item.value.number == count)
            count += 1
        }
        #expect(count == 40, "the client gives credit as the server counts it")
    }

    @Test(arguments: [0, 1, 2, 17, 1_000])
    func `items come in order, with their attachments, and then the summary`(count: Int) async throws {
        let cluster = try await countingCluster()
        let stream = try await cluster.client().stream(Count(to: count))
        var number = 0
        for try await item in stream {
            #expect(item.value.number == number)
            #expect(item.sequence == Int64(number))
            #expect(item.attachments.map(\.bytes) == [[UInt8(truncatingIfNeeded: number)]])
            number += 1
        }
        #expect(number == count)
        #expect(stream.summary == Count.Summary(count: count))
        #expect(try await stream.next() == nil)
        #expect(await cluster.server.statistics().exchanges == 0)
    }

    @Test func `nothing is sent beyond credit`() async throws {
        let cluster = try await countingCluster()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"s","name":"test.count","credit":2}"#, #"{"to":5}"#)
        #expect(try await peer.answer()?.header == #"{"kind":"item","id":"s","seq":0}"#)
        #expect(try await peer.answer()?.header == #"{"kind":"item","id":"s","seq":1}"#)
        // A reply to something else shows that no third item was sent before it.
        try await peer.send(#"{"kind":"request","id":"x","name":"test.unknown"}"#)
        #expect(try await peer.answer()?.header == #"{"kind":"error","id":"x"}"#)
        try await peer.send(#"{"kind":"credit","id":"s","credit":10}"#)
        for number in 2..<5 {
            #expect(try await peer.answer()?.header == #"{"kind":"item","id":"s","seq":\#(number)}"#)
        }
        let end = try #require(try await peer.answer())
        #expect(end.header == #"{"kind":"end","id":"s","seq":5}"#)
        #expect(end.body == #"{"count":5}"#)
    }

    @Test func `a slow client bounds what is sent to it`() async throws {
        let cluster = try await countingCluster()
        let stream = try await cluster.client().stream(Count(to: -1), window: 4)
        for _ in 0..<10 { _ = try await stream.next() }
        for _ in 0..<100 { await Task.yield() }
        #expect(await cluster.server.statistics().items <= 14)
        await stream.cancel()
    }

    @Test func `cancelling a stream cancels its handler`() async throws {
        let cluster = try await countingCluster()
        let stream = try await cluster.client().stream(Count(to: -1))
        _ = try await stream.next()
        await stream.cancel()
        await cluster.waitUntilIdle()
        #expect(cluster.ends.values == [.cancelled])
    }

    @Test func `dropping a stream cancels its handler`() async throws {
        let cluster = try await countingCluster()
        let client = try cluster.client()
        do {
            let stream = try await client.stream(Count(to: -1))
            _ = try await stream.next()
        }
        await cluster.waitUntilIdle()
        #expect(cluster.ends.values == [.cancelled])
    }

    @Test func `cancelling the reading task cancels the handler`() async throws {
        let cluster = try await countingCluster()
        let stream = try await cluster.client().stream(Count(to: 3), window: 2)
        let reading = Task { await code { while try await stream.next() != nil {} } }
        _ = await reading.value
        let endless = try await cluster.client().stream(Count(to: -1), window: 2)
        let second = Task { await code { while try await endless.next() != nil {} } }
        while await cluster.server.statistics().items < 10 { try await turn() }
        second.cancel()
        #expect(await second.value == "cancelled")
        await cluster.waitUntilIdle()
    }

    @Test func `a holder that shows no life loses its work`() async throws {
        let cluster = try await countingCluster(liveness: .quick)
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"s","name":"test.count","credit":1}"#, #"{"to":5}"#)
        #expect(try await peer.answer()?.header == #"{"kind":"item","id":"s","seq":0}"#)
        let end = try #require(try await peer.answer())
        #expect(end.header == #"{"kind":"error","id":"s"}"#)
        #expect(end.body.contains("holderSilent"))
        await cluster.waitUntilIdle()
        #expect(cluster.ends.values == [.holderSilent])
    }

    @Test func `a holder that pings keeps its work, and hears pings`() async throws {
        let cluster = try await countingCluster(liveness: .quick)
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"s","name":"test.count","credit":1}"#, #"{"to":2}"#)
        var pings = 0
        while pings < 10 {
            let frames = try #require(try await peer.receive())
            let header = String(decoding: frames[1], as: UTF8.self)
            try #require(!header.contains("error"))
            if header.contains("ping") {
                pings += 1
                try await peer.send(#"{"kind":"ping","id":"s"}"#)
            }
        }
        try await peer.send(#"{"kind":"credit","id":"s","credit":1}"#)
        #expect(try await peer.answer()?.header == #"{"kind":"item","id":"s","seq":1}"#)
        #expect(try await peer.answer()?.header == #"{"kind":"end","id":"s","seq":2}"#)
    }

    @Test func `a killed holder loses its work`() async throws {
        let cluster = try await countingCluster(liveness: .quick)
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"s","name":"test.count","credit":1}"#, #"{"to":5}"#)
        _ = try await peer.answer()
        await peer.close()
        await cluster.waitUntilIdle()
        let reason = try #require(cluster.ends.values.first)
        #expect(reason == .holderSilent || reason == .peerGone)
    }

    @Test func `an idle stream lives on while both sides ping`() async throws {
        let cluster = try Cluster(liveness: .quick)
        let gate = AsyncStream<Void>.makeStream()
        await cluster.server.registerStream(Count.self) { _, _, sink in
            for await _ in gate.stream { break }
            try await sink.send(Count.Item(number: 1))
            return Count.Summary(count: 1)
        }
        try await cluster.server.start()
        let stream = try await cluster.client().stream(Count(to: 1))
        let reading = Task { try await stream.next()?.value.number }
        // Twice the silence that would end it.
        let ticks = cluster.liveness.ticksOfSilence * 2
        try await Task.sleep(for: cluster.liveness.tick * ticks)
        gate.continuation.yield()
        #expect(try await reading.value == 1)
        #expect(try await stream.next() == nil)
    }

    @Test func `a silent service is noticed`() async throws {
        // Answers nothing at all: a router that nobody reads.
        let directory = try Cluster.makeDirectory()
        let endpoint = ServiceEndpoint(service: "deaf", runtimeDirectory: directory)
        let deaf = try RawRouter(endpoint.programs)
        var configuration = ClientConfiguration()
        configuration.liveness = .quick
        let client = try MessageClient(
            endpoint,
            context: MessagingContext(),
            loop: .init(name: "client"),
            configuration: configuration
        )
        let stream = try await client.stream(Count(to: 1))
        #expect(await code { try await stream.next() } == "serverSilent")
        deaf.close()
    }

    @Test func `a gate that closes lets nothing more out`() async throws {
        let cluster = try Cluster()
        let gate = Gate()
        await cluster.server.registerStream(Count.self) { request, _, sink in
            for number in 0..<request.to {
                try await sink.send(Count.Item(number: number)) {
                    if !gate.isOpen.load(ordering: .acquiring) { throw ErrorReply(.revoked, "revoked") }
                }
            }
            return Count.Summary(count: request.to)
        }
        try await cluster.server.start()
        let stream = try await cluster.client().stream(Count(to: 1_000), window: 1)
        #expect(try await stream.next()?.value.number == 0)
        gate.isOpen.store(false, ordering: .releasing)
        // One item may have been on its way.
        var more = 0
        #expect(await code { while try await stream.next() != nil { more += 1 } } == "revoked")
        #expect(more <= 1)
    }

    @Test func `offer drops what nobody wants now`() async throws {
        let cluster = try Cluster()
        await cluster.server.registerStream(Count.self) { request, _, sink in
            var sent = 0
            for number in 0..<request.to where try await sink.offer(Count.Item(number: number)) { sent += 1 }
            return Count.Summary(count: sent)
        }
        try await cluster.server.start()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"s","name":"test.count","credit":2}"#, #"{"to":10}"#)
        for _ in 0..<2 { _ = try await peer.answer() }
        #expect(try await peer.answer()?.body == #"{"count":2}"#)
    }

    @Test func `a peer that takes nothing is parked alone`() async throws {
        let cluster = try await countingCluster()
        let peer = try cluster.rawPeer(receiveLimit: 1)
        // More than the sockets hold: the rest waits in the handler.
        try await peer.send(#"{"kind":"request","id":"s","name":"test.count","credit":1024}"#, #"{"to":-1}"#)
        while await cluster.server.statistics().items < 2 { try await turn() }
        let stream = try await cluster.client().stream(Count(to: 500))
        var count = 0
        while try await stream.next() != nil { count += 1 }
        #expect(count == 500)
        await peer.close()
    }

    @Test func `draining ends streams with their reason`() async throws {
        let cluster = try await countingCluster()
        let stream = try await cluster.client().stream(Count(to: -1))
        _ = try await stream.next()
        await cluster.server.drain(within: .seconds(60))
        #expect(await code { while try await stream.next() != nil {} } == "shuttingDown")
        #expect(cluster.ends.values == [.shuttingDown])
    }

    @Test func `losing the service ends a stream`() async throws {
        let cluster = try await countingCluster()
        let stream = try await cluster.client().stream(Count(to: -1), window: 2)
        _ = try await stream.next()
        await cluster.server.stop()
        let end = await code { while try await stream.next() != nil {} }
        #expect(end == "serviceUnavailable" || end == "shuttingDown")
    }
}

private final class Gate: Sendable {
    let isOpen = Atomic(true)
}
