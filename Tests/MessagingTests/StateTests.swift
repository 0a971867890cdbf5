import Consent
import EventLoop
import Glibc
import MessageSchema
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import Messaging

private struct FollowNumbers: StreamRequest {
    typealias Item = StateItem<Int>
    typealias Summary = Empty
    static let name = "test.follow"
}

/// A state whose updates are numbers and whose snapshot is all of them.
private actor Numbers {
    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }
    private var values: [Int]

    init(_ values: [Int] = [], loop: EventLoop) {
        self.values = values
        self.loop = loop
    }

    func append(_ value: Int) -> Int64 {
        values.append(value)
        return Int64(values.count)
    }

    func snapshot() -> StatePublisher<[Int], Int>.Numbered { .init(number: Int64(values.count), value: values) }
}

/// What a follower has applied, and what it was told.
private final class Applied: Sendable {
    struct State {
        var values: [Int] = []
        var snapshots = 0
        var leases = 0
        var losses = 0
        var refusesUpdates = false
    }

    struct Refusal: Error {}

    private let state = Mutex(State())

    var current: State { state.withLock(\.self) }

    func refuseUpdates(_ refuses: Bool) { state.withLock { $0.refusesUpdates = refuses } }

    func take(_ event: StateEvent<[Int], Int>) throws {
        try state.withLock { state in
            switch event {
            case .snapshot(let values, let number):
                #expect(values.count == Int(number))
                state.values = values
                state.snapshots += 1
            case .update(let value, let number):
                if state.refusesUpdates { throw Refusal() }
                state.values.append(value)
                #expect(state.values.count == Int(number))
            case .lease: state.leases += 1
            case .lost: state.losses += 1
            }
        }
    }

    func wait(_ condition: (State) -> Bool) async {
        while !Task.isCancelled, !condition(current) { await Task.yield() }
    }
}

@Suite("Replicated state", .timeLimit(.minutes(1)))
struct StateTests {
    private struct Setup {
        let cluster: Cluster
        let numbers: Numbers
        let publisher: StatePublisher<[Int], Int>
        let times: LeaseTimes

        func publish(_ value: Int) async -> [FollowerOutcome] {
            let number = await numbers.append(value)
            return await publisher.publish(value, number: number)
        }

        func follower(
            _ applied: Applied,
            on loop: EventLoop = EventLoop(name: "follower")
        ) throws -> StateFollower<FollowNumbers, [Int], Int> {
            let client = try MessageClient(
                cluster.endpoint,
                as: .role(.capture, key: "c0ffee"),
                context: MessagingContext(),
                loop: loop
            )
            return StateFollower(FollowNumbers(), client: client, loop: loop, times: times) { try applied.take($0) }
        }
    }

    private func setup(
        _ values: [Int] = [],
        lease: Duration = .seconds(20),
        predecessor: BootInstant? = nil
    ) async throws -> Setup {
        let cluster = try Cluster(service: "coordinator")
        let numbers = Numbers(values, loop: cluster.loop)
        let times = LeaseTimes(heartbeat: .milliseconds(50), lease: lease)
        let publisher = StatePublisher<[Int], Int>(
            loop: cluster.loop,
            times: times,
            predecessorLeaseEnd: predecessor
        ) { await numbers.snapshot() }
        await cluster.server.registerStream(FollowNumbers.self, access: .anyRole) { _, call, sink in
            try await publisher.serve(call, sink)
        }
        try await cluster.server.start()
        return Setup(cluster: cluster, numbers: numbers, publisher: publisher, times: times)
    }

