private import Glibc

/// CLOCK_MONOTONIC, the clock of video frames and so of the sound that goes with them.
package enum SoundClock {
    /// Microseconds of CLOCK_MONOTONIC now.
    package static func now() -> Int64 {
        var time = timespec()
        // It can not fail for a clock that every Linux has.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
