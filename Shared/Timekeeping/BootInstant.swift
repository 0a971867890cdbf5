private import Glibc

/// An instant of CLOCK_BOOTTIME: it never jumps, counts while the machine sleeps, and is the same for every process of one machine.
///
/// `expiresAt` on the wire is one, in milliseconds (clock_gettime(2)). It means nothing on another host or after a restart.
package struct BootInstant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since the machine started.
    package var nanoseconds: Int64

    /// The instant that many nanoseconds after the machine started.
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The instant that many milliseconds after the machine started; one too large for the clock is the last one it has.
    package init(milliseconds: Int64) {
        let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        nanoseconds = overflow ? (milliseconds < 0 ? .min : .max) : product
    }

    /// Reads CLOCK_BOOTTIME.
    package static func now() -> BootInstant {
        let time = ClockReading.read(CLOCK_BOOTTIME)
        return BootInstant(nanoseconds: time.seconds * 1_000_000_000 + time.nanoseconds)
    }

    /// Whole milliseconds since the machine started, as in `expiresAt`.
    package var milliseconds: Int64 {
        nanoseconds / 1_000_000
    }

    package func advanced(by duration: Duration) -> BootInstant {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return BootInstant(nanoseconds: seconds < 0 ? .min : .max) }
        let (part, partOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (sum, sumOverflow) = nanoseconds.addingReportingOverflow(part)
        guard !partOverflow, !sumOverflow else { return BootInstant(nanoseconds: seconds < 0 ? .min : .max) }
        return BootInstant(nanoseconds: sum)
    }

    package func duration(to other: BootInstant) -> Duration {
        .nanoseconds(other.nanoseconds - nanoseconds)
    }

    package static func < (left: BootInstant, right: BootInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant `duration` after `instant`.
    package static func + (instant: BootInstant, duration: Duration) -> BootInstant {
        instant.advanced(by: duration)
    }
}

/// A `Clock` whose instants are `BootInstant`s, so that a deadline from the wire can be slept to.
package struct BootClock: Clock {
    package init() {}

    /// Reads CLOCK_BOOTTIME.
    package var now: BootInstant { .now() }

    /// One nanosecond, the unit of the clock.
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps to `deadline` on Swift's continuous clock.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func sleep(until deadline: BootInstant, tolerance: Duration?) async throws {
        let remaining = now.duration(to: deadline)
        guard remaining > .zero else { return try Task.checkCancellation() }
        try await Task.sleep(for: remaining, tolerance: tolerance, clock: .continuous)
    }
}
