import Containers
import Media
import Movies

/// A film file: its boxes where it has such, and libavformat's view of it.
struct FilmSource {
    let bytes: RandomAccessBytes
    let type: FileType
    private let boxes: MovieMetadata?

    init(_ bytes: RandomAccessBytes, type: FileType) {
        self.bytes = bytes
        self.type = type
        boxes = type.isBoxedMovie ? MovieReader.read(bytes) : nil
    }

    var isCutShort: Bool { boxes?.isCutShort ?? false }

    /// Whether the index knows sound but no pictures.
    var hasOnlySound: Bool {
        guard let boxes, boxes.hasIndex else { return type == .m4a }
        return boxes.picture == nil && boxes.tracks.contains { $0.handler == "soun" }
    }

    var orientation: Orientation { boxes?.picture?.orientation ?? .up }

    private var demuxer: String? {
        switch type {
        case .quickTime, .mpeg4, .m4v, .threeGPP, .m4a: "mov"
        case .matroska, .webM: "matroska"
        case .avi: "avi"
        case .transportStream: "mpegts"
        case .programStream: "mpeg"
        default: nil
        }
    }

    /// Opens the film with libavformat.
    func open() throws(DecodingError) -> FFmpegFile {
        guard let demuxer else { throw DecodingError(.unsupported, "films of type \(type.uti) are not decoded here") }
        if let boxes, !boxes.hasIndex { throw DecodingError(.unreadable, "the film has no index (moov)") }
        return try FFmpegFile(bytes, demuxer: demuxer)
    }

    /// Whether there are pictures, and with `decoding` whether the first one decodes.
    func check(decoding: Bool) throws(DecodingError) {
        let file = try open()
        guard file.pictures != nil else { throw DecodingError(.noPicture, "there are no pictures in it") }
        if decoding { _ = try file.firstPicture { _, _ in (16, 16) } }
    }

    /// Puts what is known into the report: from the boxes first, the rest from libavformat.
    func fill(_ report: inout InspectionReport) {
        if let boxes {
            report.width = boxes.picture?.width
            report.height = boxes.picture?.height
            report.orientation = boxes.picture?.orientation
            report.duration = boxes.duration
            report.frameRate = boxes.frameRate
            report.codec = boxes.picture?.codec
            report.date = boxes.date
            report.location = boxes.location
            report.cameraMake = boxes.cameraMake
            report.cameraModel = boxes.cameraModel
        }
        // A film that does not open keeps what its boxes say.
        guard let file = try? open() else { return }
        if let pictures = file.pictures {
            report.codec = pictures.codec
            report.width = report.width ?? (pictures.width > 0 ? pictures.width : nil)
            report.height = report.height ?? (pictures.height > 0 ? pictures.height : nil)
            report.frameRate = report.frameRate ?? pictures.frameRate
        }
        if boxes == nil {
            report.duration = file.duration
            report.date = file.text("creation_time").flatMap { Self.date($0) }
        }
    }

    /// Matroska keeps UTC, which libavformat writes with `Z`; AVI keeps a wall clock without an offset.
    private static func date(_ raw: String) -> AssetDate? {
        guard let read = WallClock.read(raw) else { return nil }
        return AssetDate(
            raw: raw,
            local: read.clock.text,
            offsetMinutes: read.offsetMinutes,
            offsetSource: read.offsetMinutes == nil ? .unknown : .container,
            utc: read.offsetMinutes.flatMap { read.clock.utc(offsetMinutes: $0) }
        )
    }
}
