import Cameras
private import Encoding
private import Imaging
package import Media
import Movies
import Video4Linux

/// What is asked of a film, beside its length.
package struct FilmPlan: Hashable, Sendable {
    package var container = FilmContainer.mov
    /// The wish; what it becomes is known with the camera's format.
    package var codec: FilmCodec?
    package var quality = QualityPreset.medium
    /// Bytes of the file at most.
    package var maximumByteCount: Int64?
    /// What the camera's light does while it films; nil is off.
    package var light: FlashMode?
    /// Nil for a film of every frame.
    package var timelapse: Timelapse?
    /// Microseconds that are kept while the film is paused, as it is at first; nil for a film that begins at once.
    package var preRoll: Int64?

    /// A QuickTime film of the usual quality, as the camera likes.
    package init() {}
}

/// Makes the samples of a film of a camera's frames: passes through what the camera compressed, encodes the rest.
struct FilmPictures: ~Copyable {
    /// One picture as the movie has it.
    struct Sample {
        let bytes: [UInt8]
        let isKey: Bool
        let pictures: MoviePictures
        /// Pixels, where the stream itself says.
        let size: (width: Int, height: Int)?
    }

    /// What a frame brought.
    enum Outcome {
        case sample(Sample)
        /// It is no picture; the next one may be good.
        case bad
        /// It can not be decoded without ones that are not in the film, or has no picture by design.
        case unneeded
    }

    private static let jpegQuality = 85

    /// What the codec became.
    let codec: FilmCodec
    private let isCompressedByCamera: Bool
    /// Whether each picture has to do without those before it, which may not be in the film.
    private let isSparse: Bool
    private let jpeg: FrameEncoder
    private let decoder: JPEGDecoder
    private var encoder: H264Encoder?
    private let encoderShape: PictureShape?
    private var configuration: H264Configuration?

    /// Decides how the film is made.
    ///
    /// - Throws: `EncodingError`, `JPEGError`.
    init(_ format: VideoFormat, _ plan: FilmPlan) throws {
        let isCompressedByCamera = format.pixelFormat == .h264
        let isWanted = plan.codec == .h264 || plan.codec == nil && plan.container == .mp4 && !format.isJPEG
        let isEncoded = isWanted && !isCompressedByCamera && H264Encoder.isAvailable
        // A camera's JPEG that is to be H.264 is decoded first.
        let decoded = PictureShape(layout: .rgb24, width: format.width, height: format.height)
        let shape = isEncoded ? format.pictureShape ?? decoded : nil
        // What can fail comes before anything is stored.
        let jpeg = try FrameEncoder(quality: Self.jpegQuality)
        let decoder = try JPEGDecoder()
        let rate = plan.timelapse?.framesPerSecond ?? format.interval.map { 1 / $0.seconds }
        let encoder = try Self.encoder(shape, plan, format.colours ?? .sRGB, framesPerSecond: rate)
        codec = isEncoded || isCompressedByCamera ? .h264 : .jpeg
        self.isCompressedByCamera = isCompressedByCamera
        isSparse = plan.timelapse != nil
        self.jpeg = jpeg
        self.decoder = decoder
        self.encoder = encoder
        encoderShape = shape
    }

    private static func encoder(
        _ shape: PictureShape?,
        _ plan: FilmPlan,
        _ colours: PictureColours,
        framesPerSecond: Double?
    ) throws(EncodingError) -> H264Encoder? {
        guard let shape else { return nil }
        return try H264Encoder(
            shape,
            quality: H264Quality(plan.quality),
            colours: colours,
            framesPerSecond: framesPerSecond
        )
    }

    /// Makes the sample of a frame.
    ///
    /// - Parameters:
    ///   - frame: What the camera gave.
    ///   - time: Microseconds of the film; later than that of the frame before.
    ///   - needsKey: Whether the film can only go on with a picture that needs no other.
    /// - Returns: The sample, or why there is none.
    /// - Throws: `CameraError` for a stream that can not be filmed, `EncodingError` when the encoder failed.
    mutating func outcome(of frame: CapturedFrame, at time: Int64, needsKey: Bool) throws -> Outcome {
        if isCompressedByCamera { return try passed(frame, needsKey: needsKey) }
        guard codec == .h264 else {
            // A frame that is no picture is skipped; the next one may be good.
            guard let picture = try? jpeg.picture(of: frame) else { return .bad }
            return .sample(Sample(bytes: picture, isKey: true, pictures: .motionJPEG, size: nil))
        }
        return try encoded(frame, at: time, asKey: needsKey)
    }

    private mutating func passed(_ frame: CapturedFrame, needsKey: Bool) throws -> Outcome {
        guard let unit = H264AccessUnit(annexB: frame.bytes) else { return .bad }
        try note(unit)
        guard !unit.sample.isEmpty, let configuration, unit.isKey || !needsKey && !isSparse else { return .unneeded }
        guard !unit.isBidirectional || configuration.parameters.isInOrder else {
            throw CameraError(.notSupported, "its H.264 has pictures out of order (B pictures)")
        }
        return .sample(Self.sample(unit, configuration))
    }

    /// Looks at a frame that is not wanted: in a camera's own H.264 it may say how later ones are to be decoded.
    ///
    /// - Throws: `CameraError` for a stream that can not be filmed any more.
    mutating func skip(_ frame: CapturedFrame) throws {
        guard isCompressedByCamera, let unit = H264AccessUnit(annexB: frame.bytes) else { return }
        try note(unit)
    }

    private mutating func note(_ unit: H264AccessUnit) throws {
        guard let found = unit.configuration else { return }
        if let configuration, configuration != found { throw CameraError(.fault, "it changed its H.264 format") }
        configuration = found
    }

    private mutating func encoded(_ frame: CapturedFrame, at time: Int64, asKey: Bool) throws -> Outcome {
        guard let bytes = uncompressed(frame) else { return .bad }
        let made: [H264Encoder.Picture]
        do throws(EncodingError) {
            made = try encoder?.encode(bytes, at: time, asKey: asKey) ?? []
        } catch {
            guard error.code == .badPicture else { throw error }
            return .bad
        }
        // Each picture comes out at once; an encoder that did otherwise would shift the film by a frame.
        guard made.count == 1, let picture = made.first, let unit = H264AccessUnit(annexB: picture.bytes) else {
            throw EncodingError(.codec)
        }
        if let found = unit.configuration { configuration = found }
        guard let configuration else { throw EncodingError(.codec) }
        return .sample(Self.sample(unit, configuration))
    }

    /// The pixels that the encoder takes; nil for a JPEG that can not be decoded, or of another size.
    private func uncompressed(_ frame: CapturedFrame) -> [UInt8]? {
        guard frame.format.isJPEG else { return frame.bytes }
        guard let whole = try? JPEGRepair.repaired(frame.bytes).bytes, let picture = try? decoder.decode(whole),
            picture.width == encoderShape?.width, picture.height == encoderShape?.height
        else { return nil }
        return picture.bytes
    }

    private static func sample(_ unit: H264AccessUnit, _ configuration: H264Configuration) -> Sample {
        Sample(
            bytes: unit.sample,
            isKey: unit.isKey,
            pictures: .h264(configuration),
            size: (configuration.parameters.width, configuration.parameters.height)
        )
    }
}
