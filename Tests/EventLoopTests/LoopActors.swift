import Glibc
import Testing
import Timekeeping

@testable import EventLoop

/// Both ends of a pipe(2); stands in for a device.
final class Pipe: Sendable {
    let readEnd: CInt
    private let writeEnd: CInt

    init() throws {
        var ends: [CInt] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func write(_ byte: UInt8) throws {
        var byte = byte
        try #require(unsafe Glibc.write(writeEnd, &byte, 1) == 1)
    }

    /// Hangs up, and leaves the number in use by something harmless.
    func closeWriteEnd() {
        let null = unsafe open("/dev/null", O_WRONLY)
        dup2(null, writeEnd)
        close(null)
    }
}

/// An actor that reads from a descriptor on its loop.
actor PinnedReader {
    private let descriptor: CInt
    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(descriptor: CInt, loop: EventLoop) {
        self.descriptor = descriptor
        self.loop = loop
    }

    func wait(until deadline: BootInstant? = nil) async -> EventLoop.Wake {
        await loop.wait(for: .descriptor(descriptor, events: CShort(POLLIN)), until: deadline)
    }

    func byte() async -> UInt8? {
        guard await wait() == .ready else { return nil }
        var byte: UInt8 = 0
        return unsafe read(descriptor, &byte, 1) == 1 ? byte : nil
    }
}

/// Looks into a loop, sets timers and takes registrations.
actor LoopProbe {
    let loop: EventLoop
    var fired: [Int] = []
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(loop: EventLoop) { self.loop = loop }

    var waits: Int { loop.executor.withWaits { $0.count } }
    var isOnLoop: Bool { loop.isCurrent }

    func sleep(until deadline: BootInstant) async throws { try await loop.sleep(until: deadline) }

    func schedule(_ number: Int, at deadline: BootInstant) -> EventLoop.Token {
        loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.fire(number) } }
    }

    /// In one job, so that none can fire before all are set.
    func scheduleAll(_ numbers: [Int]) {
        let start = BootInstant.now() + .milliseconds(1)
        for number in numbers { _ = schedule(number, at: start + .microseconds(number)) }
    }

    func scheduleOneAndRemoveIt(_ first: Int, thenSchedule second: Int) {
        let now = BootInstant.now()
        let token = schedule(first, at: now)
        loop.remove(token)
        loop.remove(token)
        _ = schedule(second, at: now + .microseconds(1))
    }

    func register(_ number: Int, descriptor: CInt) -> EventLoop.Token {
        loop.onReady(.descriptor(descriptor, events: CShort(POLLIN))) { [weak self] in
            self?.assumeIsolated { $0.fire(number) }
        }
    }

    func remove(_ token: EventLoop.Token) { loop.remove(token) }

    func fire(_ number: Int) {
        fired.append(number)
        let due = watchers.filter { $0.count <= fired.count }
        watchers.removeAll { $0.count <= fired.count }
        for watcher in due { watcher.continuation.resume() }
    }

    /// Returns when that many callbacks have run.
    func waitForFired(_ count: Int) async {
        guard fired.count < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }
}
