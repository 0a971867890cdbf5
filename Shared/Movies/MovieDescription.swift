package import Media

/// What a movie is of, as its file tells it.
package struct MovieDescription: Equatable, Sendable {
    /// Stored pixels.
    package var width: Int
    /// Stored pixels.
    package var height: Int
    /// How stored pixels are turned for display; written as the track's matrix, the frames stay as they are.
    package var orientation: Orientation
    /// When the first frame was taken.
    package var time: CaptureTime
    package var make: String
    package var model: String
    package var software: String
    /// Only ever set where the person granted it.
    package var location: Location?

    /// A description without a location.
    package init(
        width: Int,
        height: Int,
        orientation: Orientation = .up,
        time: CaptureTime,
        make: String,
        model: String,
        software: String
    ) {
        self.width = width
        self.height = height
        self.orientation = orientation
        self.time = time
        self.make = make
        self.model = model
        self.software = software
    }
}
