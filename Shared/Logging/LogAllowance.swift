private import Synchronization
package import Timekeeping

/// Keeps one asker from filling the log: some lines of a kind at once, then one each few seconds, and a count of the rest.
///
/// A kind is any text, such as a principal with an error code. At most `kinds` are told apart at a time; those beyond share one
/// allowance, so that inventing kinds gains nothing. Any thread may use it; nothing blocks.
package final class LogAllowance: Sendable {
    private struct Bucket {
        /// How many lines may still be written.
        var lines: Double
        var updated: BootInstant
        /// How many lines were left out since the last one that was written.
        var omitted = 0
    }

    private struct State {
        var buckets: [String: Bucket] = [:]
        var shared: Bucket?
    }

    private let burst: Double
    private let interval: Duration
    private let kinds: Int
    private let now: @Sendable () -> BootInstant
    private let state = Mutex(State())

    /// Makes an allowance.
    ///
    /// - Parameters:
    ///   - burst: How many lines of a kind may be written at once.
    ///   - interval: After how long another one may.
    ///   - kinds: How many kinds are told apart.
    ///   - now: The clock.
    package init(
        burst: Int = 5,
        interval: Duration = .seconds(10),
        kinds: Int = 256,
        now: @escaping @Sendable () -> BootInstant = { .now() }
    ) {
        precondition(burst > 0 && kinds > 0 && interval > .zero, "an allowance allows something")
        self.burst = Double(burst)
        self.interval = interval
        self.kinds = kinds
        self.now = now
    }

    /// Asks for one line of a kind.
    ///
    /// - Returns: How many lines of this kind were left out before it, for the line to say; `nil` when it is to be left out.
    package func take(_ kind: String) -> Int? {
        let now = now()
        return state.withLock { state in
            if let bucket = state.buckets[kind] {
                let (answer, rest) = take(from: bucket, now)
                state.buckets[kind] = rest
                return answer
            }
            if state.buckets.count >= kinds {
                // Whoever has been quiet long enough to have all lines again is as good as new.
                state.buckets = state.buckets.filter { refilled($0.value, now).lines < burst || $0.value.omitted > 0 }
            }
            let isKnown = state.buckets.count < kinds
            let bucket = isKnown ? nil : state.shared
            let (answer, rest) = take(from: bucket ?? Bucket(lines: burst, updated: now), now)
            if isKnown { state.buckets[kind] = rest } else { state.shared = rest }
            return answer
        }
    }

    private func take(from bucket: Bucket, _ now: BootInstant) -> (answer: Int?, rest: Bucket) {
        var bucket = refilled(bucket, now)
        guard bucket.lines >= 1 else {
            bucket.omitted += 1
            return (nil, bucket)
        }
        let omitted = bucket.omitted
        bucket.lines -= 1
        bucket.omitted = 0
        return (omitted, bucket)
    }

    private func refilled(_ bucket: Bucket, _ now: BootInstant) -> Bucket {
        var bucket = bucket
        let earned = max(0, bucket.updated.duration(to: now) / interval)
        bucket.lines = min(burst, bucket.lines + earned)
        bucket.updated = now
        return bucket
    }
}
