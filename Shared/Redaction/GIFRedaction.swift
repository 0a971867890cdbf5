import Containers

/// A GIF without comments, texts and what applications put in, but for the loop count and the colour profile.
///
/// Source: GIF89a specification, sections 17 to 27; XMP specification part 3 section 1.1.2 (XMP in GIF reads as
/// sub-blocks).
enum GIFRedaction {
    private static let maximumBlockCount = 1 << 20
    private static let applications: Set<String> = ["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]

    static func plan(_ bytes: RandomAccessBytes) throws(RedactionError) -> Redaction {
        let head = try bytes.exactly(13, at: 0, of: "the picture")
        var redaction = Redaction()
        var position = 13 + colours(head.bytes[10])
        guard position <= bytes.count else { throw RedactionError(.damaged, "the colours end too early") }
        redaction.append(.source(0..<position))
        for _ in 0..<maximumBlockCount {
            let kind = try bytes.exactly(1, at: position, of: "the picture").bytes[0]
            let start = position
            switch kind {
            case 0x3B:
                redaction.append(.source(position..<position + 1))
                return redaction
            case 0x2C:
                let frame = try bytes.exactly(10, at: position, of: "a frame")
                // Colours of its own, and the width of the codes.
                position = try endOfBlocks(bytes, from: position + 10 + colours(frame.bytes[9]) + 1)
                redaction.append(.source(start..<position))
            case 0x21:
                let label = try bytes.exactly(1, at: position + 1, of: "an extension").bytes[0]
                position = try endOfBlocks(bytes, from: position + 2)
                let name = bytes.bytes(at: start + 2, count: 12)
                let isKnown =
                    name.first == 11 && applications.contains(String(decoding: name.dropFirst(), as: UTF8.self))
                if label == 0xF9 || (label == 0xFF && isKnown) { redaction.append(.source(start..<position)) }
            default: throw RedactionError(.unknownPart, "a block")
            }
        }
        throw RedactionError(.tooLarge, "blocks")
    }

    private static func colours(_ flags: UInt8) -> Int64 { flags & 0x80 == 0 ? 0 : 3 << (Int64(flags & 7) + 1) }

    private static func endOfBlocks(_ bytes: RandomAccessBytes, from start: Int64) throws(RedactionError) -> Int64 {
        var position = start
        while true {
            let count = try bytes.exactly(1, at: position, of: "a block").bytes[0]
            position += 1 + Int64(count)
            if count == 0 { return position }
        }
    }
}
