package import Containers

/// The chunks of a WebP file: its size and its EXIF block.
///
/// Source: RFC 9649 section 2 (container) and 3 (lossless); RFC 6386 section 9.1 (lossy).
package struct WebPReader {
    package static let maximumChunkCount = 20_000

    package private(set) var width: Int?
    package private(set) var height: Int?
    package private(set) var metadata: RandomAccessBytes?

    /// Walks the chunks; nil if the file does not start like a WebP.
    package init?(_ bytes: RandomAccessBytes) {
        guard let start = bytes.fields(at: 0, count: 12), start.has("RIFF", at: 0), start.has("WEBP", at: 8) else {
            return nil
        }
        var position: Int64 = 12
        for _ in 0..<Self.maximumChunkCount {
            guard let head = bytes.fields(at: position, count: 8, order: .littleEndian), let length = head.uint32(4)
            else { return }
            read(head, bytes.part(at: position + 8, count: Int64(length)))
            position += 8 + Int64(length) + Int64(length % 2)
        }
    }

    private mutating func read(_ head: ByteFields, _ chunk: RandomAccessBytes) {
        if head.has("EXIF", at: 0), metadata == nil {
            // Some writers repeat the mark that JPEG needs.
            metadata = chunk.fields(at: 0, count: 6)?.has("Exif\0", at: 0) == true ? chunk.part(at: 6) : chunk
            return
        }
        guard width == nil, let fields = chunk.fields(at: 0, count: 10, order: .littleEndian) else { return }
        if head.has("VP8X", at: 0), let wide = fields.uint32(4), let high = fields.uint32(6) {
            width = Int(wide & 0xFF_FFFF) + 1
            height = Int(high >> 8) + 1
        } else if head.has("VP8 ", at: 0), let wide = fields.uint16(6), let high = fields.uint16(8) {
            width = Int(wide & 0x3FFF)
            height = Int(high & 0x3FFF)
        } else if head.has("VP8L", at: 0), let bits = fields.uint32(1) {
            width = Int(bits & 0x3FFF) + 1
            height = Int(bits >> 14 & 0x3FFF) + 1
        }
    }
}
