private import Glibc

/// CLOCK_MONOTONIC, the clock of video frames.
package enum MonotonicTime {
    /// Microseconds of CLOCK_MONOTONIC now.
    package static func now() -> Int64 { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: Int32) -> Int64 {
        var time = timespec()
        // It can not fail for clocks that every Linux has.
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
