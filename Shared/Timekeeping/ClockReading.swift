private import Glibc

/// One reading of a kernel clock.
struct ClockReading {
    let seconds: Int64
    let nanoseconds: Int64

    /// Reads the clock; it can only fail for a clock the kernel does not have, which is a fault of ours.
    static func read(_ clock: Int32) -> ClockReading {
        var time = timespec()
        let result = unsafe clock_gettime(clock, &time)
        precondition(result == 0, "every Linux kernel has CLOCK_REALTIME and CLOCK_BOOTTIME")
        return ClockReading(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}
