private import Glibc

/// CLOCK_MONOTONIC, the clock of video frames, and how far the wall clock is from it.
package enum MonotonicTime {
    /// Microseconds of CLOCK_MONOTONIC now.
    package static func now() -> Int64 { read(CLOCK_MONOTONIC) }

    /// Microseconds to add to a time of CLOCK_MONOTONIC for microseconds since 1970.
    ///
    /// Read it once for a recording and keep it: the wall clock may be set in between.
    package static func wallOffset() -> Int64 {
        let before = read(CLOCK_MONOTONIC)
        let wall = read(CLOCK_REALTIME)
        let after = read(CLOCK_MONOTONIC)
        return wall - (before + after) / 2
    }

    /// Minutes that local time is east of UTC at an instant, by the machine's time zone (localtime_r(3)).
    package static func offsetMinutes(secondsSince1970: Int64) -> Int {
        var instant = time_t(secondsSince1970)
        var parts = unsafe tm()
        guard unsafe localtime_r(&instant, &parts) != nil else { return 0 }
        return unsafe parts.tm_gmtoff / 60
    }

    private static func read(_ clock: Int32) -> Int64 {
        var time = timespec()
        // It can not fail for clocks that every Linux has.
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
