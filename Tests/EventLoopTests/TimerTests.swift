import TestSupport
import Testing
import Timekeeping

@testable import EventLoop

@Suite("Timers on a loop", .timeLimit(.minutes(1)))
struct TimerTests {
    @Test func `a sleep is never early`() async throws {
        let probe = LoopProbe(loop: EventLoop(name: "sleep"))
        for microseconds in [0, 1, 300, 1_500, 4_000] {
            let deadline = BootInstant.now() + .microseconds(microseconds)
            try await probe.sleep(until: deadline)
            #expect(BootInstant.now() >= deadline)
        }
    }

    @Test func `timers come in the order of their deadlines`() async throws {
        let probe = LoopProbe(loop: EventLoop(name: "order"))
        await probe.scheduleAll([4, 1, 3, 0, 2])
        await probe.waitForFired(5)
        #expect(await probe.fired == [0, 1, 2, 3, 4])
        #expect(await probe.waits == 0)
    }

    @Test func `a cancelled sleep throws at once and leaves nothing behind`() async throws {
        let probe = LoopProbe(loop: EventLoop(name: "cancel"))
        let sleeping = Task { try await probe.sleep(until: .now() + .seconds(3_600)) }
        while await probe.waits == 0 { try await turn() }
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        #expect(await probe.waits == 0)
    }

    @Test func `a removed timer never fires`() async throws {
        let probe = LoopProbe(loop: EventLoop(name: "removed"))
        await probe.scheduleOneAndRemoveIt(1, thenSchedule: 2)
        await probe.waitForFired(1)
        #expect(await probe.fired == [2])
    }

    @Test func `an earlier timer than the one the loop sleeps to is not late`() async throws {
        let probe = LoopProbe(loop: EventLoop(name: "earlier"))
        _ = await probe.schedule(2, at: .now() + .seconds(3_600))
        _ = await probe.schedule(1, at: .now() + .milliseconds(1))
        await probe.waitForFired(1)
        #expect(await probe.fired == [1])
    }

    @Test func `a random heap gives back what was put in, in order`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var heap = TimerHeap()
            var expected: [(deadline: Int64, id: WaitID)] = []
            for id in 1...WaitID.random(in: 1...300, using: &generator) {
                let deadline = Int64.random(in: 0...50, using: &generator)
                heap.insert(id, at: BootInstant(nanoseconds: deadline))
                expected.append((deadline, id))
            }
            for id in expected.map(\.id) where Bool.random(using: &generator) {
                heap.remove(id)
                expected.removeAll { $0.id == id }
            }
            #expect(heap.count == expected.count)
            let now = Int64.random(in: 0...50, using: &generator)
            var popped: [WaitID] = []
            while let id = heap.popDue(at: BootInstant(nanoseconds: now)) { popped.append(id) }
            let due = expected.filter { $0.deadline <= now }.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
            #expect(popped == due.map(\.id))
            #expect(heap.count == expected.count - due.count)
        }
    }
}

/// SplitMix64: the same numbers on every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
