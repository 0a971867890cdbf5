package import Cameras
package import Imaging

/// Makes JPEG pictures of frames: passes through what is JPEG already, encodes the rest.
///
/// Blocks for milliseconds; one encoder serves one thread.
package struct FrameEncoder: ~Copyable {
    private let encoder: JPEGEncoder
    private let quality: Int

    /// An encoder of its own.
    ///
    /// - Parameter quality: 1 to 100, for frames that have to be encoded.
    /// - Throws: `JPEGError` when there is no memory for one.
    package init(quality: Int) throws(JPEGError) {
        encoder = try JPEGEncoder()
        self.quality = quality
    }

    /// The picture of a frame.
    ///
    /// - Throws: `JPEGError` for a frame that is cut short or can not be encoded; the next one may be good.
    package func picture(of frame: CapturedFrame) throws(JPEGError) -> [UInt8] {
        guard let shape = frame.format.pictureShape else { return try JPEGRepair.repaired(frame.bytes).bytes }
        return try encoder.encode(frame.bytes, shape: shape, quality: quality)
    }

    /// The picture of a frame, after a camera's own JPEG was decoded from its first byte to its last.
    ///
    /// - Throws: `JPEGError` as ``picture(of:)``, and for a JPEG that is damaged anywhere.
    package func checkedPicture(of frame: CapturedFrame) throws(JPEGError) -> [UInt8] {
        let picture = try picture(of: frame)
        guard frame.format.pictureShape == nil else { return picture }
        // The smallest scale reads all of the data and makes the fewest pixels of it.
        if let damage = try JPEGDecoder().decode(picture, coveringSide: 1).damage { throw JPEGError(.codec, damage) }
        return picture
    }
}
