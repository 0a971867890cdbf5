package import Media

/// What the boxes of a film say about it; whatever is not there, or makes no sense, is nil.
package struct MovieMetadata: Hashable, Sendable {
    /// One track of pictures or sound.
    package struct Track: Hashable, Sendable {
        /// What `hdlr` says: `vide`, `soun` and others.
        package var handler: String
        /// The sample format, such as `avc1` or `jpeg`.
        package var codec: String?
        /// Stored pixels: those of the sample description.
        package var width: Int?
        package var height: Int?
        package var orientation: Orientation?
        /// Seconds of the media itself.
        package var duration: Double?
        package var sampleCount: Int64?
    }

    package var tracks: [Track] = []
    /// Seconds; of all fragments where the film has such.
    package var duration: Double?
    /// `com.apple.quicktime.creationdate` or `©day` where there is a time, else the number in `mvhd`.
    package var date: AssetDate?
    /// The number in `mvhd` alone, in UTC.
    package var containerDate: AssetDate?
    package var location: Location?
    package var cameraMake: String?
    package var cameraModel: String?
    /// Whether there is a `moov` box: without one nothing can be played.
    package var hasIndex = false
    package var isFragmented = false
    /// Whether samples, or the box around them, lie beyond the end of the file.
    package var isCutShort = false

    package init() {}

    /// The first track of pictures.
    package var picture: Track? { tracks.first { $0.handler == "vide" } }

    /// Frames a second, from the number of samples and the duration of the pictures.
    package var frameRate: Double? {
        guard let picture, let count = picture.sampleCount, let seconds = picture.duration, seconds > 0, count > 0
        else {
            return nil
        }
        return Double(count) / seconds
    }
}
