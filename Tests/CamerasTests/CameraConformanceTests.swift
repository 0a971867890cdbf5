import CameraConformance
import Cameras
import MessageSchema
import Testing
import Timekeeping

@Suite(.timeLimit(.minutes(1)))
struct CameraConformanceTests {
    @Test(arguments: CameraRule.allCases, ["pattern-back", "pattern-front"])
    func `a built-in camera`(rule: CameraRule, id: String) async throws {
        let clock = ManualClock()
        let camera = try #require(BuiltInCameras.all.first { $0.id == id })
        try await Self.subject(PatternCamera(camera, clock: clock, rate: 10), clock).check(rule)
    }

    @Test(arguments: CameraRule.allCases, Footage.allCases)
    func `a file camera`(rule: CameraRule, footage: Footage) async throws {
        try await footage.with { path in
            let clock = ManualClock()
            let camera = try #require(FileCameras(path).cameras.first)
            let device = FileCamera(camera, path: path, framesPerSecond: 10, clock: clock)
            try await Self.subject(device, clock).check(rule)
        }
    }

    /// Frames come when the clock is moved by more than one is shown, and by less than two are.
    private static func subject(_ device: any CameraDevice, _ clock: ManualClock) -> CameraSubject {
        CameraSubject(device, wanted: WantedFormat(width: 320, height: 240, h264: .fallback)) {
            await clock.nextTimerScheduled()
        } give: {
            clock.advance(by: .milliseconds(100))
        }
    }
}
