/// What a codec's warning about a JPEG means for the picture: damage, or bytes too many that no picture misses.
///
/// libjpeg-turbo 2.1 keeps the first warning of a decoding only (jerror.c, `emit_message`), so a warning about the last
/// bytes says that nothing was wrong before them, and one about earlier bytes may hide others.
enum JPEGDamage {
    /// Bytes before a marker that are padding whatever their values.
    ///
    /// USB cameras fill up to words; a decoder that lost its way in corrupt data leaves more.
    private static let mostPadding = 8

    /// The warning that the bytes ended before an end-of-image marker.
    static let noEnd = "Premature end of JPEG file"

    /// What is damaged; nil where every part of the picture is there.
    static func judged(_ warning: String, in bytes: [UInt8]) -> String? {
        guard let (count, marker) = padding(warning), let parts = try? JPEGSegments(bytes), let end = parts.end else {
            return warning
        }
        switch marker {
        case 0xD9:
            let last = bytes[..<(end - 2)].suffix(count)
            return count <= mostPadding || last.allSatisfy { $0 == last.first } ? nil : warning
        case 0xD0...0xD7:
            return count <= mostPadding && hasAllRestarts(bytes, parts) ? nil : warning
        default:
            return warning
        }
    }

    /// Reads `Corrupt JPEG data: 2 extraneous bytes before marker 0xd9` (jerror.h, `JWRN_EXTRANEOUS_DATA`).
    private static func padding(_ warning: String) -> (count: Int, marker: UInt8)? {
        let words = warning.split(separator: " ")
        guard words.count == 9, words[4] == "extraneous", let count = Int(words[3]), words[8].hasPrefix("0x"),
            let marker = UInt8(words[8].dropFirst(2), radix: 16)
        else { return nil }
        return (count, marker)
    }

    /// Whether a picture of one sequential scan has every restart marker, in order: then no restart interval was lost.
    private static func hasAllRestarts(_ bytes: [UInt8], _ parts: JPEGSegments) -> Bool {
        guard let units = unitCount(bytes, parts), let interval = restartInterval(bytes, parts), interval > 0,
            let scan = parts.scanStart, let end = parts.end
        else { return false }
        var found = 0
        var position = scan + 2 + (Int(bytes[scan + 2]) << 8 | Int(bytes[scan + 3]))
        while position + 1 < end - 2 {
            guard bytes[position] == 0xFF, bytes[position + 1] != 0, bytes[position + 1] != 0xFF else {
                position += 1
                continue
            }
            guard bytes[position + 1] == 0xD0 + UInt8(found % 8) else { return false }
            found += 1
            position += 2
        }
        return found == (units - 1) / interval
    }

    /// Minimum coded units of a sequential, interleaved picture (ITU-T T.81, A.2); nil for others.
    private static func unitCount(_ bytes: [UInt8], _ parts: JPEGSegments) -> Int? {
        let isSequential = { (segment: JPEGSegments.Segment) in segment.marker == 0xC0 || segment.marker == 0xC1 }
        guard let frame = parts.segments.first(where: isSequential), let size = parts.size, size.width > 0,
            size.height > 0, frame.payload.count >= 6, let scan = parts.scanStart, scan + 4 < bytes.count
        else { return nil }
        let payload = bytes[frame.payload]
        let components = Int(payload[payload.startIndex + 5])
        guard components > 0, payload.count >= 6 + 3 * components, Int(bytes[scan + 4]) == components else {
            return nil
        }
        var (across, down) = (1, 1)
        for component in 0..<components where components > 1 {
            let factors = payload[payload.startIndex + 7 + 3 * component]
            across = max(across, Int(factors >> 4))
            down = max(down, Int(factors & 0xF))
        }
        let (columns, rows) = (8 * across, 8 * down)
        return ((size.width + columns - 1) / columns) * ((size.height + rows - 1) / rows)
    }

    private static func restartInterval(_ bytes: [UInt8], _ parts: JPEGSegments) -> Int? {
        guard let segment = parts.segments.last(where: { $0.marker == 0xDD }), segment.payload.count >= 2 else {
            return nil
        }
        let start = segment.payload.lowerBound
        return Int(bytes[start]) << 8 | Int(bytes[start + 1])
    }
}
