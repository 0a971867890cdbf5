import MessageSchema
private import Synchronization

/// How long the cluster may keep a program waiting, sign of life by sign of life.
struct Patience: Sendable {
    let limit: Duration

    /// Waits for one answer.
    ///
    /// - Throws: What the answer throws, or `deadlineExceeded`; whatever still works on it is cancelled then.
    func wait<Answer: Sendable>(for answer: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
        try await wait(stepping: { _ in try await answer() })
    }

    /// Waits for work that takes steps; there is so much time for each.
    ///
    /// - Throws: What the work throws, or `deadlineExceeded`; the work is cancelled then.
    func wait<Answer: Sendable>(
        stepping work: @escaping @Sendable (_ hasStepped: @escaping @Sendable () -> Void) async throws -> Answer
    ) async throws -> Answer {
        let clock = ContinuousClock()
        let last = LastStep(clock.now)
        return try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await work { last.move(to: clock.now) } }
            group.addTask {
                while true {
                    let end = last.instant.advanced(by: limit)
                    guard clock.now < end else { throw ErrorReply.notInTime }
                    try await Task.sleep(until: end, clock: clock)
                }
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() ?? nil else { throw CancellationError() }
            return answer
        }
    }
}

/// When the work took its last step.
private final class LastStep: Sendable {
    private let state: Mutex<ContinuousClock.Instant>

    var instant: ContinuousClock.Instant { state.withLock { $0 } }

    init(_ instant: ContinuousClock.Instant) { state = Mutex(instant) }

    func move(to instant: ContinuousClock.Instant) { state.withLock { $0 = instant } }
}

extension ErrorReply {
    fileprivate static var notInTime: ErrorReply {
        ErrorReply(
            .deadlineExceeded,
            "The cluster did not answer in time",
            reason: "The program waits for no longer.",
            recoverySuggestion: "Try again with a longer timeout"
        )
    }
}
