import Cameras
private import Media
import MessageSchema
private import Video4Linux

extension PhotoTaker {
    /// Takes photos beside what the camera gives its holders, where the camera can.
    ///
    /// Whoever films or looks at the camera at another size keeps it as it is. The light is theirs, too: a still has none of
    /// its own.
    ///
    /// - Parameters:
    ///   - settings: What was asked.
    ///   - refusal: Why the photos can not be frames, which is the error for cameras that give one size at a time.
    ///   - shooting: Gets the photos.
    ///   - backlog: What waits to be made files.
    /// - Throws: The refusal, `CameraError`, what `check` throws.
    func takeStills(
        _ settings: CaptureSettings,
        besides refusal: CameraInUse,
        into shooting: AsyncStream<Shot>.Continuation,
        _ backlog: ShotBacklog
    ) async throws {
        let frameClock = FrameClock()
        for index in 0..<(settings.count ?? 1) {
            try check()
            let frame: CapturedFrame
            do throws(CameraError) {
                frame = try await session.still(WantedFormat(width: settings.width, height: settings.height))
            } catch {
                guard error.code == .notSupported else { throw error }
                throw refusal
            }
            try check()
            try Task.checkCancellation()
            try checkFormat(frame.format, for: settings.format ?? .jpeg)
            guard let sound = try? PhotoEncoder.sound(frame) else {
                throw CameraError(.fault, "its still was no sound picture")
            }
            while !backlog.add(sound) { try await clock.sleep(for: .milliseconds(20)) }
            shooting.yield(
                Shot(
                    frame: sound,
                    time: LocalTime.at(microsecondsSince1970: frameClock.microsecondsSince1970(frame.stamp)),
                    readings: await session.readings(),
                    // Exposure is that of the frames, which somebody has been taking.
                    facts: PictureFacts(flash: .off, converged: true, lostBefore: 0),
                    index: index
                )
            )
        }
    }
}
