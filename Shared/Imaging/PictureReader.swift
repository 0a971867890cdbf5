package import Containers

/// Reads a picture's headers: size, orientation, date, place and camera, for the formats that need no boxes.
package enum PictureReader {
    /// What the headers of `bytes` say; nil when the content is not what `type` says.
    ///
    /// HEIC, HEIF and AVIF are built of boxes and have a reader elsewhere: nil.
    package static func read(_ bytes: RandomAccessBytes, type: FileType) -> PictureMetadata? {
        switch type {
        case .jpeg: JPEGReader(bytes).map { merged($0.metadata, width: $0.width, height: $0.height) }
        case .png: PNGReader(bytes).map { merged($0.metadata, width: $0.width, height: $0.height) }
        case .webP: WebPReader(bytes).map { merged($0.metadata, width: $0.width, height: $0.height) }
        case .gif: graphics(bytes)
        case .bmp: bitmap(bytes)
        case .tiff, .dng, .cr2, .nef, .arw, .pef: TIFFPictureReader.read(bytes)
        // Panasonic and Olympus: TIFF with a magic number of their own ("U", "RO", "RS").
        case .rw2, .orf: TIFFPictureReader.read(bytes, magic: [0x55, 0x4F52, 0x5352])
        case .raf: fuji(bytes)
        default: nil
        }
    }

    /// The metadata block with the decoder's numbers in the place of its own.
    private static func merged(_ block: RandomAccessBytes?, width: Int?, height: Int?) -> PictureMetadata {
        var found = block.flatMap { EXIFReader.read($0) } ?? PictureMetadata()
        found.width = width
        found.height = height
        return found
    }

    /// The logical screen of a GIF (GIF89a specification section 18).
    private static func graphics(_ bytes: RandomAccessBytes) -> PictureMetadata? {
        guard let start = bytes.fields(at: 0, count: 10, order: .littleEndian), let width = start.uint16(6),
            let height = start.uint16(8)
        else { return nil }
        return merged(nil, width: Int(width), height: Int(height))
    }

    /// The second header of a BMP: 12 bytes with 16-bit numbers, or more with 32-bit ones; a negative height is a
    /// picture from top to bottom (Windows GDI, BITMAPINFOHEADER).
    private static func bitmap(_ bytes: RandomAccessBytes) -> PictureMetadata? {
        guard let start = bytes.fields(at: 14, count: 12, order: .littleEndian), let size = start.uint32(0) else {
            return nil
        }
        if size == 12 {
            guard let width = start.uint16(4), let height = start.uint16(6) else { return nil }
            return merged(nil, width: Int(width), height: Int(height))
        }
        guard let width = start.int32(4), let height = start.int32(8), width >= 0 else { return nil }
        return merged(nil, width: Int(width), height: Int(height.magnitude))
    }

    /// Fujifilm's raw file names the place of a whole JPEG file near its start (at 84 and 88, big-endian).
    private static func fuji(_ bytes: RandomAccessBytes) -> PictureMetadata? {
        guard let start = bytes.fields(at: 84, count: 8), let offset = start.uint32(0), let length = start.uint32(4)
        else { return nil }
        let inside = bytes.part(at: Int64(offset), count: Int64(length))
        guard let jpeg = JPEGReader(inside) else { return nil }
        var found = merged(jpeg.metadata, width: jpeg.width, height: jpeg.height)
        found.previews = [Int64(offset)..<Int64(offset) + inside.count]
        return found
    }
}
