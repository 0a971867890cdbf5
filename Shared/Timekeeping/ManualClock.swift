private import Synchronization

/// A clock that stands still until it is told to move: the test's hand is on it.
package final class ManualClock: Clock, Sendable {
    /// An instant of a manual clock: the time since it was made.
    package struct Instant: InstantProtocol, Hashable, Sendable {
        /// The time since the clock was made.
        package var offset: Duration

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        var cancelledBeforeSleep: Set<Int> = []
        var unseenTimers = 0
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// A clock at offset zero.
    package init() {}

    /// The instant the clock was last moved to.
    package var now: Instant { state.withLock { $0.now } }

    /// One nanosecond.
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// How many timers are waiting now.
    package var pendingTimers: Int { state.withLock { $0.sleepers.count } }

    /// Waits until the clock is moved to `deadline` or past it.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                schedule(Sleeper(deadline: deadline, continuation: continuation), id: id)
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Moves the clock and wakes everyone whose deadline it reaches, the earliest first.
    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due
        }
        for (_, sleeper) in due.sorted(by: { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }) {
            sleeper.continuation.resume()
        }
    }

    /// Returns once for each timer that is set, at once when one was set and not yet seen.
    ///
    /// Await it before `advance(by:)`, so that the code under test is known to be waiting.
    package func nextTimerScheduled() async {
        await withCheckedContinuation { continuation in
            let isSeen = state.withLock { state in
                guard state.unseenTimers == 0 else {
                    state.unseenTimers -= 1
                    return true
                }
                state.watchers.append(continuation)
                return false
            }
            if isSeen { continuation.resume() }
        }
    }

    private enum Outcome {
        case waits(CheckedContinuation<Void, Never>?)
        case isDue
        case isCancelled
    }

    private func schedule(_ sleeper: Sleeper, id: Int) {
        let outcome: Outcome = state.withLock { state in
            if state.cancelledBeforeSleep.remove(id) != nil { return .isCancelled }
            guard sleeper.deadline > state.now else { return .isDue }
            state.sleepers[id] = sleeper
            guard state.watchers.isEmpty else { return .waits(state.watchers.removeFirst()) }
            state.unseenTimers += 1
            return .waits(nil)
        }
        switch outcome {
        case .waits(let watcher): watcher?.resume()
        case .isDue: sleeper.continuation.resume()
        case .isCancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state in
            let sleeper = state.sleepers.removeValue(forKey: id)
            if sleeper == nil { state.cancelledBeforeSleep.insert(id) }
            return sleeper
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
