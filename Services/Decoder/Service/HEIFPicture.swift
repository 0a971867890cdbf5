import Containers
import Movies

extension HEIFReader {
    /// A still is coded in some megabytes; more is not read.
    private static let maximumCodedByteCount: Int64 = 256 << 20

    /// Decodes the first tile alone, which shows whether there is a decoder for the picture and its bytes are there.
    package func checkedFirstTile() throws(DecodingError) {
        guard let item = items[primary] else { throw DecodingError(.unreadable, "the file has no primary picture") }
        if item.type == "grid" {
            guard let first = tiles[primary]?.first else { throw DecodingError(.unreadable, "the grid has no tiles") }
            _ = try decode(first)
        } else {
            _ = try decode(primary)
        }
    }

    /// Whether bytes of the picture lie beyond the end of the file.
    package var isCutShort: Bool {
        ([primary] + (tiles[primary] ?? [])).contains { items[$0]?.isCutShort != false }
    }

    /// Decodes the picture, as stored: its tiles are put together, its turn is not applied.
    package func decoded() throws(DecodingError) -> Pixels {
        guard let item = items[primary] else { throw DecodingError(.unreadable, "the file has no primary picture") }
        guard item.type == "grid" else { return try decode(primary) }
        let grid = try grid(item)
        try Pixels.checkSize(width: grid.width, height: grid.height)
        let members = tiles[primary] ?? []
        guard members.count == grid.rows * grid.columns else {
            throw DecodingError(.unreadable, "the grid has \(members.count) tiles of \(grid.rows * grid.columns)")
        }
        var canvas = [UInt8](repeating: 0, count: grid.width * grid.height * 3)
        for (index, member) in members.enumerated() {
            let tile = try decode(member)
            let left = index % grid.columns * tile.width
            let top = index / grid.columns * tile.height
            let columns = min(tile.width, grid.width - left)
            guard columns > 0 else { continue }
            for row in 0..<max(0, min(tile.height, grid.height - top)) {
                let from = row * tile.width * 3
                let to = ((top + row) * grid.width + left) * 3
                canvas.replaceSubrange(to..<to + columns * 3, with: tile.bytes[from..<from + columns * 3])
            }
        }
        return Pixels(width: grid.width, height: grid.height, bytes: canvas)
    }

    /// ISO/IEC 23008-12 clause 6.6.2.3.2.
    private func grid(_ item: Item) throws(DecodingError) -> (rows: Int, columns: Int, width: Int, height: Int) {
        let bytes = try coded(item)
        let fields = ByteFields(bytes)
        guard let flags = fields.uint8(1), let rows = fields.uint8(2), let columns = fields.uint8(3) else {
            throw DecodingError(.unreadable, "the grid is cut short")
        }
        let isLong = flags & 1 == 1
        let width = isLong ? fields.uint32(4) : fields.uint16(4).map { UInt32($0) }
        let height = isLong ? fields.uint32(8) : fields.uint16(6).map { UInt32($0) }
        guard let width, let height, width > 0, height > 0 else {
            throw DecodingError(.unreadable, "the grid is cut short")
        }
        return (Int(rows) + 1, Int(columns) + 1, Int(width), Int(height))
    }

    private func coded(_ item: Item) throws(DecodingError) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in item.parts {
            guard part.count + Int64(bytes.count) <= Self.maximumCodedByteCount else {
                throw DecodingError(.tooLarge, "the picture is coded in more bytes than are read")
            }
            bytes += part.bytes(at: 0, count: Int(part.count))
        }
        guard !bytes.isEmpty else { throw DecodingError(.unreadable, "the picture's bytes are not in the file") }
        return bytes
    }

    private func decode(_ id: UInt32) throws(DecodingError) -> Pixels {
        guard let item = items[id], let size = Self.size(item) else {
            throw DecodingError(.unreadable, "a picture without a size")
        }
        let kinds: [String: (PictureCodec.StillCodec, FourCharacterCode)] = [
            "hvc1": (.hevc, "hvcC"), "hev1": (.hevc, "hvcC"), "av01": (.av1, "av1C"),
        ]
        guard let (codec, name) = kinds[item.type] else {
            throw DecodingError(.unsupported, "there is no decoder for pictures of type \(item.type)")
        }
        guard let configuration = item.properties.first(where: { $0.name == name })?.payload else {
            throw DecodingError(.unreadable, "a picture without the configuration of its codec")
        }
        return try PictureCodec.decodeStill(
            try coded(item),
            codec: codec,
            configuration: configuration.bytes(at: 0, count: 65_536),
            width: size.width,
            height: size.height
        )
    }
}
