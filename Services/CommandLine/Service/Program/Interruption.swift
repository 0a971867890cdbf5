private import Synchronization

/// Whether the user wants the command to end: Ctrl-C, SIGTERM or a closed terminal, or a test's hand.
///
/// One of its own counts SIGHUP, for a command that takes it.
package final class Interruption: Sendable {
    private struct State {
        var count = 0
        var nextID = 0
        var waiting: [Int: (level: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// How often the user has interrupted.
    package var count: Int { state.withLock { $0.count } }

    /// Tells that the user interrupted.
    package func trigger() {
        let due = state.withLock { state in
            state.count += 1
            let due = state.waiting.filter { $0.value.level <= state.count }
            for id in due.keys { state.waiting[id] = nil }
            return due
        }
        for entry in due.values { entry.continuation.resume() }
    }

    /// Returns when the user has interrupted `times` times, or when the task is cancelled.
    package func wait(times: Int = 1) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.count >= times || Task.isCancelled { return true }
                    state.waiting[id] = (times, continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume()
        }
    }
}
