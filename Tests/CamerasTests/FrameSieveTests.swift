import Testing
import Video4Linux

@Suite(.timeLimit(.minutes(1)))
struct FrameSieveTests {
    private static let now: Int64 = 50_000_000

    private static func report(
        _ sequence: UInt32,
        bytes: Int = 100,
        flags: UInt32 = 0x2001,
        at microseconds: Int64? = nil
    ) -> BufferReport {
        BufferReport(
            byteCount: bytes,
            flags: flags,
            sequence: sequence,
            microseconds: microseconds ?? now - 1_000_000 + Int64(sequence % 1000) * 1000
        )
    }

    @Test func `a good frame keeps the driver's monotonic time`() {
        var sieve = FrameSieve(leastByteCount: 100)
        let verdict = sieve.judge(Self.report(0, at: 49_000_000), now: Self.now)
        #expect(verdict == .good(FrameStamp(microseconds: 49_000_000, isDriverTime: true, lostBefore: 0)))
    }

    @Test(arguments: [
        // In the future; long ago; another clock (v4l2loopback's unknown one); raspberrypi/linux issue 1984.
        (Int64(50_000_001), UInt32(0x2001)), (Int64(39_000_000), UInt32(0x2001)), (Int64(49_000_000), UInt32(0x0001)),
        (Int64(4_154_505_010_200_000), UInt32(0x2001)),
    ])
    func `a time that can not be is replaced by the time of arrival`(time: Int64, flags: UInt32) {
        var sieve = FrameSieve(leastByteCount: 1)
        let verdict = sieve.judge(Self.report(0, flags: flags, at: time), now: Self.now)
        #expect(verdict == .good(FrameStamp(microseconds: Self.now, isDriverTime: false, lostBefore: 0)))
    }

    @Test func `times never go backwards nor repeat, whatever the driver says`() {
        var sieve = FrameSieve(leastByteCount: 1)
        var last = Int64.min
        for (index, time) in [49_000_000, 48_000_000, 49_000_000, 60_000_000, 49_500_000].enumerated()
            as EnumeratedSequence<[Int64]>
        {
            guard case .good(let stamp) = sieve.judge(Self.report(UInt32(index), at: time), now: Self.now) else {
                Issue.record("A frame was refused.")
                return
            }
            #expect(stamp.microseconds > last)
            last = stamp.microseconds
        }
    }

    @Test func `flagged, empty and short frames are counted and are no frames`() {
        var sieve = FrameSieve(leastByteCount: 100)
        #expect(sieve.judge(Self.report(0, flags: 0x2041), now: Self.now) == .bad(.flagged))
        #expect(sieve.judge(Self.report(1, bytes: 0), now: Self.now) == .bad(.short))
        #expect(sieve.judge(Self.report(2, bytes: 99), now: Self.now) == .bad(.short))
        #expect(sieve.badFrames == 3)
        #expect(sieve.goodFrames == 0)
    }

    @Test func `a frame that claims more bytes than its buffer has is none`() {
        var sieve = FrameSieve(leastByteCount: 100)
        var report = Self.report(0, bytes: 4_096)
        report.capacity = 4_096
        #expect(sieve.judge(report, now: Self.now) != .bad(.oversized))
        report.capacity = 4_095
        #expect(sieve.judge(report, now: Self.now) == .bad(.oversized))
    }

    @Test func `frames that were no good count as lost to whoever takes the next one`() {
        var sieve = FrameSieve(leastByteCount: 1)
        _ = sieve.judge(Self.report(10), now: Self.now)
        _ = sieve.judge(Self.report(11, flags: 0x2041), now: Self.now)
        guard case .good(let stamp) = sieve.judge(Self.report(14), now: Self.now) else {
            Issue.record("A good frame was refused.")
            return
        }
        #expect(stamp.lostBefore == 3)
        #expect((sieve.lostFrames, sieve.badFrames) == (2, 1))
    }

    @Test func `gaps in the sequence are lost frames, also where the numbers wrap`() {
        var sieve = FrameSieve(leastByteCount: 1)
        var lost: [Int] = []
        for sequence: UInt32 in [4_294_967_290, 4_294_967_294, 1, 1, 2] {
            if case .good(let stamp) = sieve.judge(Self.report(sequence), now: Self.now) {
                lost.append(stamp.lostBefore)
            }
        }
        // 4294967295 and 0 are missing between the second and the third.
        #expect(lost == [0, 3, 2, 0, 0])
        #expect(sieve.lostFrames == 5)
    }

    @Test func `a bad frame in between is not counted twice`() {
        var sieve = FrameSieve(leastByteCount: 1)
        _ = sieve.judge(Self.report(10), now: Self.now)
        _ = sieve.judge(Self.report(11, flags: 0x2041), now: Self.now)
        _ = sieve.judge(Self.report(13), now: Self.now)
        #expect(sieve.badFrames == 1)
        #expect(sieve.lostFrames == 1)
    }

    @Test func `a driver that starts counting anew has not lost four billion frames`() {
        var sieve = FrameSieve(leastByteCount: 1)
        _ = sieve.judge(Self.report(1000), now: Self.now)
        _ = sieve.judge(Self.report(0), now: Self.now)
        sieve.restart()
        _ = sieve.judge(Self.report(77), now: Self.now)
        #expect(sieve.lostFrames == 0)
    }
}
