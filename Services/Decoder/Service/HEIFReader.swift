package import Containers
package import Imaging
private import Media
import Movies

/// The items of a HEIC, HEIF or AVIF file: which one is the picture, where its bytes lie, and what is said about it.
///
/// Source: ISO/IEC 14496-12 clause 8.11 (`meta`, `iloc`, `iinf`, `iref`); ISO/IEC 23008-12 clauses 6.5 and 6.6.
/// `irot` and `imir` say how the picture is turned; the orientation in its EXIF block is informative only and not used.
package struct HEIFReader {
    /// More items or references than this are not looked at.
    static let maximumItemCount = 20_000

    /// One item: its type, its properties, and where its bytes lie.
    struct Item {
        var type = ""
        var properties: [FoundBox] = []
        var parts: [RandomAccessBytes] = []
        /// Whether a part lies beyond the end of the file.
        var isCutShort = false
    }

    let primary: UInt32
    private(set) var items: [UInt32: Item] = [:]
    /// The tiles of each grid, in order.
    private(set) var tiles: [UInt32: [UInt32]] = [:]
    private(set) var metadataItem: UInt32?

    /// Reads the boxes; nil if there is no primary item.
    package init?(_ bytes: RandomAccessBytes) {
        guard let meta = bytes.boxes().first(where: { $0.name == "meta" }) else { return nil }
        let parts = meta.children(skip: 4)
        func part(_ name: FourCharacterCode) -> RandomAccessBytes? { parts.first { $0.name == name }?.payload }
        guard let first = part("pitm"), let primary = Self.identifier(first, at: 4, isLong: Self.version(first) > 0)
        else {
            return nil
        }
        self.primary = primary
        part("iinf").map { readTypes($0) }
        part("iprp").map { readProperties($0) }
        part("iref").map { readReferences($0) }
        part("iloc").map { table in
            let places = ItemLocations(table, file: bytes, inside: part("idat"))
            for (id, place) in places.found {
                items[id]?.parts = place.parts
                items[id]?.isCutShort = place.isCutShort
            }
        }
    }

    /// Size, orientation, and what the EXIF block says.
    package var metadata: PictureMetadata {
        var found = PictureMetadata()
        if let block = metadataItem.flatMap({ items[$0]?.parts.first }),
            // Four bytes say how far behind them the TIFF header starts.
            let skip = block.fields(at: 0, count: 4)?.uint32(0)
        {
            found = EXIFReader.read(block.part(at: 4 + Int64(skip))) ?? PictureMetadata()
        }
        let size = items[primary].flatMap { Self.size($0) }
        found.width = size?.width
        found.height = size?.height
        found.orientation = orientation
        return found
    }

    /// The turns and mirrors of the primary item, in the order they are applied in.
    private var orientation: Orientation {
        (items[primary]?.properties ?? []).reduce(.up) { sum, property in
            let value = property.payload.bytes(at: 0, count: 1).first ?? 0
            switch property.name {
            // Quarters of a turn against the clock.
            case "irot": return sum.then([.up, .left, .down, .right][Int(value & 3)])
            // 0 exchanges top and bottom, 1 left and right.
            case "imir": return sum.then(value & 1 == 0 ? .downMirrored : .upMirrored)
            default: return sum
            }
        }
    }

    static func size(_ item: Item) -> (width: Int, height: Int)? {
        guard let fields = item.properties.first(where: { $0.name == "ispe" })?.payload.fields(at: 4, count: 8),
            let width = fields.uint32(0), let height = fields.uint32(4), width > 0, height > 0
        else { return nil }
        return (Int(width), Int(height))
    }

    private static func version(_ box: RandomAccessBytes) -> UInt8 { box.bytes(at: 0, count: 1).first ?? 0 }

    private static func identifier(_ box: RandomAccessBytes, at offset: Int64, isLong: Bool) -> UInt32? {
        isLong
            ? box.fields(at: offset, count: 4)?.uint32(0)
            : box.fields(at: offset, count: 2)?.uint16(0).map { UInt32($0) }
    }

    private mutating func readTypes(_ box: RandomAccessBytes) {
        for entry in box.part(at: Self.version(box) == 0 ? 6 : 8).boxes() where entry.name == "infe" {
            let isLong = Self.version(entry.payload) >= 3
            guard let id = Self.identifier(entry.payload, at: 4, isLong: isLong),
                let type = entry.payload.fields(at: isLong ? 10 : 8, count: 4)
            else { continue }
            items[id, default: Item()].type = String(decoding: type.bytes, as: UTF8.self)
        }
    }

    /// `ipma` gives each item the numbers, from 1, of boxes in `ipco`.
    private mutating func readProperties(_ box: RandomAccessBytes) {
        let parts = box.boxes()
        let all = parts.first { $0.name == "ipco" }?.children() ?? []
        for table in parts where table.name == "ipma" {
            let isLong = Self.version(table.payload) > 0
            let isWide = (table.payload.bytes(at: 3, count: 1).first ?? 0) & 1 == 1
            var position: Int64 = 8
            for _ in 0..<Self.maximumItemCount {
                guard let id = Self.identifier(table.payload, at: position, isLong: isLong),
                    let count = table.payload.bytes(at: position + (isLong ? 4 : 2), count: 1).first
                else { break }
                position += isLong ? 5 : 3
                let width = isWide ? 2 : 1
                let numbers = table.payload.bytes(at: position, count: Int(count) * width)
                for start in stride(from: 0, through: numbers.count - width, by: width) {
                    let number =
                        isWide ? Int(numbers[start] & 0x7F) << 8 | Int(numbers[start + 1]) : Int(numbers[start] & 0x7F)
                    if all.indices.contains(number - 1) { items[id]?.properties.append(all[number - 1]) }
                }
                position += Int64(Int(count) * width)
            }
        }
    }

    private mutating func readReferences(_ box: RandomAccessBytes) {
        let width = Self.version(box) == 0 ? 2 : 4
        for reference in box.part(at: 4).boxes() where reference.name == "dimg" || reference.name == "cdsc" {
            guard let from = Self.identifier(reference.payload, at: 0, isLong: width == 4),
                let count = reference.payload.fields(at: Int64(width), count: 2)?.uint16(0)
            else { continue }
            let targets = (0..<Int(count)).compactMap { index in
                Self.identifier(reference.payload, at: Int64(width + 2 + index * width), isLong: width == 4)
            }
            if reference.name == "dimg" {
                tiles[from] = targets
            } else if targets.contains(primary), items[from]?.type == "Exif" {
                metadataItem = from
            }
        }
    }
}
