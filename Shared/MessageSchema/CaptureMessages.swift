package import Media

/// What was asked of a camera, or what was granted.
package struct CaptureSettings: Hashable, Sendable, Codable {
    /// An identity or a position when asked; the identity when granted.
    package var camera: String
    package var flash: FlashMode?
    /// Whether the flash fired; only when granted.
    package var flashFired: Bool?
    package var width: Int?
    package var height: Int?
    package var quality: QualityPreset?
    /// Seconds, within ``Limits/filmSeconds``; ten minutes when absent.
    package var maximumDuration: Double?
    /// Whether exposure had settled; only when granted.
    package var converged: Bool?

    package init(camera: String) { self.camera = camera }

    func check(_ path: String) throws(ErrorReply) {
        try ErrorReply.check(width, Limits.pictureSides, path + ".width", " pixels")
        try ErrorReply.check(height, Limits.pictureSides, path + ".height", " pixels")
        try ErrorReply.check(maximumDuration, Limits.filmSeconds, path + ".maximumDuration", " seconds")
    }
}

/// What came of a photo or a recording.
package struct CaptureResult: Hashable, Sendable, Codable {
    package var asset: Asset
    package var camera: String
    package var asked: CaptureSettings
    package var granted: CaptureSettings
    /// Frames in the film.
    package var frames: Int64?
    /// Frames that the camera lost or that were bad.
    package var droppedFrames: Int64?

    package init(asset: Asset, camera: String, asked: CaptureSettings, granted: CaptureSettings) {
        self.asset = asset
        self.camera = camera
        self.asked = asked
        self.granted = granted
    }
}

/// Takes a photo into the library; needs `camera/<id>` use and `library` addOnly.
package struct TakePhoto: Request {
    package typealias Reply = CaptureResult
    package static let name = "camera.photo"
    package var settings: CaptureSettings

    package init(settings: CaptureSettings) { self.settings = settings }

    package func checkParameters() throws(ErrorReply) { try settings.check("settings") }
}

/// How far a recording is.
package struct RecordingProgress: Hashable, Sendable, Codable {
    /// Names the recording to `camera.record.stop`.
    package var recording: String
    package var frames: Int64
    package var droppedFrames: Int64
    /// Seconds.
    package var duration: Double
    package var bytes: Int64

    package init(recording: String, frames: Int64, droppedFrames: Int64, duration: Double, bytes: Int64) {
        self.recording = recording
        self.frames = frames
        self.droppedFrames = droppedFrames
        self.duration = duration
        self.bytes = bytes
    }
}

/// Films into the library until the maximum duration or `camera.record.stop`; `cancel` discards.
///
/// A holder that falls silent for three seconds ends the recording, which is kept.
package struct RecordMovie: StreamRequest {
    package typealias Item = RecordingProgress
    package typealias Summary = CaptureResult
    package static let name = "camera.record"
    package static let creditLimit = Limits.liveCredit
    package var settings: CaptureSettings

    package init(settings: CaptureSettings) { self.settings = settings }

    package func checkParameters() throws(ErrorReply) { try settings.check("settings") }
}

/// Finalises a recording of the same program; its stream then ends with the asset.
package struct StopRecording: Request {
    package typealias Reply = Empty
    package static let name = "camera.record.stop"
    package var recording: String

    package init(recording: String) { self.recording = recording }
}
