/// What a buffer from the driver says about itself.
package struct BufferReport: Hashable, Sendable {
    package var byteCount: Int
    /// `v4l2_buffer.flags`.
    package var flags: UInt32
    package var sequence: UInt32
    /// Microseconds, on the clock that the flags name.
    package var microseconds: Int64
    /// The most bytes that the buffer can have.
    package var capacity: Int

    /// A report with all its parts.
    package init(byteCount: Int, flags: UInt32, sequence: UInt32, microseconds: Int64, capacity: Int = .max) {
        self.byteCount = byteCount
        self.capacity = capacity
        self.flags = flags
        self.sequence = sequence
        self.microseconds = microseconds
    }
}

/// What is known about a good frame.
package struct FrameStamp: Hashable, Sendable {
    /// Microseconds of CLOCK_MONOTONIC at which the picture was taken, as well as that is known.
    package let microseconds: Int64
    /// Whether the time is the driver's; else it is when the frame arrived.
    package let isDriverTime: Bool
    /// Frames that were lost between the last good frame and this one, those that were no good among them.
    package let lostBefore: Int

    /// A stamp with all its parts.
    package init(microseconds: Int64, isDriverTime: Bool, lostBefore: Int) {
        self.microseconds = microseconds
        self.isDriverTime = isDriverTime
        self.lostBefore = lostBefore
    }
}

/// Decides which buffers are good frames, counts the others, and mends timestamps; a value without any device.
///
/// Sources: V4L2's buffer.rst and vidioc-qbuf.rst for the flags; the four distrusts of clocks are those of GStreamer's
/// v4l2src (in the future, backwards, more than ten seconds off, another clock).
package struct FrameSieve: Sendable {
    /// Why a buffer was no good frame.
    package enum Fault: String, Hashable, Sendable {
        /// The driver flagged it (V4L2_BUF_FLAG_ERROR).
        case flagged
        /// It has no bytes, or fewer than an uncompressed picture has.
        case short
        /// It claims more bytes than its buffer has.
        case oversized
    }

    /// What came of one buffer.
    package enum Verdict: Hashable, Sendable {
        case good(FrameStamp)
        case bad(Fault)
    }

    private static let errorFlag: UInt32 = 0x40
    private static let clockMask: UInt32 = 0xE000
    private static let monotonicClock: UInt32 = 0x2000

    /// The bytes of a picture; a driver may add padding, never leave some out.
    private let leastByteCount: Int
    private var lastSequence: UInt32?
    private var lastMicroseconds: Int64 = .min
    private var badSinceGood = 0

    /// Good frames so far.
    package private(set) var goodFrames = 0
    /// Frames lost before they reached this process, by gaps in the driver's sequence.
    package private(set) var lostFrames = 0
    /// Buffers that were no good frames.
    package private(set) var badFrames = 0

    /// A sieve for pictures of this many bytes at least.
    package init(leastByteCount: Int) {
        self.leastByteCount = max(1, leastByteCount)
    }

    /// Judges a buffer that was dequeued at `now`, in microseconds of CLOCK_MONOTONIC.
    package mutating func judge(_ report: BufferReport, now: Int64) -> Verdict {
        let isShort = report.byteCount < leastByteCount
        let isOversized = report.byteCount > report.capacity
        let fault: Fault? =
            report.flags & Self.errorFlag != 0 ? .flagged : isOversized ? .oversized : isShort ? .short : nil
        // A flagged buffer's own number may be nonsense (uvcvideo: zero), so it does not move the count.
        if let fault {
            badFrames += 1
            badSinceGood += 1
            return .bad(fault)
        }
        let lost = max(0, gap(before: report.sequence) - badSinceGood)
        lostFrames += lost
        let missing = lost + badSinceGood
        badSinceGood = 0
        lastSequence = report.sequence
        goodFrames += 1

        let isTrusted =
            report.flags & Self.clockMask == Self.monotonicClock && report.microseconds <= now
            && report.microseconds > lastMicroseconds && report.microseconds > now - 10_000_000
        // Arrival times never repeat either, so that a film's time always goes forward.
        let time = isTrusted ? report.microseconds : max(now, lastMicroseconds == .min ? now : lastMicroseconds + 1)
        lastMicroseconds = time
        return .good(FrameStamp(microseconds: time, isDriverTime: isTrusted, lostBefore: missing))
    }

    /// Forgets where the driver's sequence was: streaming starts anew.
    package mutating func restart() {
        lastSequence = nil
        badSinceGood = 0
    }

    /// Frames missing before `sequence`, in arithmetic that wraps; two frames with one number are fields of one.
    private func gap(before sequence: UInt32) -> Int {
        guard let lastSequence else { return 0 }
        let step = sequence &- lastSequence
        // A step backwards is a driver that started anew, not four billion lost frames.
        return step == 0 || step > UInt32.max / 2 ? 0 : Int(step) - 1
    }
}
