package import Media

/// What a picture's headers say about it; whatever is not there, or makes no sense, is nil.
package struct PictureMetadata: Hashable, Sendable {
    /// Stored pixels, before the orientation is applied.
    package var width: Int?
    package var height: Int?
    package var orientation: Orientation?
    package var date: AssetDate?
    package var location: Location?
    package var cameraMake: String?
    package var cameraModel: String?
    package var lensModel: String?
    /// Seconds.
    package var exposureTime: Double?
    package var aperture: Double?
    package var sensitivity: Int?
    /// Millimetres, of the lens itself.
    package var focalLength: Double?
    /// Where JPEG pictures lie inside a raw picture, the largest first: offset and length in bytes.
    package var previews: [Range<Int64>] = []

    package init() {}
}