    @Test func `a follower gets the snapshot, a lease and every update`() async throws {
        let setup = try await setup()
        for value in 0..<5 { #expect(await setup.publish(value) == []) }
        let applied = Applied()
        let follower = try setup.follower(applied)
        let following = Task { await follower.run() }
        defer { following.cancel() }
        #expect(!follower.leaseIsValid)
        await applied.wait { $0.leases > 0 }
        #expect(follower.leaseIsValid)
        for value in 5..<200 {
            #expect(await setup.publish(value) == [.applied])
            // Published means applied.
            #expect(applied.current.values.last == value)
        }
        #expect(applied.current.values == Array(0..<200))
        #expect(applied.current.snapshots == 1)
        #expect(await follower.generation == 200)
    }

    @Test func `a snapshot may be larger than a body and than a frame`() async throws {
        // Long numbers: as many bytes for less work, which a sanitizer makes many times slower.
        let first = 1_000_000_000_000_000_000
        let values = Array(first..<first + Limits.frameBytes / 16)
        let setup = try await setup(values)
        let applied = Applied()
        let follower = try setup.follower(applied)
        let following = Task { await follower.run() }
        defer { following.cancel() }
        await applied.wait { $0.leases > 0 }
        #expect(applied.current.values == values)
    }

    @Test func `several followers are all waited for`() async throws {
        let setup = try await setup()
        let all = (0..<3).map { _ in Applied() }
        let followings = try all.map { applied in
            let follower = try setup.follower(applied)
            return Task { await follower.run() }
        }
        defer { for following in followings { following.cancel() } }
        for applied in all { await applied.wait { $0.leases > 0 } }
        #expect(await setup.publish(1) == [.applied, .applied, .applied])
        for applied in all { #expect(applied.current.values == [1]) }
    }

    @Test func `updates that overlap are all applied in order`() async throws {
        let setup = try await setup()
        let applied = Applied()
        let follower = try setup.follower(applied)
        let following = Task { await follower.run() }
        defer { following.cancel() }
        await applied.wait { $0.leases > 0 }
        await withTaskGroup(of: [FollowerOutcome].self) { group in
            for value in 0..<100 {
                let number = await setup.numbers.append(value)
                group.addTask { await setup.publisher.publish(value, number: number) }
            }
            for await outcomes in group { #expect(outcomes == [.applied]) }
        }
        #expect(applied.current.values == Array(0..<100))
    }

    @Test func `a follower that can not apply an update starts anew from a snapshot`() async throws {
        let setup = try await setup()
        let applied = Applied()
        let follower = try setup.follower(applied)
        let following = Task { await follower.run() }
        defer { following.cancel() }
        await applied.wait { $0.leases > 0 }
        applied.refuseUpdates(true)
        // The same process comes back with a snapshot that contains the update.
        #expect(await setup.publish(1) == [.applied])
        #expect(applied.current.values == [1])
        #expect(applied.current.snapshots == 2)
        #expect(applied.current.losses == 1)
    }

    @Test func `a follower that is not heard loses its lease before the publisher goes on`() async throws {
        let setup = try await setup(lease: .milliseconds(1_500))
        let applied = Applied()
        let loop = EventLoop(name: "stuck")
        let follower = try setup.follower(applied, on: loop)
        let following = Task { await follower.run() }
        defer { following.cancel() }
        await applied.wait { $0.leases > 0 }
        // A loop that hangs: nothing is received, nothing acknowledged.
        let hang = Standstill()
        let hanging = Task { await Stuck(loop: loop).block(on: hang) }
        while !hang.isHanging { try await turn() }
        #expect(await setup.publish(1) == [.leaseLost])
        #expect(!follower.leaseIsValid)
        hang.release()
        await hanging.value
        await applied.wait { $0.values == [1] }
        await applied.wait { _ in follower.leaseIsValid }
    }

    @Test func `without a publisher the lease runs out`() async throws {
        let setup = try await setup(lease: .milliseconds(300))
        let applied = Applied()
        let follower = try setup.follower(applied)
        let following = Task { await follower.run() }
        defer { following.cancel() }
        await applied.wait { $0.leases > 0 }
        await setup.cluster.server.stop()
        await applied.wait { $0.losses > 0 }
        await applied.wait { _ in !follower.leaseIsValid }
    }

    @Test func `a program can not follow`() async throws {
        let setup = try await setup()
        let client = try setup.cluster.client()
        let stream = try await client.stream(FollowNumbers())
        #expect(await code { try await stream.next() } == "roleRequired")
    }

    @Test func `nothing is settled while an earlier publisher's leases may run`() async throws {
        let end = BootInstant.now() + .milliseconds(300)
        let setup = try await setup(predecessor: end)
        #expect(await setup.publish(1) == [])
        #expect(BootInstant.now() >= end)
    }
}

/// Holds up a thread until it is released.
private final class Standstill: Sendable {
    private let state = Atomic(0)

    var isHanging: Bool { state.load(ordering: .acquiring) == 1 }

    func release() { state.store(2, ordering: .releasing) }

    func hang() {
        state.store(1, ordering: .releasing)
        while state.load(ordering: .acquiring) != 2 { usleep(1_000) }
    }
}

private actor Stuck {
    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(loop: EventLoop) { self.loop = loop }

    func block(on hang: Standstill) { hang.hang() }
}
