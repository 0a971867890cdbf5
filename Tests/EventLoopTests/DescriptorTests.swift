import Glibc
import Testing
import Timekeeping

@testable import EventLoop

@Suite("Descriptors on a loop", .timeLimit(.minutes(1)))
struct DescriptorTests {
    @Test func `a descriptor wakes its reader`() async throws {
        let pipe = try Pipe()
        let reader = PinnedReader(descriptor: pipe.readEnd, loop: EventLoop(name: "pipe"))
        for value in UInt8(0)...50 {
            async let byte = reader.byte()
            try pipe.write(value)
            #expect(await byte == value)
        }
    }

    @Test func `cancelling a wait ends it and loses nothing`() async throws {
        let pipe = try Pipe()
        let reader = PinnedReader(descriptor: pipe.readEnd, loop: EventLoop(name: "pipe"))
        for round in UInt8(0)..<100 {
            let reading = Task { await reader.wait() }
            if round.isMultiple(of: 2) { await Task.yield() }
            reading.cancel()
            #expect(await reading.value == .cancelled)
            try pipe.write(round)
            #expect(await reader.byte() == round)
        }
    }

    @Test func `a wait ends at its deadline, and the next one still sees the byte`() async throws {
        let pipe = try Pipe()
        let reader = PinnedReader(descriptor: pipe.readEnd, loop: EventLoop(name: "pipe"))
        #expect(await reader.wait(until: .now() + .milliseconds(2)) == .timedOut)
        #expect(await reader.wait(until: .now()) == .timedOut)
        try pipe.write(7)
        #expect(await reader.byte() == 7)
    }

    @Test func `a byte that is there beats a deadline that has passed`() async throws {
        let pipe = try Pipe()
        let reader = PinnedReader(descriptor: pipe.readEnd, loop: EventLoop(name: "pipe"))
        try pipe.write(1)
        #expect(await reader.wait(until: BootInstant(nanoseconds: 0)) == .ready)
    }

    @Test func `the other end of a pipe going away is readiness`() async throws {
        let pipe = try Pipe()
        let reader = PinnedReader(descriptor: pipe.readEnd, loop: EventLoop(name: "pipe"))
        async let wake = reader.wait()
        pipe.closeWriteEnd()
        #expect(await wake == .ready)
    }

    @Test func `many waits on one loop each get their own byte`() async throws {
        let loop = EventLoop(name: "many")
        let pipes = try (0..<100).map { _ in try Pipe() }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for (index, pipe) in pipes.enumerated() {
                let reader = PinnedReader(descriptor: pipe.readEnd, loop: loop)
                group.addTask { await reader.byte() == UInt8(index) }
            }
            for (index, pipe) in pipes.enumerated().reversed() { try pipe.write(UInt8(index)) }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(await LoopProbe(loop: loop).waits == 0)
    }
}
