import CLinux
import Glibc
import Testing

@testable import ServiceRuntime

// Here, and not beside the other tests of ServiceRuntime: those run under thread sanitizer too, and exit tests can not.
@Suite(.timeLimit(.minutes(1)))
struct `The end of a service` {
    @Test func `runs no exit handlers, which would pull libraries from under threads that still run`() async {
        await #expect(processExitsWith: .exitCode(75)) {
            atexit { abort() }
            ServiceProcess.leave(75)
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Memory after a burst` {
    @Test func `what was freed in the midst of a heap is given back`() async {
        await #expect(processExitsWith: .exitCode(0)) { exit(Self.burst() ? 0 : 1) }
    }

    /// As libzmq's thread leaves it: large blocks that are freed, with something small between them that stays.
    private static func burst() -> Bool {
        let (count, size, slack) = (4_000, 60 << 10, 64 << 20)
        let blocks = (0..<count).map { _ in
            let block = Block(size: size)
            return (large: block, small: Block(size: 64))
        }
        guard clinux_trim_memory(slack) == 0 else { return false }
        let small = blocks.map(\.small)
        for block in blocks { block.large.free() }
        guard clinux_trim_memory(slack) > 200 << 20, clinux_trim_memory(slack) == 0 else { return false }
        for block in small { block.free() }
        return true
    }

    /// A piece of the allocator's memory, every page of it in use.
    @safe private struct Block {
        private let memory: UnsafeMutableRawPointer

        init(size: Int) {
            unsafe memory = .allocate(byteCount: size, alignment: 16)
            unsafe memory.initializeMemory(as: UInt8.self, repeating: 1, count: size)
        }

        func free() { unsafe memory.deallocate() }
    }
}
