package import Containers

/// The segments of a JPEG file up to its first scan.
///
/// Source: ITU-T T.81 annex B; EXIF 2.32 section 4.7 for the metadata segment. Only heads of segments are read.
package struct JPEGReader {
    /// More segments than any file has; the rest is not looked at.
    package static let maximumSegmentCount = 10_000

    /// Pixels of the frame; nil before the frame header, zero for a height that comes later (DNL).
    package private(set) var width: Int?
    package private(set) var height: Int?
    /// The EXIF block from its byte order mark on.
    package private(set) var metadata: RandomAccessBytes?

    /// Walks the segments; nil if the file does not start like a JPEG.
    package init?(_ bytes: RandomAccessBytes) {
        guard bytes.bytes(at: 0, count: 2) == [0xFF, 0xD8] else { return nil }
        var position: Int64 = 2
        for _ in 0..<Self.maximumSegmentCount {
            guard let marker = Self.marker(bytes, &position) else { return }
            // Markers that stand alone: TEM and restarts.
            if marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
            // End of image, start of scan.
            if marker == 0xD9 || marker == 0xDA { return }
            guard let length = bytes.fields(at: position, count: 2)?.uint16(0), length >= 2 else { return }
            read(marker, bytes.part(at: position + 2, count: Int64(length) - 2))
            position += Int64(length)
        }
    }

    private mutating func read(_ marker: UInt8, _ segment: RandomAccessBytes) {
        switch marker {
        case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker) && width == nil:
            guard let frame = segment.fields(at: 0, count: 6), let rows = frame.uint16(1), let columns = frame.uint16(3)
            else { return }
            width = Int(columns)
            height = Int(rows)
        case 0xE1 where metadata == nil:
            guard segment.fields(at: 0, count: 6)?.has("Exif\0", at: 0) == true else { return }
            metadata = segment.part(at: 6)
        default: break
        }
    }

    /// The code after any number of fill bytes; nil where no marker is.
    private static func marker(_ bytes: RandomAccessBytes, _ position: inout Int64) -> UInt8? {
        for _ in 0..<64 {
            let pair = bytes.bytes(at: position, count: 2)
            guard pair.count == 2, pair[0] == 0xFF else { return nil }
            guard pair[1] == 0xFF else {
                position += 2
                return pair[1]
            }
            position += 1
        }
        return nil
    }
}
