import Containers
import MessageSchema

/// A TIFF structure of the same size in which only what may stay is left.
///
/// Directories have fewer entries; their values and the data of the pictures lie where they did. All other bytes become
/// zeros, so nothing stays behind that no entry points to.
///
/// Source: TIFF 6.0 section 2; DNG 1.7 chapter 2.
struct TIFFRedaction {
    private static let maximumDirectoryCount = 256
    private static let maximumPartCount = 1 << 20

    private let bytes: RandomAccessBytes
    private let order: ByteOrder
    private let profile: PrivacyProfile
    private var kept = ByteRanges()
    private var tables: [(start: Int64, bytes: [UInt8])] = []
    private var blanks: [Range<Int64>] = []
    private var seen: Set<Int64> = []
    /// The parts of pictures that were looked at.
    private var parts: Set<Range<Int64>> = []

    private struct Row {
        let tag: UInt16
        let bytes: [UInt8]
        let type: UInt16
        let count: Int64
        /// Where the values lie.
        let values: Range<Int64>
        let isInline: Bool
    }

    /// A TIFF or DNG without metadata.
    static func plan(_ bytes: RandomAccessBytes, _ profile: PrivacyProfile) throws(RedactionError) -> Redaction {
        guard let structure = TIFFStructure(bytes) else { throw RedactionError(.damaged, "no head of a TIFF") }
        var redaction = try TIFFRedaction(structure, profile)
        var next = structure.firstDirectory
        while next != 0 { next = try redaction.clean(next, .picture) }
        return try redaction.redaction()
    }

    /// An EXIF block without metadata, of the same size; the thumbnail is left out.
    static func block(_ bytes: RandomAccessBytes, _ profile: PrivacyProfile) throws(RedactionError) -> Redaction {
        guard let structure = TIFFStructure(bytes) else { throw RedactionError(.damaged, "no head of an EXIF block") }
        var redaction = try TIFFRedaction(structure, profile)
        _ = try redaction.clean(structure.firstDirectory, .main)
        return try redaction.redaction()
    }

    private init(_ structure: TIFFStructure, _ profile: PrivacyProfile) throws(RedactionError) {
        bytes = structure.bytes
        order = structure.order
        self.profile = profile
        try kept.insert(0..<8)
    }

    /// Cleans one directory and those below it.
    ///
    /// - Returns: Where the next one lies; 0 for none.
    private mutating func clean(_ start: Int64, _ directory: TIFFTags.Directory) throws(RedactionError) -> Int64 {
        guard start >= 8, seen.insert(start).inserted else { throw RedactionError(.damaged, "directories in a ring") }
        guard seen.count <= Self.maximumDirectoryCount else { throw RedactionError(.tooLarge, "directories") }
        let head = try bytes.exactly(2, at: start, of: "a directory", order: order)
        let count = Int(head.uint16(0) ?? 0)
        let table = try bytes.exactly(count * 12, at: start + 2, of: "a directory", order: order)
        // Some writers leave the pointer out at the end.
        let end = start + 2 + Int64(count) * 12
        let pointer = bytes.fields(at: end, count: 4, order: order)?.uint32(0)
        let rows = try rows(table, at: start + 2, count, directory)
        for row in rows {
            if !row.isInline { try kept.insert(row.values) }
            switch row.tag {
            case TIFFTags.exif: try cleanBelow(row, .exif)
            case TIFFTags.interoperability: try cleanBelow(row, .interoperability)
            case TIFFTags.subdirectories: try cleanBelow(row, .picture)
            default: break
            }
        }
        if directory == .picture { try keepPicture(rows) }
        let next = directory == .picture ? pointer ?? 0 : 0
        var written = number(UInt32(rows.count), 2) + rows.flatMap(\.bytes)
        if pointer != nil { written += number(next, 4) }
        let length = 2 + count * 12 + (pointer == nil ? 0 : 4)
        tables.append((start, written + [UInt8](repeating: 0, count: max(0, length - written.count))))
        return Int64(next)
    }

    private mutating func cleanBelow(_ row: Row, _ directory: TIFFTags.Directory) throws(RedactionError) {
        for place in try numbers(row) { _ = try clean(place, directory) }
    }

