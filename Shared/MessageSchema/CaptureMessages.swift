package import Media

/// What was asked of a camera, or what was granted.
package struct CaptureSettings: Hashable, Sendable, Codable {
    /// An identity or a position when asked; the identity when granted.
    package var camera: String
    /// For a film the light that stays on (torch), off when absent; when granted what became of it, `on` or `off`.
    package var flash: FlashMode?
    /// Whether the flash fired, or any of the film had light; only when granted.
    package var flashFired: Bool?
    package var width: Int?
    package var height: Int?
    package var quality: QualityPreset?
    /// Seconds of filming, within ``Limits/filmSeconds``; when absent ten minutes, and for a timelapse a day.
    package var maximumDuration: Double?
    /// What a film's file is; QuickTime when absent.
    package var container: FilmContainer?
    /// How a film's pictures are compressed; when absent the camera's own way, JPEG for what it does not compress in
    /// QuickTime, and H.264 in MP4.
    package var codec: FilmCodec?
    /// Bytes of a film's file at most, within ``Limits/filmBytes``.
    package var maximumBytes: Int64?
    /// Makes a film a timelapse: seconds from picture to picture, within ``Limits/timelapseSeconds``.
    package var interval: Double?
    /// Pictures of a timelapse that are shown in a second, within ``Limits/playbackRates``; 30 when absent.
    package var playbackFramesPerSecond: Double?
    /// Seconds that are kept in memory while a film is paused, within ``Limits/preRollSeconds``; it begins paused then.
    package var preRoll: Double?
    /// The microphone that a film is heard with; a film is silent when absent, as a timelapse always is.
    ///
    /// An identity, or an empty text for the usual one, when asked; the identity when granted.
    package var microphone: String?
    /// Whether exposure had settled; only when granted.
    package var converged: Bool?
    /// What a photo's file is; a JPEG when absent.
    package var format: PhotoFormat?
    /// Pictures in a row, within ``Limits/burstPictures``; one when absent.
    package var count: Int?
    /// Seconds from the request to the photo, within ``Limits/timerSeconds``; at once when absent.
    package var delay: Double?
    /// What becomes of a photo during another one; it waits when absent.
    package var whenBusy: BusyRule?

    package init(camera: String) { self.camera = camera }

    func check(_ path: String) throws(ErrorReply) {
        try ErrorReply.check(width, Limits.pictureSides, path + ".width", " pixels")
        try ErrorReply.check(height, Limits.pictureSides, path + ".height", " pixels")
        try ErrorReply.check(maximumDuration, Limits.filmSeconds, path + ".maximumDuration", " seconds")
        try ErrorReply.check(maximumBytes, Limits.filmBytes, path + ".maximumBytes", " bytes")
        try ErrorReply.check(count, Limits.burstPictures, path + ".count", " pictures")
        try ErrorReply.check(delay, Limits.timerSeconds, path + ".delay", " seconds")
        try ErrorReply.check(interval, Limits.timelapseSeconds, path + ".interval", " seconds")
        let playback = path + ".playbackFramesPerSecond"
        try ErrorReply.check(playbackFramesPerSecond, Limits.playbackRates, playback)
        if playbackFramesPerSecond != nil, interval == nil {
            throw ErrorReply.invalidParameter(playback, "left out of a film without an interval")
        }
        try ErrorReply.check(preRoll, Limits.preRollSeconds, path + ".preRoll", " seconds")
        if preRoll != nil, interval != nil {
            throw ErrorReply.invalidParameter(path + ".preRoll", "left out of a film with an interval")
        }
        if microphone != nil, interval != nil {
            throw ErrorReply.invalidParameter(path + ".microphone", "left out of a timelapse, which has no sound")
        }
    }
}

/// How one picture was taken.
package struct PictureFacts: Hashable, Sendable, Codable {
    /// What the flash did: `on` or `off`.
    package var flash: FlashMode
    /// Whether exposure had settled.
    package var converged: Bool
    /// Frames since the picture before it that were lost, or no sound pictures.
    package var lostBefore: Int

    package init(flash: FlashMode, converged: Bool, lostBefore: Int) {
        self.flash = flash
        self.converged = converged
        self.lostBefore = lostBefore
    }
}

