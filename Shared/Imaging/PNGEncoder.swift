private import CPNG

/// Encodes pictures as PNG with libpng: what comes out decodes to the same bytes.
///
/// Blocks for as long as compressing takes, some hundred milliseconds for two million pixels.
package enum PNGEncoder {
    /// Makes a PNG file with an `eXIf` chunk before the pixels.
    ///
    /// Source: PNG (Third Edition) sections 5.3 (chunks) and 11.3.4.5 (`eXIf`).
    ///
    /// - Throws: `codec`, `badDimensions`.
    package static func encode(_ picture: InterleavedPicture, _ fields: EXIFFields) throws(PictureError) -> [UInt8] {
        let plain = try encode(picture)
        // The signature, and IHDR: eight bytes around its 13, and its checksum.
        let head = 8 + 12 + 13
        return Array(plain[..<head]) + chunk("eXIf", EXIFWriter.block(fields)) + plain[head...]
    }

    /// Makes a PNG file without metadata.
    ///
    /// - Throws: `codec`, `badDimensions`.
    package static func encode(_ picture: InterleavedPicture) throws(PictureError) -> [UInt8] {
        guard picture.width > 0, picture.height > 0 else { throw PictureError(.badDimensions) }
        // What does not compress grows by a filter's byte a row, and by some for each 16 KiB block of deflate.
        let raw = picture.bytes.count + picture.height
        var capacity = raw + raw / 1_000 + 4_096
        for _ in 0..<2 {
            var image = unsafe png_image()
            unsafe image.version = png_uint_32(PNG_IMAGE_VERSION)
            unsafe image.width = png_uint_32(picture.width)
            unsafe image.height = png_uint_32(picture.height)
            // PNG_FORMAT_RGB and PNG_FORMAT_GRAY.
            unsafe image.format = picture.components == 3 ? 2 : 0
            defer { unsafe png_image_free(&image) }
            var written = capacity
            var isDone = false
            let file = [UInt8](capacity: capacity) { target in
                unsafe target.withUnsafeMutableBufferPointer { memory, count in
                    isDone = unsafe picture.bytes.withUnsafeBufferPointer { pixels in
                        unsafe png_image_write_to_memory(
                            &image,
                            memory.baseAddress,
                            &written,
                            0,
                            pixels.baseAddress,
                            0,
                            nil
                        ) != 0
                    }
                    count = isDone ? written : 0
                }
            }
            if isDone { return file }
            guard written > capacity else {
                throw unsafe PictureError(.codec, "libpng code \(image.warning_or_error)")
            }
            capacity = written
        }
        throw PictureError(.codec, "libpng wants more room each time")
    }

    private static func chunk(_ name: StaticString, _ payload: [UInt8]) -> [UInt8] {
        let letters = name.withUTF8Buffer { unsafe [UInt8]($0) }
        return big(UInt32(payload.count)) + letters + payload + big(checksum(letters + payload))
    }

    private static func big(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// CRC-32 as annex D of the standard has it; for the few hundred bytes of metadata no table is worth its room.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var rest: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            rest ^= UInt32(byte)
            for _ in 0..<8 { rest = rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
        }
        return ~rest
    }
}
