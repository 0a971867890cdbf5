import Cameras
import MessageSchema
import TestSupport
import Timekeeping

@testable import CaptureService

/// A recording of a scripted camera, whose progress is told one by one.
struct RecordingTake {
    /// Why a film ends of which the person wants no more.
    struct Withdrawn: Error {}

    let camera: ScriptedCamera
    let session: CameraSession
    let recording: Recording
    let clock = ManualClock()
    /// Opened when the person withdraws.
    let gone = Latch()
    /// One for each time that the recording asked whether it may go on: before its first frame, and for each frame.
    let looks = Notes<Void>()
    let progress: AsyncStream<RecordingProgress>
    private let telling: AsyncStream<RecordingProgress>.Continuation

    /// A film in that folder; with pre-roll it waits for the wish to begin.
    init(_ folder: String, plan: FilmPlan = FilmPlan(), of camera: ScriptedCamera = ScriptedCamera()) {
        self.camera = camera
        session = CameraSession(device: camera)
        recording = Recording(
            id: "r",
            camera: camera.camera,
            session: session,
            film: FilmWriter(path: folder + "/film", plan: plan),
            stop: Latch(),
            pause: PauseSwitch(isPaused: plan.preRoll != nil),
            clock: clock
        )
        (progress, telling) = AsyncStream.makeStream()
    }

    var film: FilmWriter { recording.film }
    var stop: Latch { recording.stop }
    var pause: PauseSwitch { recording.pause }

    /// Films until it ends.
    func run(_ maximum: Int64 = 10_000_000) async -> Recording.End {
        await recording.run(
            WantedFormat(),
            maximum: maximum,
            check: { [looks] in looks.add(()) },
            revoked: { [gone] in
                await gone.wait()
                return gone.isOpen ? Withdrawn() : nil
            },
            isGone: { false },
            progress: { [telling] in telling.yield($0) }
        ).end
    }
}