/// A place in a film where the camera's time is not the film's: what was between is not in it.
package struct FilmCut: Hashable, Sendable, Codable {
    package enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// The program paused it.
        case pause
        /// The camera gave nothing for more than two seconds, or its clock was set.
        case timeJump
    }

    /// Seconds of film before it.
    package var at: Double
    /// Seconds that were left out; less than zero when the camera's clock went back.
    package var gap: Double
    package var reason: Reason

    package init(at: Double, gap: Double, reason: Reason) {
        self.at = at
        self.gap = gap
        self.reason = reason
    }
}

/// The sound of a film, and what became of it.
package struct RecordedSound: Hashable, Sendable, Codable {
    /// Where the sound ended before the film did; the rest is silent.
    package struct End: Hashable, Sendable, Codable {
        package enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
            /// The person took the microphone back, and not the camera.
            case revoked
            /// It was unplugged.
            case removed
            /// It gave nothing any more.
            case stalled
            /// It, or the encoder, failed.
            case fault
        }

        /// Seconds of film before it.
        package var at: Double
        package var reason: Reason

        package init(at: Double, reason: Reason) {
            self.at = at
            self.reason = reason
        }
    }

    /// Its identity.
    package var microphone: String
    /// Samples a second.
    package var rate: Int
    package var channels: Int
    /// How often sound was lost; silence stands for it.
    package var gaps: Int
    /// Seconds of silence that stand for sound.
    package var silence: Double
    /// Absent when there was sound to the end.
    package var ended: End?

    package init(microphone: String, rate: Int, channels: Int, gaps: Int, silence: Double) {
        self.microphone = microphone
        self.rate = rate
        self.channels = channels
        self.gaps = gaps
        self.silence = silence
    }
}

/// What came of a photo or a recording.
package struct CaptureResult: Hashable, Sendable, Codable {
    /// The film, the photo, or the first of several.
    package var asset: Asset
    /// All photos in their order, where more than one was asked for.
    package var assets: [Asset]?
    /// How each photo was taken, in their order.
    package var pictures: [PictureFacts]?
    package var camera: String
    package var asked: CaptureSettings
    package var granted: CaptureSettings
    /// Frames in the film.
    package var frames: Int64?
    /// Frames that the camera lost or that were bad.
    package var droppedFrames: Int64?
    /// Where the film was cut, the first ones; absent when it was not.
    package var cuts: [FilmCut]?
    /// Times at which a picture of a timelapse was due, and the camera gave none before the next was; only of a timelapse.
    package var missedPictures: Int64?
    /// Seconds of the film that were there before `camera.record.resume`; only of a film with pre-roll.
    package var preRoll: Double?
    /// Absent for a film without.
    package var sound: RecordedSound?

    package init(asset: Asset, camera: String, asked: CaptureSettings, granted: CaptureSettings) {
        self.asset = asset
        self.camera = camera
        self.asked = asked
        self.granted = granted
    }
}

/// Takes a photo, or several in a row, into the library; needs `camera/<id>` use and `library` addOnly.
///
/// When several end early, those that were taken stay: the error's parameter `assets` has their URLs.
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
    /// Seconds that the film plays.
    package var duration: Double
    package var bytes: Int64
    /// Whether it is paused.
    package var paused: Bool?
    /// As in the result.
    package var missedPictures: Int64?
    /// Absent for a film without.
    package var sound: RecordedSound?

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
/// A holder that falls silent for three seconds ends the recording, which is kept. A film with pre-roll begins paused, as a
/// use of the camera like any other, and waits for `camera.record.resume`.
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

/// Lists the recordings of the same program that run, paused ones too.
package struct ListRecordings: Request {
    package static let name = "camera.recordings"

    package init() {}

    package struct Reply: Hashable, Sendable, Codable {
        /// Their names, in order.
        package var recordings: [String]

        package init(recordings: [String]) { self.recordings = recordings }
    }
}

/// Pauses a recording of the same program: what the camera gives is not filmed until it is resumed; the camera stays open.
///
/// Pausing what is paused changes nothing.
package struct PauseRecording: Request {
    package typealias Reply = Empty
    package static let name = "camera.record.pause"
    package var recording: String

    package init(recording: String) { self.recording = recording }
}

/// Goes on with a paused recording of the same program; the film goes on where it was paused, with its pre-roll.
package struct ResumeRecording: Request {
    package typealias Reply = Empty
    package static let name = "camera.record.resume"
    package var recording: String

    package init(recording: String) { self.recording = recording }
}
