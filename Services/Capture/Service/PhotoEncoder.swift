package import Cameras
package import Imaging
package import Media
private import Video4Linux

/// Makes files of frames for the library.
///
/// Blocks for milliseconds; PNG for some hundred.
package enum PhotoEncoder {
    private static let quality = 92

    /// The frame, if it is a whole picture; what a camera's own JPEG lacks is repaired.
    ///
    /// - Throws: `JPEGError`, `PictureError`; the next frame may be good.
    package static func sound(_ frame: CapturedFrame) throws -> CapturedFrame {
        if let shape = frame.format.pictureShape {
            guard frame.bytes.count >= shape.byteCount else {
                throw PictureError(.truncated, "\(frame.bytes.count) of \(shape.byteCount) bytes")
            }
            return frame
        }
        let picture = try FrameEncoder(quality: quality).checkedPicture(of: frame)
        return CapturedFrame(bytes: picture, format: frame.format, stamp: frame.stamp)
    }

    /// Pixels of a sound frame; a camera's own JPEG may differ from what the camera was set to.
    package static func size(of frame: CapturedFrame) -> (width: Int, height: Int) {
        let size = frame.format.pictureShape == nil ? (try? JPEGSegments(frame.bytes))?.size : nil
        return size ?? (frame.format.width, frame.format.height)
    }

    /// The file of a sound frame, with its EXIF.
    ///
    /// - Throws: `JPEGError`, `PictureError`: the codec has no memory, or texts are absurdly long.
    package static func file(
        of frame: CapturedFrame,
        as format: PhotoFormat,
        _ fields: EXIFFields
    ) throws -> [UInt8] {
        let shape = frame.format.pictureShape
        switch (format, shape) {
        case (.jpeg, nil):
            return try EXIFWriter.written(fields, into: frame.bytes)
        case (.jpeg, .some):
            return try EXIFWriter.written(fields, into: FrameEncoder(quality: quality).picture(of: frame))
        case (.png, nil):
            let picture = try JPEGDecoder().decode(frame.bytes)
            let pixels = InterleavedPicture(
                width: picture.width,
                height: picture.height,
                components: 3,
                bytes: picture.bytes
            )
            return try PNGEncoder.encode(pixels, fields)
        case (.png, .some(let shape)):
            return try PNGEncoder.encode(InterleavedPicture(frame.bytes, shape: shape), fields)
        case (.raw, nil):
            throw PictureError(.codec, "the camera compressed the picture")
        case (.raw, .some(let shape)):
            let words = "V4L2 \(frame.format.pixelFormat)"
            return try TIFFWriter.file(frame.bytes, shape: shape, fields, description: words)
        }
    }
}

extension PhotoFormat {
    /// The extension of its files, in capitals as cameras write it.
    var fileExtension: String {
        switch self {
        case .jpeg: "JPG"
        case .png: "PNG"
        case .raw: "TIF"
        }
    }

    /// Whether pixels that the camera did not compress are wanted.
    var prefersUncompressed: Bool { self != .jpeg }
}
