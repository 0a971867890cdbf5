import Cameras
import MessageSchema
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

    /// A setting, the luma of the first bar and whether it has colour: white, or yellow's neighbour where the bars
    /// are turned.
    private static let looks: [(name: String, value: Int64, luma: UInt8, isGrey: Bool)] = [
        ("brightness", 0, 210, false), ("brightness", -100, 110, false), ("brightness", 100, 235, false),
        ("color_effects", 1, 210, true), ("color_effects", 3, 41, false), ("horizontal_flip", 1, 41, false),
    ]

    @Test(arguments: looks)
    func `a setting shows in the bars and never in the strip, and stays while the camera is closed`(
        name: String,
        value: Int64,
        luma: UInt8,
        isGrey: Bool
    ) async throws {
        let clock = ManualClock()
        let camera = PatternCamera(BuiltInCameras.back, clock: clock, rate: 10) { 1 }
        #expect(await camera.controls().isEmpty)
        _ = try await camera.open(WantedFormat(width: 320, height: 240))
        let control = try #require(await camera.controls().first { $0.name == name })
        try await camera.set(control, to: .number(value))
        await camera.close()
        _ = try await camera.open(WantedFormat(width: 320, height: 240))
        #expect(await camera.controls().first { $0.name == name }?.value == .number(value))
        for _ in 0..<PatternCamera<ManualClock>.settlingFrames { _ = try await Self.next(camera, clock) }
        let frame = try await Self.next(camera, clock)
        // Below the light's band, in the middle of the second bar.
        let start = (60 * 320 + 60) * 2
        #expect(frame.bytes[start] == luma)
        #expect((frame.bytes[start + 1] == 128 && frame.bytes[start + 3] == 128) == isGrey)
        #expect(Self.number(frame) == PatternCamera<ManualClock>.settlingFrames)
    }

    @Test func `a setting that is not there, or has no such value, is refused`() async throws {
        let camera = PatternCamera(BuiltInCameras.back, clock: ManualClock(), rate: 10) { 1 }
        _ = try await camera.open(WantedFormat(width: 320, height: 240))
        let effects = try #require(await camera.controls().first { $0.name == "color_effects" })
        #expect(effects.menu?.map(\.index) == [0, 1, 3])
        await #expect(throws: CameraError.self) { try await camera.set(effects, to: .number(2)) }
        await #expect(throws: CameraError.self) { try await camera.set(effects, to: .text("None")) }
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
