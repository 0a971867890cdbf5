import Media
import MessageSchema

/// How a film is taken; what is nil is as the camera and the cluster like it.
public struct FilmSettings: Hashable, Sendable {
    /// How a film's pictures are compressed.
    public enum Codec: String, Hashable, Sendable, CaseIterable {
        /// Motion JPEG.
        case jpeg
        case h264
    }

    /// What a film's file is.
    public enum Container: String, Hashable, Sendable, CaseIterable {
        /// QuickTime.
        case mov
        case mp4
    }

    /// Which microphone a film is heard with.
    public enum Microphone: Hashable, Sendable {
        /// The first that is free.
        case usual
        /// The one of that identity (``MicrophoneInfo/id``).
        case id(String)
    }

    /// Time of filming at most, pauses not included: 0.1 seconds to a day; ten minutes, and for a timelapse a day, when nil.
    public var maximumDuration: Duration?
    /// Bytes of the file at most.
    public var maximumByteCount: Int64?
    public var container: Container?
    public var codec: Codec?
    /// Whether the camera's light is on while it films; off when nil.
    public var light: CameraFlash?
    /// Makes a timelapse: the time from picture to picture, 0.1 seconds to an hour.
    public var interval: Duration?
    /// Pictures of a timelapse that are shown in a second, 1 to 120; 30 when nil.
    public var playbackFramesPerSecond: Double?
    /// How much of the time before ``CameraRecording/resume()`` is in the film, 0.1 to 30 seconds: it begins paused then.
    public var preRoll: Duration?

    /// Whose sound the film has, if the person allows that too; none when nil, and not with an ``interval``.
    public var microphone: Microphone?

    /// The cluster's usual film.
    public init() {}

    func message(for camera: String) -> CaptureSettings {
        var settings = CaptureSettings(camera: camera)
        settings.maximumDuration = maximumDuration.map { $0 / .seconds(1) }
        settings.maximumBytes = maximumByteCount
        settings.container =
            switch container {
            case .mov: .mov
            case .mp4: .mp4
            case nil: nil
            }
        settings.codec =
            switch codec {
            case .jpeg: .jpeg
            case .h264: .h264
            case nil: nil
            }
        settings.flash = light?.message
        settings.interval = interval.map { $0 / .seconds(1) }
        settings.playbackFramesPerSecond = playbackFramesPerSecond
        settings.preRoll = preRoll.map { $0 / .seconds(1) }
        settings.microphone =
            switch microphone {
            case .usual: ""
            case .id(let id): id
            case nil: nil
            }
        return settings
    }
}

/// How far a film is.
public struct FilmProgress: Hashable, Sendable {
    /// Frames in the film.
    public let frames: Int64
    /// Frames that were lost, or no pictures.
    public let droppedFrames: Int64
    /// How long the film plays.
    public let duration: Duration
    /// Bytes of its pictures.
    public let byteCount: Int64
    /// Whether nothing is filmed now.
    public let isPaused: Bool
    /// What became of the sound so far; nil for a film without.
    public let sound: FilmSound?

    init(_ progress: RecordingProgress) {
        frames = progress.frames
        droppedFrames = progress.droppedFrames
        duration = .seconds(progress.duration)
        byteCount = progress.bytes
        isPaused = progress.paused ?? false
        sound = progress.sound.map(FilmSound.init)
    }
}

/// A place in a film where something was left out.
public struct FilmGap: Hashable, Sendable {
    /// Film before it.
    public let time: Duration
    /// How much was left out; less than nothing when the camera's clock went back.
    public let length: Duration
    /// Whether the program paused the film there; else the camera's time jumped.
    public let isPause: Bool

    init(_ cut: FilmCut) {
        time = .seconds(cut.at)
        length = .seconds(cut.gap)
        isPause = cut.reason == .pause
    }
}

/// A film that was taken: the asset, and how it was taken.
public struct Film: Hashable, Sendable {
    /// The film in the library, which the program may look at and read.
    public let asset: Asset
    /// The identity of the camera.
    public let camera: String
    /// Frames in the film.
    public let frames: Int64
    /// Frames that were lost, or no pictures.
    public let droppedFrames: Int64
    /// Whether the camera's light was on; false when none was asked for.
    public let hasLight: Bool
    /// Where something was left out, the first ones.
    public let gaps: [FilmGap]
    /// How much of the film was there before it was resumed; nil for a film without pre-roll.
    public let preRoll: Duration?
    /// Pictures of a timelapse that were due and that the camera did not give; nil for what is none.
    public let missedPictures: Int64?
    /// What became of the sound; nil for a film without.
    public let sound: FilmSound?

    init(_ result: CaptureResult, _ cluster: ObscuraCluster) {
        asset = Asset(result.asset, cluster)
        camera = result.camera
        frames = result.frames ?? 0
        droppedFrames = result.droppedFrames ?? 0
        hasLight = result.granted.flashFired ?? false
        gaps = (result.cuts ?? []).map(FilmGap.init)
        preRoll = result.preRoll.map { .seconds($0) }
        missedPictures = result.missedPictures
        sound = result.sound.map(FilmSound.init)
    }
}
