package import Containers
import MessageSchema

/// A JPEG without metadata: the coded picture and its tables are copied as they are.
///
/// Source: ITU-T T.81 annex B; CIPA DC-008 (EXIF) section 4.7; ISO/IEC 10918-5 (JFIF); CIPA DC-007 (several pictures in
/// one file). What follows the end of the picture, other pictures and films among it, is left out.
package enum JPEGRedaction {
    /// More of metadata no picture in a picture has.
    private static let maximumSegmentCount = 4096

    /// What is done with a segment.
    private enum Fate {
        case keep
        case drop
        case replace([UInt8])
    }

    static func plan(_ bytes: RandomAccessBytes, _ profile: PrivacyProfile) throws(RedactionError) -> Redaction {
        let head = try bytes.exactly(2, at: 0, of: "the picture")
        guard head.bytes == [0xFF, 0xD8] else { throw RedactionError(.damaged, "no start of a picture") }
        var redaction = Redaction()
        redaction.append(.source(0..<2))
        var position: Int64 = 2
        var hasBlock = false
        var hasScan = false
        while true {
            let start = position
            let (marker, end) = try segment(bytes, at: &position)
            switch marker {
            case 0xD9:
                guard hasScan else { throw RedactionError(.damaged, "a picture without a scan") }
                redaction.append(.source(position..<end))
                return redaction
            case 0xDA:
                hasScan = true
                let next = try nextMarker(bytes, from: end)
                redaction.append(.source(position..<next))
                position = next
                continue
            default: break
            }
            switch try fate(of: marker, bytes.part(at: position + 4, count: end - position - 4), profile, &hasBlock) {
            case .keep: redaction.append(.source(position..<end))
            case .drop: break
            case .replace(let payload):
                let length = payload.count + 2
                redaction.append(.literal([0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + payload))
            }
            position = end
            guard position > start else { throw RedactionError(.damaged, "a segment without length") }
        }
    }

    /// The next marker, at which `position` then is, and where its segment ends.
    private static func segment(
        _ bytes: RandomAccessBytes,
        at position: inout Int64
    ) throws(RedactionError) -> (marker: UInt8, end: Int64) {
        guard try bytes.exactly(1, at: position, of: "the picture").bytes[0] == 0xFF else {
            throw RedactionError(.damaged, "no marker where one must be")
        }
        var marker = try bytes.exactly(1, at: position + 1, of: "the picture").bytes[0]
        // Fill bytes (B.1.1.2).
        while marker == 0xFF {
            position += 1
            marker = try bytes.exactly(1, at: position + 1, of: "the picture").bytes[0]
        }
        switch marker {
        case 0x01, 0xD0...0xD7, 0xD9: return (marker, position + 2)
        default:
            let length = try bytes.exactly(2, at: position + 2, of: "a segment").uint16(0) ?? 0
            let end = position + 2 + Int64(length)
            guard length >= 2, end <= bytes.count else { throw RedactionError(.damaged, "a segment ends too early") }
            return (marker, end)
        }
    }

    private static func fate(
        of marker: UInt8,
        _ payload: RandomAccessBytes,
        _ profile: PrivacyProfile,
        _ hasBlock: inout Bool
    ) throws(RedactionError) -> Fate {
        let head = ByteFields(payload.bytes(at: 0, count: 14))
        switch marker {
        // Frames, tables, restart interval, number of lines, hierarchy.
        case 0xC0...0xC7, 0xC9...0xCF, 0xDB...0xDF, 0x01, 0xD0...0xD7: return .keep
        case 0xE0:
            guard head.has("JFIF\0", at: 0), head.bytes.count == 14 else { return .drop }
            // Without the thumbnail.
            return payload.count == 14 ? .keep : .replace(Array(head.bytes.prefix(12)) + [0, 0])
        case 0xE1:
            guard head.has("Exif\0", at: 0), !hasBlock else { return .drop }
            hasBlock = true
            guard let block = try EXIFRedaction.block(payload.part(at: 6), profile) else { return .drop }
            return .replace(Array("Exif\0\0".utf8) + block)
        case 0xE2: return head.has("ICC_PROFILE\0", at: 0) ? .keep : .drop
        case 0xEE:
            guard head.has("Adobe", at: 0), payload.count >= 12 else { return .drop }
            return .replace(Array(head.bytes.prefix(12)))
        case 0xE3...0xEF, 0xFE: return .drop
        default: throw RedactionError(.unknownPart, "segment \(String(marker, radix: 16))")
        }
    }

    /// Where the next marker that is no restart lies, behind coded data.
    private static func nextMarker(_ bytes: RandomAccessBytes, from start: Int64) throws(RedactionError) -> Int64 {
        var position = start
        var isMarked = false
        while true {
            let block = bytes.bytes(at: position, count: 65_536)
            guard !block.isEmpty else { throw RedactionError(.damaged, "the picture has no end") }
            for (index, byte) in block.enumerated() {
                if isMarked, byte != 0, byte != 0xFF, !(0xD0...0xD7).contains(byte) {
                    return position + Int64(index) - 1
                }
                isMarked = byte == 0xFF
            }
            position += Int64(block.count)
        }
    }

    /// Where metadata lies in a JPEG that must keep its size, as in a TIFF: the payloads of its segments, those between
    /// scans too, and what is behind its end.
    ///
    /// - Returns: The places in order; none for what does not begin like a JPEG.
    /// - Throws: `damaged` where the segments make no sense.
    package static func metadata(in bytes: RandomAccessBytes) throws(RedactionError) -> [Range<Int64>] {
        guard bytes.bytes(at: 0, count: 2) == [0xFF, 0xD8] else { return [] }
        var found: [Range<Int64>] = []
        var position: Int64 = 2
        while true {
            let (marker, end) = try segment(bytes, at: &position)
            if marker == 0xD9 {
                if end < bytes.count { found.append(end..<bytes.count) }
                return found
            }
            if marker == 0xDA {
                // Without another marker there is no segment either.
                guard let next = try? nextMarker(bytes, from: end) else { return found }
                position = next
                continue
            }
            let payload = position + 4..<max(position + 4, end)
            let part = bytes.part(at: payload.lowerBound, count: Int64(payload.count))
            let head = ByteFields(part.bytes(at: 0, count: 12))
            switch marker {
            case 0xE0: if part.count != 14 || !head.has("JFIF\0", at: 0) { found.append(payload) }
            case 0xE2: if !head.has("ICC_PROFILE\0", at: 0) { found.append(payload) }
            case 0xEE: if part.count != 12 || !head.has("Adobe", at: 0) { found.append(payload) }
            case 0xE1, 0xE3...0xEF, 0xFE: found.append(payload)
            default: break
            }
            guard found.count <= maximumSegmentCount else { throw RedactionError(.tooLarge, "segments") }
            position = end
        }
    }
}
