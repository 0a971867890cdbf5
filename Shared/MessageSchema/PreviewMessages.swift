/// One picture of a preview; its single attachment is a JPEG.
package struct PreviewItem: Hashable, Sendable, Codable {
    /// Counts the camera's frames, so that a gap is what was not shown.
    package var number: Int64
    /// Pixels.
    package var width: Int
    /// Pixels.
    package var height: Int
    /// Milliseconds of CLOCK_BOOTTIME at which it was taken.
    package var captured: Int64
    /// Frames so far that were due and not shown: the camera lost them, they were no pictures, or there was no credit
    /// in time.
    package var dropped: Int64

    package init(number: Int64, width: Int, height: Int, captured: Int64, dropped: Int64) {
        self.number = number
        self.width = width
        self.height = height
        self.captured = captured
        self.dropped = dropped
    }
}

/// Shows what a camera sees, live, until it is cancelled; needs `camera/<id>` use.
///
/// Who has no credit misses frames, and gets the newest as soon as it has. Pictures have the camera's shape, are
/// never enlarged, and are not turned: the camera's `rotation` says how they are upright.
package struct PreviewCamera: StreamRequest, Hashable {
    package typealias Item = PreviewItem
    package typealias Summary = Empty
    package static let name = "camera.preview"
    package static let creditLimit = Limits.liveCredit
    /// An identity or a position.
    package var camera: String
    /// Pixels at most; as the camera gives them when absent.
    package var width: Int?
    /// Pixels at most; as the camera gives them when absent.
    package var height: Int?
    /// Pictures a second at most, within ``Limits/previewRates``; every frame when absent.
    package var framesPerSecond: Double?

    package init(camera: String, width: Int? = nil, height: Int? = nil, framesPerSecond: Double? = nil) {
        self.camera = camera
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
    }

    package func checkParameters() throws(ErrorReply) {
        try ErrorReply.check(width, Limits.pictureSides, "width", " pixels")
        try ErrorReply.check(height, Limits.pictureSides, "height", " pixels")
        try ErrorReply.check(framesPerSecond, Limits.previewRates, "framesPerSecond", " a second")
    }
}
