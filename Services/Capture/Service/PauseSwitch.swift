private import Synchronization

/// Whether a recording is paused; looked at for each frame, or waited for.
package final class PauseSwitch: Sendable {
    private struct State {
        var isPaused = false
        var lastWaiter = 0
        var waiters: [Int: (target: Bool, ending: AsyncStream<Never>.Continuation)] = [:]
    }

    private let state: Mutex<State>

    /// Not paused, unless the recording begins so.
    package init(isPaused: Bool = false) { state = Mutex(State(isPaused: isPaused)) }

    package var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Pauses, or goes on; setting what is so already changes nothing.
    package func set(_ isPaused: Bool) {
        let reached = state.withLock { state in
            state.isPaused = isPaused
            let reached = state.waiters.filter { $0.value.target == isPaused }
            for id in reached.keys { state.waiters[id] = nil }
            return reached
        }
        for waiter in reached.values { waiter.ending.finish() }
    }

    /// Waits until it is paused, or not; returns at once where it is so, and when the task is cancelled.
    package func wait(until isPaused: Bool) async {
        let (waiting, ending) = AsyncStream<Never>.makeStream()
        let id: Int? = state.withLock { state in
            guard state.isPaused != isPaused else { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = (isPaused, ending)
            return state.lastWaiter
        }
        guard let id else { return }
        var iterator = waiting.makeAsyncIterator()
        _ = await iterator.next()
        state.withLock { _ = $0.waiters.removeValue(forKey: id) }
    }
}
