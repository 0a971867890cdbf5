private import Synchronization

/// Wakes those who follow the library's changes; the changes themselves are read from the index, so that none is lost
/// and a slow follower costs no memory.
package final class ChangeFeed: Sendable {
    private struct State {
        var generation: Int64 = 0
        var nextID = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The newest change that was told.
    package var generation: Int64 { state.withLock { $0.generation } }

    /// Tells that there are changes up to this one.
    package func advance(to generation: Int64) {
        let woken = state.withLock { state in
            state.generation = max(state.generation, generation)
            defer { state.waiting.removeAll() }
            return state.waiting.values.map { $0 }
        }
        for continuation in woken { continuation.resume() }
    }

    /// Returns when there is a change after this one, or the task is cancelled.
    func wait(after generation: Int64) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.generation > generation || Task.isCancelled { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}
