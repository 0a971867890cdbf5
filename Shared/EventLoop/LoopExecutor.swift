private import CLinux
private import Glibc
private import Synchronization

/// The part of an ``EventLoop`` that its thread keeps alive.
final class LoopExecutor: SerialExecutor {
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var cancelledWaits: [WaitID] = []
        var isWakePending = false
        var isStopping = false

        var isEmpty: Bool { jobs.isEmpty && cancelledWaits.isEmpty }
    }

    private let inbox = Mutex(Inbox())
    private let wakeDescriptor: CInt
    private let threadID = Atomic<UInt>(0)
    // nonisolated(unsafe): reached only through `withWaits`, which traps off the loop's thread.
    nonisolated(unsafe) private var unguardedWaits: WaitSet

    init() {
        wakeDescriptor = clinux_eventfd()
        precondition(wakeDescriptor >= 0, "eventfd: errno \(errno)")
        unsafe unguardedWaits = WaitSet(wakeDescriptor: wakeDescriptor)
    }

    deinit { _ = close(wakeDescriptor) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        post { $0.jobs.append(job) }
    }

    func checkIsolated() { precondition(isOnThread, "not on the event loop's thread") }

    func isIsolatingCurrentContext() -> Bool? { isOnThread }

    func cancelWait(_ id: WaitID) { post { $0.cancelledWaits.append(id) } }

    func stop() { post { $0.isStopping = true } }

    /// Lends the loop's waits; traps off the loop's thread, and must not be nested.
    func withWaits<Result>(_ body: (inout WaitSet) -> Result) -> Result {
        checkIsolated()
        return unsafe body(&unguardedWaits)
    }

    /// The thread's body; returns after ``stop()``.
    func run() {
        threadID.store(UInt(pthread_self()), ordering: .relaxed)
        var turn = Turn()
        while runTurn(&turn) {}
    }

    /// What one turn works on; kept between turns for its capacity.
    private struct Turn {
        var jobs: [UnownedJob] = []
        var cancelledWaits: [WaitID] = []
        var ended: [WaitSet.Ended] = []
    }

    private var isOnThread: Bool { threadID.load(ordering: .relaxed) == UInt(pthread_self()) }

    private func post(_ change: (inout Inbox) -> Void) {
        let mustSignal = inbox.withLock { inbox in
            change(&inbox)
            defer { inbox.isWakePending = true }
            return !inbox.isWakePending
        }
        guard mustSignal, !isOnThread else { return }
        var one: UInt64 = 1
        _ = unsafe write(wakeDescriptor, &one, MemoryLayout.size(ofValue: one))
    }

    /// Runs jobs, then cancellations, then waits for readiness and time.
    ///
    /// - Returns: Whether there is another turn.
    private func runTurn(_ turn: inout Turn) -> Bool {
        inbox.withLock { inbox in
            swap(&inbox.jobs, &turn.jobs)
            swap(&inbox.cancelledWaits, &turn.cancelledWaits)
        }
        for job in turn.jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
        turn.jobs.removeAll(keepingCapacity: true)
        for id in turn.cancelledWaits { withWaits { $0.cancel(id) } }
        turn.cancelledWaits.removeAll(keepingCapacity: true)

        let (mayBlock, isDone) = inbox.withLock { inbox in
            inbox.isWakePending = !inbox.isEmpty
            return (inbox.isEmpty, inbox.isEmpty && inbox.isStopping)
        }
        if isDone { return false }
        withWaits { $0.poll(mayBlock: mayBlock, into: &turn.ended) }
        // Outside `withWaits`, because a callback may wait, schedule and remove.
        for ended in turn.ended { deliver(ended) }
        turn.ended.removeAll(keepingCapacity: true)
        return true
    }

    private func deliver(_ ended: WaitSet.Ended) {
        switch ended {
        case .resume(let continuation, let wake):
            continuation.resume(returning: wake)
        case .call(let id):
            // A callback that ran before in this turn may have removed this one.
            if let body = withWaits({ $0.takeCallback(id) }) { body() }
        }
    }
}
