import Cameras
import Testing
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct ExposureTests {
    @Test func `three frames of one brightness are settled, and the first three of a ramp are not`() {
        var settling = ExposureSettling()
        let verdicts = [20, 60, 90, 100, 100.5, 100.2].enumerated().map { index, luma in
            settling.look(at: luma, taken: Int64(index) * 33_000)
        }
        #expect(verdicts == [.wait, .wait, .wait, .wait, .wait, .settled])
    }

    @Test func `brightness that never settles is given up after two seconds`() {
        var settling = ExposureSettling()
        var verdict = ExposureSettling.Verdict.wait
        var time: Int64 = 1_000_000
        while verdict == .wait {
            verdict = settling.look(at: Double(time % 7) * 30, taken: time)
            if verdict == .wait { time += 100_000 }
        }
        #expect(verdict == .gaveUp)
        #expect(time == 3_000_000)
    }

    @Test func `a camera of one frame in two seconds is not given up before three frames were compared`() {
        var steady = ExposureSettling()
        let times: [Int64] = [0, 2_000_000, 4_000_000]
        #expect(times.map { steady.look(at: 80, taken: $0) } == [.wait, .wait, .settled])
        var changing = ExposureSettling()
        #expect(times.map { changing.look(at: Double($0) / 100_000, taken: $0) } == [.wait, .wait, .gaveUp])
    }

    @Test func `a frame that says nothing does not count as settled`() {
        var settling = ExposureSettling()
        for index in 0..<10 { #expect(settling.look(at: nil, taken: Int64(index) * 1000) == .wait) }
    }

    @Test func `the brightness of raw and of compressed frames is much the same`() throws {
        let raw = try #require(LumaMeter.mean(of: Frames.raw(1, at: 0)))
        let dark = try #require(LumaMeter.mean(of: Frames.raw(1, at: 0, brightness: 0.2)))
        let jpeg = try #require(LumaMeter.mean(of: try Frames.jpeg(1, at: 0)))
        #expect(dark < raw / 1.5)
        #expect(abs(raw - jpeg) < 25)
    }

    @Test func `bytes that are no picture have no brightness`() {
        let nothing = CapturedFrame(
            bytes: [1, 2, 3],
            format: Frames.motionJPEG,
            stamp: FrameStamp(microseconds: 0, isDriverTime: false, lostBefore: 0)
        )
        #expect(LumaMeter.mean(of: nothing) == nil)
    }

    @Test func `a row of a length that no picture has is only as long as the frame`() throws {
        let frame = Frames.raw(1, at: 0)
        let most = Int(UInt32.max)
        let format = VideoFormat(
            pixelFormat: .grey,
            width: most,
            height: most,
            bytesPerRow: most,
            imageByteCount: most
        )
        let odd = CapturedFrame(bytes: frame.bytes, format: format, stamp: frame.stamp)
        #expect(LumaMeter.mean(of: odd) != nil)
    }
}
