private import Files
private import Synchronization
private import Timekeeping

/// Carries the supervisor's reports to whoever shows them, on a thread of its own.
///
/// A terminal that takes nothing, or a pipe that is full, so does not keep the supervisor from its services. Bounded:
/// reports that find no room are left out and counted.
final class ReportQueue: Sendable {
    private struct State {
        var reports: [Supervisor.Report] = []
        var omitted = 0
        var isShowing = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let capacity: Int
    private let show: @Sendable (Supervisor.Report) -> Void
    private let showOmitted: @Sendable (Int) -> Void
    private let state = Mutex(State())
    private let desk = Desk()

    /// - Parameters:
    ///   - capacity: How many reports wait at most.
    ///   - show: Shows one; may block.
    ///   - showOmitted: Says how many were left out; may block.
    init(
        capacity: Int = 256,
        show: @escaping @Sendable (Supervisor.Report) -> Void,
        showOmitted: @escaping @Sendable (Int) -> Void
    ) {
        self.capacity = capacity
        self.show = show
        self.showOmitted = showOmitted
    }

    /// Takes a report; never blocks.
    func add(_ report: Supervisor.Report) {
        let begins = state.withLock { state in
            guard state.reports.count < capacity else {
                state.omitted += 1
                return false
            }
            state.reports.append(report)
            let isFirst = !state.isShowing
            state.isShowing = true
            return isFirst
        }
        // Ends when nothing is left to show; whoever adds the next report begins again.
        if begins { Task { await desk.run { self.showAll() } } }
    }

    /// Waits until everything is shown, at most so long.
    func finish(within limit: Duration) async {
        let alarm = Task {
            // Cancelled when all is shown, and then nobody waits.
            try? await Task.sleep(for: limit, clock: BootClock())
            self.letGo()
        }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.isShowing { state.waiter = continuation }
                return !state.isShowing
            }
            if isDone { continuation.resume() }
        }
        alarm.cancel()
    }

    private func showAll() {
        while showSome() {}
        letGo()
    }

    /// Shows what waits; false when nothing did.
    private func showSome() -> Bool {
        let (reports, omitted) = take()
        for report in reports { show(report) }
        if omitted > 0 { showOmitted(omitted) }
        return !reports.isEmpty || omitted > 0
    }

    private func take() -> (reports: [Supervisor.Report], omitted: Int) {
        state.withLock { state in
            let taken = (state.reports, state.omitted)
            state.reports = []
            state.omitted = 0
            state.isShowing = !taken.0.isEmpty || taken.1 > 0
            return taken
        }
    }

    private func letGo() {
        let waiter = state.withLock { state in
            let waiter = state.waiter
            state.waiter = nil
            return waiter
        }
        waiter?.resume()
    }
}

/// The thread on which is shown.
private actor Desk {
    private let thread = BlockingThread(name: "reports")

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.executor.asUnownedSerialExecutor() }

    isolated deinit {}

    func run(_ body: @Sendable () -> Void) { body() }
}
