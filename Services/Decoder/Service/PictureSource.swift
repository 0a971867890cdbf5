import Containers
import Imaging
import Media

/// A picture file: its headers, and its pixels by whichever decoder reads it.
struct PictureSource {
    /// A JPEG is read whole for decoding; more bytes than this are refused.
    static let maximumByteCount: Int64 = 512 << 20

    let bytes: RandomAccessBytes
    let type: FileType
    let metadata: PictureMetadata?
    private let boxes: HEIFReader?

    init(_ bytes: RandomAccessBytes, type: FileType) {
        self.bytes = bytes
        self.type = type
        boxes = [.heic, .heif, .avif].contains(type) ? HEIFReader(bytes) : nil
        metadata = boxes?.metadata ?? PictureReader.read(bytes, type: type)
    }

    /// How the stored pixels are turned for display.
    var orientation: Orientation { metadata?.orientation ?? .up }

    /// What the headers alone show to be wrong; nil for nothing.
    var visibleDamage: String? {
        get throws(DecodingError) {
            guard metadata != nil else { throw DecodingError(.unreadable, "the headers can not be read") }
            return boxes?.isCutShort == true ? "the end of the picture is missing" : nil
        }
    }

    /// Decodes as little as shows whether the picture can be viewed.
    ///
    /// - Returns: What is damaged; nil for a sound picture.
    func checked() throws(DecodingError) -> String? {
        if let damage = try visibleDamage, let boxes {
            try boxes.checkedFirstTile()
            return damage
        }
        if let boxes {
            try boxes.checkedFirstTile()
            return nil
        }
        return try pixels { _, _ in (16, 16) }.damage
    }

    /// The picture, as stored, scaled down to about what `size` makes of its own size; never smaller.
    func pixels(
        size: (_ width: Int, _ height: Int) -> (width: Int, height: Int)
    ) throws(DecodingError) -> (pixels: Pixels, damage: String?) {
        if let width = metadata?.width, let height = metadata?.height {
            try Pixels.checkSize(width: width, height: height)
        }
        if let boxes { return (try boxes.decoded(), nil) }
        if type == .jpeg { return try jpeg(bytes, size) }
        if type.isRaw { return try preview(size) }
        let demuxers: [FileType: String] = [
            .png: "png_pipe", .gif: "gif", .webP: "webp_pipe", .tiff: "tiff_pipe", .bmp: "bmp_pipe",
        ]
        guard let demuxer = demuxers[type] else {
            throw DecodingError(.unsupported, "there is no decoder for \(type.uti)")
        }
        return (try FFmpegFile(bytes, demuxer: demuxer).firstPicture(size: size), nil)
    }

    /// The largest embedded JPEG that decodes stands for a raw picture's pixels.
    private func preview(
        _ size: (Int, Int) -> (width: Int, height: Int)
    ) throws(DecodingError) -> (pixels: Pixels, damage: String?) {
        for range in metadata?.previews ?? [] {
            let part = bytes.part(at: range.lowerBound, count: Int64(range.count))
            guard part.bytes(at: 0, count: 2) == [0xFF, 0xD8] else { continue }
            // A preview that does not decode leaves the next one.
            if let found = try? jpeg(part, size) { return found }
        }
        throw DecodingError(.unsupported, "the raw picture has no preview that can be viewed")
    }

    private func jpeg(
        _ bytes: RandomAccessBytes,
        _ size: (Int, Int) -> (width: Int, height: Int)
    ) throws(DecodingError) -> (pixels: Pixels, damage: String?) {
        guard bytes.count <= Self.maximumByteCount else {
            throw DecodingError(.tooLarge, "the picture has more bytes than are decoded")
        }
        let all = bytes.bytes(at: 0, count: Int(bytes.count))
        guard let segments = try? JPEGSegments(all), segments.scanStart != nil else {
            throw DecodingError(.noPicture, "the JPEG has no scan: it ends before its picture")
        }
        do throws(JPEGError) {
            let decoder = try JPEGDecoder()
            let header = try decoder.header(of: all)
            let target = size(header.width, header.height)
            // Scaling is by eighths of both sides: the side that needs more decides.
            let longer = max(header.width, header.height)
            let share = max(Double(target.width) / Double(header.width), Double(target.height) / Double(header.height))
            let side = max(1, Int((Double(longer) * share).rounded(.up)))
            let picture = try decoder.decode(all, coveringSide: side, maximumPixels: Pixels.limit)
            let pixels = Pixels(width: picture.width, height: picture.height, bytes: picture.bytes)
            return (pixels, picture.damage)
        } catch {
            throw DecodingError(error.code == .tooLarge ? .tooLarge : .noPicture, error.description)
        }
    }
}
