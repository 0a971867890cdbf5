package import Containers

/// The chunks of a PNG file: its size and its EXIF block.
///
/// Source: PNG (Third Edition) sections 5.3, 11.2.1 and 11.3.4.5 (`eXIf`). Only heads of chunks are read.
package struct PNGReader {
    /// More chunks than a sensible file has; the rest is not looked at.
    package static let maximumChunkCount = 20_000

    package let width: Int
    package let height: Int
    package private(set) var metadata: RandomAccessBytes?

    /// Walks the chunks; nil if the file does not start like a PNG.
    package init?(_ bytes: RandomAccessBytes) {
        guard let start = bytes.fields(at: 0, count: 24), start.has("IHDR", at: 12), let width = start.uint32(16),
            let height = start.uint32(20)
        else { return nil }
        self.width = Int(width)
        self.height = Int(height)
        var position: Int64 = 8
        for _ in 0..<Self.maximumChunkCount {
            guard let head = bytes.fields(at: position, count: 8), let length = head.uint32(0), !head.has("IEND", at: 4)
            else { return }
            if head.has("eXIf", at: 4) {
                metadata = bytes.part(at: position + 8, count: Int64(length))
                return
            }
            position += 12 + Int64(length)
        }
    }
}