    /// The entries that stay.
    private func rows(
        _ table: ByteFields,
        at start: Int64,
        _ count: Int,
        _ directory: TIFFTags.Directory
    ) throws(RedactionError) -> [Row] {
        var found: [Row] = []
        for index in 0..<count {
            let place = index * 12
            guard let tag = table.uint16(place), let type = table.uint16(place + 2),
                let number = table.uint32(place + 4), let value = table.uint32(place + 8),
                TIFFTags.isKept(tag, in: directory, profile), let size = TIFFStructure.byteCount(of: type),
                !found.contains(where: { $0.tag == tag })
            else { continue }
            let length = Int64(number) * size
            let isInline = length <= 4
            let offset = isInline ? start + Int64(place) + 8 : Int64(value)
            guard offset + length <= bytes.count else {
                if directory == .picture { throw RedactionError(.damaged, "values end too early") }
                continue
            }
            var row = Array(table.bytes[place..<place + 12])
            // What is left of the four bytes may be anything.
            if isInline { for unused in Int(length)..<4 { row[8 + unused] = 0 } }
            found.append(
                Row(
                    tag: tag,
                    bytes: row,
                    type: type,
                    count: Int64(number),
                    values: offset..<offset + length,
                    isInline: isInline
                )
            )
        }
        return found
    }

    /// Keeps strips, tiles and embedded JPEGs; the latter without metadata of their own.
    private mutating func keepPicture(_ rows: [Row]) throws(RedactionError) {
        for (offsets, counts) in [(0x0111, 0x0117), (0x0144, 0x0145), (0x0201, 0x0202)] as [(UInt16, UInt16)] {
            guard let start = rows.first(where: { $0.tag == offsets }) else { continue }
            guard let count = rows.first(where: { $0.tag == counts }), start.count == count.count else {
                throw RedactionError(.damaged, "the sizes of a picture's parts")
            }
            for (offset, length) in zip(try numbers(start), try numbers(count)) {
                guard offset + length <= bytes.count else { throw RedactionError(.damaged, "a part ends too early") }
                // Two directories may have the same picture.
                guard parts.insert(offset..<offset + length).inserted else { continue }
                try kept.insert(offset..<offset + length)
                guard blanks.count <= Self.maximumPartCount else { throw RedactionError(.tooLarge, "parts") }
                // What does not begin like a JPEG costs two bytes.
                for range in try JPEGRedaction.metadata(in: bytes.part(at: offset, count: length)) {
                    blanks.append(offset + range.lowerBound..<offset + range.upperBound)
                }
            }
        }
    }

    private func redaction() throws(RedactionError) -> Redaction {
        var all = kept
        for table in tables { try all.insert(table.start..<table.start + Int64(table.bytes.count)) }
        guard let gaps = ByteRanges.gaps(in: [0..<bytes.count], between: all.joined) else {
            throw RedactionError(.damaged, "a part ends too early")
        }
        var edit = InPlaceEdit()
        for gap in gaps { edit.clear(gap) }
        for table in tables { edit.write(table.bytes, at: table.start) }
        for blank in blanks { edit.clear(blank) }
        return try edit.redaction(of: bytes.count)
    }

    // MARK: - Numbers

    private func numbers(_ row: Row) throws(RedactionError) -> [Int64] {
        guard row.count <= Self.maximumPartCount else { throw RedactionError(.tooLarge, "values") }
        let width: Int
        switch row.type {
        case 3: width = 2
        case 4, 13: width = 4
        default: throw RedactionError(.damaged, "offsets that are no numbers")
        }
        let fields = try bytes.exactly(row.values.count, at: row.values.lowerBound, of: "offsets", order: order)
        return (0..<Int(row.count)).map { index in
            width == 2 ? Int64(fields.uint16(index * 2) ?? 0) : Int64(fields.uint32(index * 4) ?? 0)
        }
    }

    private func number(_ value: UInt32, _ width: Int) -> [UInt8] {
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt32($0 * 8)) }
        return order == .littleEndian ? bytes : bytes.reversed()
    }
}
