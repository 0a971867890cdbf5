/// Where the parts of a JPEG lie, found by walking its markers.
///
/// Source: ITU-T T.81 annex B. The walk trusts nothing: each length is checked against what is left.
package struct JPEGSegments: Sendable {
    /// One marker segment.
    package struct Segment: Equatable, Sendable {
        /// The byte after 0xFF.
        package let marker: UInt8
        /// Offset of the 0xFF, in bytes.
        package let start: Int
        /// Offset of the first byte after the segment.
        package let end: Int
        /// Where the payload lies, without marker and length.
        package var payload: Range<Int> { start + 4..<end }
    }

    /// The segments before the first scan, in order.
    package let segments: [Segment]

    /// Offset of the first scan's marker; nil where the bytes end before one.
    package let scanStart: Int?

    /// Offset of the first byte after the end-of-image marker; nil where there is none.
    package let end: Int?

    /// Whether a Huffman table is defined before the first scan.
    package var hasHuffmanTables: Bool { segments.contains { $0.marker == 0xC4 } }

    /// The size in the frame header, in pixels; nil without one.
    package let size: (width: Int, height: Int)?

    /// Walks `bytes`.
    ///
    /// - Throws: `notJPEG` when they do not start with an SOI marker or a segment's length is impossible.
    package init(_ bytes: [UInt8]) throws(JPEGError) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else {
            throw JPEGError(.notJPEG, "no start-of-image marker")
        }
        var segments: [Segment] = []
        var size: (Int, Int)?
        var scanStart: Int?
        var position = 2
        walk: while position + 4 <= bytes.count {
            guard bytes[position] == 0xFF else {
                throw JPEGError(.notJPEG, "no marker where one must be, at byte \(position)")
            }
            let marker = bytes[position + 1]
            switch marker {
            case 0xFF:
                // A fill byte (B.1.1.2).
                position += 1
                continue
            case 0x01, 0xD0...0xD7:
                position += 2
                continue
            case 0xD9, 0xD8, 0x00:
                break walk
            default:
                break
            }
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            guard length >= 2 else { throw JPEGError(.notJPEG, "a segment without length, at byte \(position)") }
            let end = position + 2 + length
            if marker == 0xDA {
                scanStart = position
                position = end
                break
            }
            guard end <= bytes.count else { break }
            segments.append(Segment(marker: marker, start: position, end: end))
            let isFrameHeader = (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
            if isFrameHeader, length >= 7, size == nil {
                let field = { (offset: Int) in Int(bytes[position + offset]) << 8 | Int(bytes[position + offset + 1]) }
                size = (field(7), field(5))
            }
            position = end
        }
        self.segments = segments
        self.size = size
        self.scanStart = scanStart
        end = scanStart == nil ? nil : Self.endOfImage(in: bytes, from: position)
    }

    /// The size in the frame header, in pixels, without looking at what follows it; nil without one.
    package static func size(of bytes: [UInt8]) -> (width: Int, height: Int)? {
        var position = 2
        while position + 9 < bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            if marker == 0xFF {
                position += 1
                continue
            }
            // What has no length, and what follows the headers, is none.
            guard marker > 0xBF, !(0xD0...0xDA).contains(marker) else { return nil }
            let field = { (offset: Int) in Int(bytes[position + offset]) << 8 | Int(bytes[position + offset + 1]) }
            if marker <= 0xCF, marker != 0xC4, marker != 0xC8, marker != 0xCC {
                return field(5) > 0 && field(7) > 0 ? (field(7), field(5)) : nil
            }
            position += 2 + max(2, field(2))
        }
        return nil
    }

    /// Finds the end-of-image marker after the entropy-coded data that starts at `start`, over further scans too.
    private static func endOfImage(in bytes: [UInt8], from start: Int) -> Int? {
        var position = start
        while position + 1 < bytes.count {
            guard bytes[position] == 0xFF else {
                position += 1
                continue
            }
            switch bytes[position + 1] {
            case 0xD9:
                return position + 2
            case 0x00, 0x01, 0xD0...0xD7:
                position += 2
            case 0xFF:
                position += 1
            default:
                // A table or another scan of a progressive picture: step over its length.
                guard position + 3 < bytes.count else { return nil }
                let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
                guard length >= 2 else { return nil }
                position += 2 + length
            }
        }
        return nil
    }
}
