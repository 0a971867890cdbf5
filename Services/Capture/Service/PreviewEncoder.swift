package import Cameras
private import EventLoop
private import Imaging
private import MessageSchema
package import Messaging
private import Video4Linux

/// A picture of a preview: a JPEG of at most ``Limits/frameBytes``, shared by everybody who looks.
package struct PreviewPicture: Sendable {
    package let size: PreviewSize
    package let jpeg: Attachment
    /// Whether it is the camera's own JPEG, which was not coded again.
    package let isCameras: Bool
}

/// Makes the pictures of a preview, on a thread that may wait for the codec.
package actor PreviewEncoder {
    /// What the codec does for people to look at; a picture that is too large for a message is made again with less.
    private static let qualities = [80, 60, 30]

    private let loop = EventLoop(name: "preview")
    private let encoder: JPEGEncoder
    private let decoder: JPEGDecoder

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// An encoder with a thread of its own.
    ///
    /// - Throws: `JPEGError` when there is no memory for one.
    package init() throws {
        encoder = try JPEGEncoder()
        decoder = try JPEGDecoder()
    }

    isolated deinit {}

    /// How large a frame's picture is: a camera may send another size than it said, and then the picture's own word
    /// counts.
    package static func size(of frame: CapturedFrame) -> PreviewSize {
        let format = PreviewSize(width: frame.format.width, height: frame.format.height)
        guard frame.format.isJPEG, let size = JPEGSegments.size(of: frame.bytes) else { return format }
        return PreviewSize(width: size.width, height: size.height)
    }

    /// The picture of a frame at a size that is not larger than the frame's own.
    ///
    /// A camera's own JPEG of that size is passed through, with what it lacks repaired.
    ///
    /// - Throws: `JPEGError` for a frame that is no whole picture; the next one may be.
    package func picture(of frame: CapturedFrame, at size: PreviewSize) throws -> PreviewPicture {
        guard let shape = frame.format.pictureShape else { return try pictureOfJPEG(frame.bytes, at: size) }
        let isWhole = size == PreviewSize(width: shape.width, height: shape.height)
        return try fitting(size) { quality in
            try encoder.encode(
                frame.bytes,
                shape: shape,
                quality: quality,
                scaledTo: isWhole ? nil : (size.width, size.height)
            )
        }
    }

    private func pictureOfJPEG(_ bytes: [UInt8], at size: PreviewSize) throws -> PreviewPicture {
        let whole = try JPEGRepair.repaired(bytes).bytes
        let header = try decoder.header(of: whole)
        if header.width == size.width, header.height == size.height, whole.count <= Limits.frameBytes {
            return PreviewPicture(size: size, jpeg: Attachment(whole), isCameras: true)
        }
        // The codec reads at eighths of the size, which costs the less the smaller it is; the rest is averaged.
        let decoded = try decoder.decode(whole, coveringSide: max(size.width, size.height))
        if let damage = decoded.damage { throw JPEGError(.codec, damage) }
        let shape = PictureShape(layout: .rgb24, width: decoded.width, height: decoded.height)
        let isThere = decoded.width == size.width && decoded.height == size.height
        return try fitting(size) { quality in
            try encoder.encode(
                decoded.bytes,
                shape: shape,
                quality: quality,
                scaledTo: isThere ? nil : (size.width, size.height)
            )
        }
    }

    private func fitting(_ size: PreviewSize, _ encode: (Int) throws -> [UInt8]) throws -> PreviewPicture {
        for quality in Self.qualities {
            let jpeg = try encode(quality)
            if jpeg.count <= Limits.frameBytes {
                return PreviewPicture(size: size, jpeg: Attachment(jpeg), isCameras: false)
            }
        }
        throw JPEGError(.tooLarge, "\(size.width)×\(size.height)")
    }
}
