import Consent
import EventLoop
import Glibc
import MessageSchema
import TestSupport
import Testing
import Timekeeping

@testable import Messaging

/// A loop that waits must wait in the kernel, whatever the connection is in.
@Suite("What waiting costs", .timeLimit(.minutes(1)))
struct IdleTests {
    @Test func `a client that is connected and has nothing to do`() async throws {
        let cluster = try await addingCluster()
        let (client, meter) = try measuredClient(cluster)
        #expect(try await client.call(Add(left: 1, right: 1)).sum == 2)
        #expect(try await meter.share() < Meter.limit)
        #expect(try await Meter(loop: cluster.loop).share() < Meter.limit)
    }

    @Test func `a client whose service is not there`() async throws {
        let cluster = try Cluster()
        let (client, meter) = try measuredClient(cluster)
        let calling = Task { await code { try await client.call(Add(left: 1, right: 1)) } }
        #expect(try await meter.share() < Meter.limit)
        calling.cancel()
        #expect(await calling.value == "cancelled")
    }

    @Test func `a client whose service has gone while it waited`() async throws {
        let cluster = try await addingCluster()
        let (client, meter) = try measuredClient(cluster)
        let calling = Task { await code { try await client.call(Hang()) } }
        while await cluster.server.statistics().exchanges == 0 { try await turn() }
        await cluster.server.stop()
        _ = await calling.value
        #expect(try await meter.share() < Meter.limit)
        let next = Task { await code { try await client.call(Hang()) } }
        #expect(try await meter.share() < Meter.limit)
        next.cancel()
        _ = await next.value
    }

    @Test func `a client that is refused`() async throws {
        let cluster = try await addingCluster()
        let (client, meter) = try measuredClient(cluster, as: .role(.capture, key: "wrong"))
        #expect(await code { try await client.call(Add(left: 1, right: 1)) } == "unprovenIdentity")
        #expect(try await meter.share() < Meter.limit)
        #expect(try await Meter(loop: cluster.loop).share() < Meter.limit)
    }

    @Test func `a client whose service takes nothing any more`() async throws {
        let cluster = try Cluster()
        let router = try RawRouter(cluster.endpoint.programs)
        defer { router.close() }
        let (client, meter) = try measuredClient(cluster)
        let chunk = Attachment([UInt8](repeating: 7, count: 1 << 20))
        let calls = (0..<300).map { _ in
            Task { await code { try await client.call(Echo(), CallOptions(attachments: [chunk])) } }
        }
        while await client.isWaitingForRoom == false { try await turn() }
        #expect(try await meter.share() < Meter.limit)
        for call in calls { call.cancel() }
        for call in calls { _ = await call.value }
    }

    @Test func `both sides of a stream that has no news`() async throws {
        let cluster = try await addingCluster(liveness: .quick)
        let (client, meter) = try measuredClient(cluster)
        let stream = try await client.stream(Count(to: -1))
        #expect(try await stream.next()?.value.number == 0)
        #expect(try await meter.share() < Meter.limit)
        #expect(try await Meter(loop: cluster.loop).share() < Meter.limit)
        await stream.cancel()
    }

    @Test func `a server one of whose clients reads nothing`() async throws {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer(receiveLimit: 1)
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        while await cluster.server.statistics().parked == 0 {
            try await peer.send(#"{"kind":"request","id":"e","name":"test.echo"}"#, attachments: [bytes])
        }
        #expect(try await Meter(loop: cluster.loop).share() < Meter.limit)
        await peer.close()
        #expect(try await Meter(loop: cluster.loop).share() < Meter.limit)
    }

    @Test func `a server that got half a message`() async throws {
        let cluster = try await addingCluster()
        let peer = try cluster.rawPeer()
        try await peer.send([Array("OBS1".utf8)], isWhole: false)
        #expect(try await Meter(loop: cluster.loop).share() < Meter.limit)
        await peer.close()
        #expect(try await Meter(loop: cluster.loop).share() < Meter.limit)
    }

    // MARK: Inside

    private func addingCluster(liveness: Liveness.Intervals = Liveness.Intervals()) async throws -> Cluster {
        let cluster = try Cluster(liveness: liveness)
        await cluster.server.register(Add.self) { request, _ in Add.Reply(sum: request.left + request.right) }
        await cluster.server.register(Hang.self) { _, _ in
            try await Task.sleep(for: .seconds(3_600))
            return Empty()
        }
        await cluster.server.registerWithAttachments(Echo.self) { _, call in
            Answer(Empty(), attachments: call.attachments)
        }
        await cluster.server.registerStream(Count.self) { _, _, sink in
            try await sink.send(Count.Item(number: 0))
            try await Task.sleep(for: .seconds(3_600))
            return Count.Summary(count: 1)
        }
        try await cluster.server.start()
        return cluster
    }

    private func measuredClient(
        _ cluster: Cluster,
        as credentials: Credentials = .program
    ) throws -> (MessageClient, Meter) {
        let loop = EventLoop(name: "measured")
        var configuration = ClientConfiguration()
        configuration.liveness = cluster.liveness
        let client = try MessageClient(
            cluster.endpoint,
            as: credentials,
            context: MessagingContext(),
            loop: loop,
            configuration: configuration
        )
        return (client, Meter(loop: loop))
    }
}

/// Reads how much processor time a loop's thread uses.
private actor Meter {
    /// One that spins uses all it can get; one that waits uses next to nothing, also under a sanitizer.
    static let limit = 0.2

    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(loop: EventLoop) { self.loop = loop }

    /// The part of a quarter of a second that the loop's thread was running.
    ///
    /// Looks again, a few times, before it says that it is much: whatever the thread still had to do after the test's own
    /// work, and a machine that is busy, pass; spinning stays.
    func share() async throws -> Double {
        var least = 1.0
        for _ in 0..<8 where least >= Self.limit {
            // Real time, because what is measured is what happens while nothing should.
            let (start, used) = (BootInstant.now(), Self.processorTime)
            try await loop.sleep(until: start + .milliseconds(250))
            let elapsed = BootInstant.now().nanoseconds - start.nanoseconds
            least = min(least, Double(Self.processorTime - used) / Double(elapsed))
        }
        return least
    }

    /// Of the calling thread, in nanoseconds (clock_gettime(2)).
    private static var processorTime: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
