private import Containers
import Files
private import Imaging
import Movies
package import Video4Linux

/// What a file camera replays: the JPEG pictures of a folder, or a film of JPEG pictures or of H.264.
///
/// Reading it blocks on the disk.
package struct FileFootage: Hashable, Sendable {
    /// Where one frame is.
    enum Place: Hashable, Sendable {
        /// The name of a picture in the folder.
        case picture(String)
        case sample(offset: Int64, byteCount: Int)
    }

    struct Frame: Hashable, Sendable {
        let place: Place
        /// Microseconds from the start.
        let start: Int64
        /// Whether decoding can begin with it.
        let isKey: Bool
    }

    /// Rate of a folder's pictures where none is given.
    package static let usualFramesPerSecond = 30.0
    private static let mostPictures = 100_000
    static let mostPictureByteCount = 64 << 20

    package let format: VideoFormat
    /// Microseconds of one round.
    package let duration: Int64
    let path: String
    let frames: [Frame]
    /// For H.264: what goes before keys, and the bytes of units' lengths.
    let configuration: H264Configuration?
    let lengthByteCount: Int

    /// Looks at a folder or a film.
    ///
    /// - Parameters:
    ///   - path: The folder or the film.
    ///   - framesPerSecond: The rate of a folder's pictures; a film has its own times.
    /// - Throws: `absent` where there is nothing, `denied`, `notSupported` for what can not be replayed.
    package init(_ path: String, framesPerSecond: Double? = nil) throws(CameraError) {
        // A pipe that nobody writes to is no reason to wait.
        let file = try Self.reading { () throws(FilesError) in
            try FileDescriptor(opening: path, [.read, .nonBlocking])
        }
        switch try Self.reading({ () throws(FilesError) in try file.status().kind }) {
        case .directory: self = try Self.folder(path, rate: framesPerSecond ?? Self.usualFramesPerSecond)
        case .regular: self = try Self.film(path, file)
        default: throw CameraError(.notSupported, "it is neither a folder nor a file")
        }
    }

    private init(
        path: String,
        format: VideoFormat,
        duration: Int64,
        frames: [Frame],
        configuration: H264Configuration? = nil,
        lengthByteCount: Int = 0
    ) {
        self.path = path
        self.format = format
        self.duration = duration
        self.frames = frames
        self.configuration = configuration
        self.lengthByteCount = lengthByteCount
    }

    /// How the format is listed.
    package var description: VideoFormatDescription {
        VideoFormatDescription(
            pixelFormat: format.pixelFormat,
            text: format.isJPEG ? "Motion-JPEG" : "H.264",
            isCompressed: true,
            isEmulated: false,
            sizes: [
                VideoSizes(
                    width: format.width,
                    height: format.height,
                    intervals: format.interval.map { .discrete([$0]) } ?? .unknown
                )
            ]
        )
    }

    /// Microseconds from the opening at which a frame is due, counted over all rounds: as a camera does, it gives its first
    /// one when that has been exposed.
    func due(_ number: Int) -> Int64 {
        let (round, index) = number.quotientAndRemainder(dividingBy: frames.count)
        return Int64(round) * duration + frames[index].start + firstInterval
    }

    /// The first frame that is not due yet so many microseconds after the opening.
    func upcoming(_ elapsed: Int64) -> Int {
        let time = elapsed - firstInterval
        guard time >= 0 else { return 0 }
        let (round, rest) = time.quotientAndRemainder(dividingBy: duration)
        // Half-open search for the first frame that starts later.
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = (low + high) / 2
            if frames[middle].start <= rest { low = middle + 1 } else { high = middle }
        }
        return Int(round) * frames.count + low
    }

    /// The frame to give when `next` would be the next one and all before `upcoming` are late.
    ///
    /// A sensor has lost what nobody took. Pictures of H.264 are of no use without those before them, so they are given
    /// late, from the newest key that is late itself.
    func chosen(next: Int, upcoming: Int) -> Int {
        guard upcoming > next else { return next }
        guard configuration != nil else { return upcoming }
        var candidate = upcoming - 1
        while candidate > next, upcoming - candidate <= frames.count {
            if frames[candidate % frames.count].isKey { return candidate }
            candidate -= 1
        }
        return next
    }

    private var firstInterval: Int64 { frames.count > 1 ? frames[1].start - frames[0].start : duration }

    // MARK: Looking

    private static func folder(_ path: String, rate: Double) throws(CameraError) -> FileFootage {
        guard rate.isFinite, rate >= 0.001, rate <= 1000 else {
            throw CameraError(.notSupported, "\(rate) pictures a second are not from 0.001 to 1000")
        }
        let folder = try reading { () throws(FilesError) in try Directory(opening: path) }
        let names = try reading { () throws(FilesError) in try folder.entries().map(\.name) }
        let sorted = names.filter { name in
            let text = name.lowercased()
            return text.hasSuffix(".jpg") || text.hasSuffix(".jpeg")
        }.sorted().prefix(mostPictures)
        guard let first = sorted.first else {
            throw CameraError(.notSupported, "there is no picture in the folder whose name ends in .jpg or .jpeg")
        }
        let picture = try reading { () throws(FilesError) in try folder.read(first, limit: mostPictureByteCount) }
        guard let size = pictureSize(picture ?? []) else {
            throw CameraError(.notSupported, "the first picture of the folder is no JPEG")
        }
        let start = { (index: Int) in Int64((Double(index) * 1_000_000 / rate).rounded()) }
        return FileFootage(
            path: path,
            format: format(.motionJPEG, size, interval: start(1)),
            duration: start(sorted.count),
            frames: sorted.enumerated().map { Frame(place: .picture($1), start: start($0), isKey: true) }
        )
    }

    private static func film(_ path: String, _ file: borrowing FileDescriptor) throws(CameraError) -> FileFootage {
        let number = file.rawValue
        let count = try reading { () throws(FilesError) in try file.status().size }
        let bytes = RandomAccessBytes(count: count) { offset, count in
            let descriptor = FileDescriptor(adopting: number)
            // What can not be read is not there; the descriptor is closed by whoever opened it.
            let found = (try? descriptor.read(at: offset, upTo: count)) ?? []
            _ = descriptor.release()
            return found
        }
        let film: MovieSamples
        do throws(MovieSamples.Refusal) {
            film = try MovieSamples(bytes)
        } catch {
            throw CameraError(.notSupported, words(error))
        }
        guard isForward(film) else { throw CameraError(.notSupported, "two of the film's pictures have the same time") }
        var configuration: H264Configuration?
        if case .h264(let found) = film.pictures { configuration = found }
        return FileFootage(
            path: path,
            format: format(
                configuration == nil ? .motionJPEG : .h264,
                (film.width, film.height),
                interval: film.durationMicroseconds / Int64(film.samples.count)
            ),
            duration: film.durationMicroseconds,
            frames: film.samples.map { sample in
                Frame(
                    place: .sample(offset: sample.offset, byteCount: sample.byteCount),
                    start: sample.microseconds,
                    isKey: sample.isKey
                )
            },
            configuration: configuration,
            lengthByteCount: film.lengthByteCount
        )
    }

    /// Every frame is shown for some time.
    private static func isForward(_ film: MovieSamples) -> Bool {
        zip(film.samples, film.samples.dropFirst()).allSatisfy { $0.microseconds < $1.microseconds }
            && film.samples.last.map { $0.microseconds < film.durationMicroseconds } == true
    }

    private static func format(
        _ pixelFormat: PixelFormat,
        _ size: (width: Int, height: Int),
        interval: Int64
    ) -> VideoFormat {
        VideoFormat(
            pixelFormat: pixelFormat,
            width: size.width,
            height: size.height,
            bytesPerRow: 0,
            imageByteCount: mostPictureByteCount,
            interval: FrameInterval(numerator: UInt32(clamping: interval), denominator: 1_000_000)
        )
    }

    /// The size of a JPEG picture; nil for what is none.
    static func pictureSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        // What is no JPEG has no size.
        guard let size = (try? JPEGSegments(bytes))?.size, size.width > 0, size.height > 0 else { return nil }
        return size
    }

    /// Why a film is not replayed, and what makes one that is.
    private static func words(_ refusal: MovieSamples.Refusal) -> String {
        switch refusal {
        case .noMovie: "it is no QuickTime or MP4 film, or one whose end is missing"
        case .noPictures: "the film has no track of pictures"
        case .codec(let name): "the film's pictures are '\(plain(name.description))', and neither JPEG nor H.264"
        case .outOfOrder:
            "the film's pictures are in another order than they are shown (B-frames); 'ffmpeg -i FILE -c:v libx264 -bf 0 "
                + "FILE.mp4' makes one without"
        case .fragments: "the film is in fragments; 'ffmpeg -i FILE -c copy FILE.mp4' makes one that is not"
        case .badTables: "the film's tables make no sense"
        case .cutShort: "the end of the film is missing"
        case .noFirstKey: "the film does not begin with a picture that needs no other"
        }
    }

    private static func plain(_ name: String) -> String { String(name.filter { $0.isLetter || $0.isNumber }) }

    private static func reading<Value: ~Copyable>(_ body: () throws(FilesError) -> Value) throws(CameraError) -> Value {
        do throws(FilesError) {
            return try body()
        } catch {
            throw Self.error(error)
        }
    }

    static func error(_ error: FilesError) -> CameraError {
        switch error.code {
        case .notFound: CameraError(.absent, "there is no such file", errorNumber: error.errorNumber)
        case .notPermitted: CameraError(.denied, "the file may not be read", errorNumber: error.errorNumber)
        default: CameraError(.fault, error.operation, errorNumber: error.errorNumber)
        }
    }
}
