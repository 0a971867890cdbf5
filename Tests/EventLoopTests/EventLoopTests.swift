import Glibc
import TestSupport
import Testing
import Timekeeping

@testable import EventLoop

@Suite("The loop itself", .timeLimit(.minutes(1)))
struct EventLoopTests {
    @Test func `a pinned actor runs on its loop's thread and nowhere else`() async {
        let loop = EventLoop(name: "pinned")
        let other = EventLoop(name: "other")
        #expect(await LoopProbe(loop: loop).isOnLoop)
        #expect(!loop.isCurrent)
        #expect(!other.isCurrent)
    }

    @Test func `a callback is called on each turn until it is removed`() async throws {
        let pipe = try Pipe()
        let probe = LoopProbe(loop: EventLoop(name: "callback"))
        let token = await probe.register(1, descriptor: pipe.readEnd)
        try pipe.write(0)
        await probe.waitForFired(3)
        await probe.remove(token)
        let count = await probe.fired.count
        for _ in 0..<10 { _ = await probe.waits }
        #expect(await probe.fired.count == count)
    }

    @Test func `a callback that removes another in the same turn is obeyed`() async throws {
        let (left, right) = (try Pipe(), try Pipe())
        let remover = Remover(loop: EventLoop(name: "remover"))
        await remover.register([left.readEnd, right.readEnd], makeReady: [left, right])
        await remover.waitForFirst()
        for _ in 0..<10 { await Task.yield() }
        #expect(await remover.calls == 1)
    }

    @Test func `jobs of one actor run in the order they were sent`() async {
        let probe = LoopProbe(loop: EventLoop(name: "jobs"))
        for number in 0..<1_000 { await probe.fire(number) }
        #expect(await probe.fired == Array(0..<1_000))
    }

    @Test func `dropping the last actor ends the loop's thread`() async {
        weak var executor: AnyObject?
        do {
            let loop = EventLoop(name: "ends")
            let probe = LoopProbe(loop: loop)
            _ = await probe.schedule(1, at: .now() + .seconds(3_600))
            executor = loop.executor
        }
        while !Task.isCancelled, executor != nil { await Task.yield() }
    }

    @Test func `waiting from outside the loop traps`() async {
        await #expect(processExitsWith: .failure) {
            _ = EventLoop(name: "outside").schedule(at: .now()) {}
        }
    }

    @Test func `a socket closed while somebody waits for it traps instead of spinning`() async {
        await #expect(processExitsWith: .failure) {
            let probe = LoopProbe(loop: EventLoop(name: "closed"))
            await probe.waitForNonsense()
        }
    }
}

extension LoopProbe {
    /// Waits for a pointer that is no socket, as one that was closed is none (zmq_poll(3), ENOTSOCK).
    func waitForNonsense() async {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: 4_096)
        _ = unsafe await loop.wait(for: .socket(memory, events: 1))
    }
}

/// Two registrations, each of which removes both.
private actor Remover {
    private let loop: EventLoop
    private var tokens: [EventLoop.Token] = []
    private var watcher: CheckedContinuation<Void, Never>?
    private(set) var calls = 0
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(loop: EventLoop) { self.loop = loop }

    func register(_ descriptors: [CInt], makeReady pipes: [Pipe]) {
        for descriptor in descriptors {
            tokens.append(
                loop.onReady(.descriptor(descriptor, events: CShort(POLLIN))) { [weak self] in
                    self?.assumeIsolated { $0.called() }
                }
            )
        }
        for pipe in pipes { try? pipe.write(1) }
    }

    func waitForFirst() async {
        guard calls == 0 else { return }
        await withCheckedContinuation { watcher = $0 }
    }

    private func called() {
        calls += 1
        for token in tokens { loop.remove(token) }
        watcher?.resume()
        watcher = nil
    }
}
