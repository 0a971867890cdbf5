private import Synchronization

/// The latest of something, numbered, for readers that wait for the next.
///
/// A slow reader misses what was replaced meanwhile, and costs nothing: nothing is kept for anybody. Any thread may use it.
package final class Bulletin<Value: Sendable>: Sendable {
    /// What was posted, and its number; what was there at first has number 0.
    package struct Entry: Sendable {
        package let number: Int
        package let value: Value
    }

    private struct State {
        var latest: Entry
        var lastReader = 0
        var readers: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Readers whose task was cancelled before they waited.
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>

    /// A bulletin with something on it.
    package init(_ value: Value) {
        state = Mutex(State(latest: Entry(number: 0, value: value)))
    }

    /// What is on it now.
    package var latest: Entry { state.withLock { $0.latest } }

    /// How many wait for the next.
    package var readers: Int { state.withLock { $0.readers.count } }

    /// Replaces what is on it, and wakes whoever waits.
    package func post(_ value: Value) {
        let readers = state.withLock { state in
            state.latest = Entry(number: state.latest.number + 1, value: value)
            defer { state.readers = [:] }
            return state.readers
        }
        for reader in readers.values { reader.resume() }
    }

    /// Waits until there is something later than that number, and gives the latest.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func next(after number: Int) async throws(CancellationError) -> Entry {
        while true {
            let latest = latest
            if latest.number > number { return latest }
            if Task.isCancelled { throw CancellationError() }
            await wait(after: number)
        }
    }

    private func wait(after number: Int) async {
        let id = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.latest.number <= number, !state.cancelled.contains(id) else { return false }
                    state.readers[id] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            let reader = state.withLock { state in
                let reader = state.readers.removeValue(forKey: id)
                if reader == nil { state.cancelled.insert(id) }
                return reader
            }
            reader?.resume()
        }
        state.withLock { _ = $0.cancelled.remove(id) }
    }
}
