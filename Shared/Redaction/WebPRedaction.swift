import Containers
import MessageSchema

/// A WebP without metadata: the chunks of the picture are copied as they are.
///
/// Source: RFC 9649 section 2.
enum WebPRedaction {
    private static let maximumChunkCount = 1 << 20
    private static let picture: Set<String> = ["VP8 ", "VP8L", "ALPH", "ANIM", "ICCP"]

    static func plan(_ bytes: RandomAccessBytes, _ profile: PrivacyProfile) throws(RedactionError) -> Redaction {
        let head = try bytes.exactly(12, at: 0, of: "the picture", order: .littleEndian)
        let end = 8 + Int64(head.uint32(4) ?? 0)
        guard end <= bytes.count, end >= 12 else { throw RedactionError(.damaged, "the picture ends too early") }
        var body = Redaction()
        var flags: (chunk: [UInt8], place: Int64)?
        var hasBlock = false
        var position: Int64 = 12
        var count = 0
        while position < end {
            count += 1
            guard count <= maximumChunkCount else { throw RedactionError(.tooLarge, "chunks") }
            let head = try bytes.exactly(8, at: position, of: "the picture", order: .littleEndian)
            let length = Int64(head.uint32(4) ?? 0)
            let name = String(decoding: head.bytes.prefix(4), as: UTF8.self)
            // The last pad byte is sometimes not there.
            let next = min(position + 8 + length + length % 2, max(end, position + 8 + length))
            guard position + 8 + length <= end else { throw RedactionError(.damaged, "a chunk ends too early") }
            switch name {
            case "VP8X":
                guard position == 12, length >= 10 else { throw RedactionError(.damaged, "the extended head") }
                flags = (try bytes.exactly(18, at: position, of: "the extended head").bytes, body.byteCount)
                flags?.chunk.replaceSubrange(4..<8, with: [10, 0, 0, 0])
            case "EXIF":
                guard !hasBlock else { break }
                let data = bytes.part(at: position + 8, count: length)
                let isMarked = data.fields(at: 0, count: 6)?.has("Exif\0", at: 0) == true
                guard let block = try EXIFRedaction.block(isMarked ? data.part(at: 6) : data, profile) else { break }
                hasBlock = true
                body.append(.literal(chunk("EXIF", block)))
            case "ANMF":
                try checkFrame(bytes.part(at: position + 8, count: length))
                body.append(.source(position..<next))
            default:
                if picture.contains(name) { body.append(.source(position..<next)) }
            }
            position = next
        }
        var whole = Redaction()
        let size = UInt32(truncatingIfNeeded: 4 + body.byteCount + (flags == nil ? 0 : 18))
        whole.append(.literal(Array("RIFF".utf8) + little(size) + Array("WEBP".utf8)))
        if var flags = flags?.chunk {
            // Whether there are EXIF and XMP.
            flags[8] = flags[8] & ~0x0C | (hasBlock ? 0x08 : 0)
            whole.append(.literal(flags))
        }
        for piece in body.pieces { whole.append(piece) }
        return whole
    }

    /// A frame has a head of 16 bytes and chunks of the picture; what is not known may not be in it.
    private static func checkFrame(_ data: RandomAccessBytes) throws(RedactionError) {
        var position: Int64 = 16
        while position < data.count {
            let head = try data.exactly(8, at: position, of: "a frame", order: .littleEndian)
            guard ["VP8 ", "VP8L", "ALPH"].contains(String(decoding: head.bytes.prefix(4), as: UTF8.self)) else {
                throw RedactionError(.unknownPart, "a chunk in a frame")
            }
            let length = Int64(head.uint32(4) ?? 0)
            position += 8 + length + length % 2
        }
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(UInt32(data.count)) + data + (data.count % 2 == 1 ? [0] : [])
    }

    private static func little(_ number: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
