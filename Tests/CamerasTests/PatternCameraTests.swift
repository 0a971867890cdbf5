import Cameras
import Testing
import Timekeeping
import Video4Linux

@Suite(.timeLimit(.minutes(1)))
struct PatternCameraTests {
    private static func number(_ frame: CapturedFrame) -> Int? {
        PatternPicture.number(width: frame.format.width, height: frame.format.height) { column, row in
            frame.bytes[(row * frame.format.width + column) * 2]
        }
    }

    private static func next(_ camera: PatternCamera<ManualClock>, _ clock: ManualClock) async throws -> CapturedFrame {
        async let frame = camera.nextFrame()
        await clock.nextTimerScheduled()
        clock.advance(by: .milliseconds(100))
        return try await frame
    }

    @Test(arguments: [0, 1, 255, 65_536, 0xFF_FFFE], [true, false])
    func `the frame's number can be read from its strip, however dark it is`(number: Int, isMirrored: Bool) {
        let picture = PatternPicture(width: 320, height: 240, isMirrored: isMirrored)
        let bytes = picture.yuyv(number: number, brightness: 0.1, isLit: false)
        #expect(bytes.count == 320 * 240 * 2)
        let read = PatternPicture.number(width: 320, height: 240) { bytes[($1 * 320 + $0) * 2] }
        #expect(read == number)
    }

    @Test func `what is no strip has no number`() {
        #expect(PatternPicture.number(width: 320, height: 240) { _, _ in 0 } == nil)
        #expect(PatternPicture.number(width: 320, height: 240) { _, _ in 255 } == nil)
    }

    @Test func `frames come at the clock's pace, numbered from the opening`() async throws {
        let clock = ManualClock()
        let camera = PatternCamera(BuiltInCameras.back, clock: clock, rate: 10) { 1 }
        let format = try await camera.open(WantedFormat(width: 320, height: 240))
        #expect(format.pixelFormat == .yuyv)
        for expected in 0..<3 {
            let frame = try await Self.next(camera, clock)
            #expect(Self.number(frame) == expected)
            #expect(frame.stamp.lostBefore == 0)
        }
        await camera.close()
        _ = try await camera.open(WantedFormat(width: 320, height: 240))
        #expect(Self.number(try await Self.next(camera, clock)) == 0)
    }

    @Test func `frames that nobody took are lost, and counted`() async throws {
        let clock = ManualClock()
        let camera = PatternCamera(BuiltInCameras.front, clock: clock, rate: 10) { 1 }
        _ = try await camera.open(WantedFormat(width: 320, height: 240))
        _ = try await Self.next(camera, clock)
        clock.advance(by: .milliseconds(500))
        let frame = try await Self.next(camera, clock)
        #expect(Self.number(frame) == 6)
        #expect(frame.stamp.lostBefore == 5)
    }

    @Test func `the light shows in the picture, and only the back camera has one`() async throws {
        let clock = ManualClock()
        let back = PatternCamera(BuiltInCameras.back, clock: clock, rate: 10) { 1 }
        _ = try await back.open(WantedFormat(width: 320, height: 240))
        #expect(try await Self.next(back, clock).bytes[0] == 16)
        try await back.setLight(true)
        #expect(try await Self.next(back, clock).bytes[0] == 235)
        let front = PatternCamera(BuiltInCameras.front, clock: clock) { 1 }
        await #expect(throws: CameraError.self) { try await front.setLight(true) }
    }

    @Test func `a cancelled wait ends at once and loses nothing`() async throws {
        let clock = ManualClock()
        let camera = PatternCamera(BuiltInCameras.back, clock: clock, rate: 10) { 1 }
        _ = try await camera.open(WantedFormat(width: 320, height: 240))
        let waiting = Task { try await camera.nextFrame() }
        await clock.nextTimerScheduled()
        waiting.cancel()
        await #expect(throws: CameraError(.cancelled)) { try await waiting.value }
        #expect(Self.number(try await Self.next(camera, clock)) == 0)
    }
}
