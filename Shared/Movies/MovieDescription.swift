package import Media

/// How the pictures of a movie are compressed, with what a decoder has to know first.
package enum MoviePictures: Hashable, Sendable {
    /// JPEG pictures, each by itself.
    case motionJPEG
    /// H.264; each sample's units have lengths of four bytes.
    case h264(H264Configuration)

    /// Whether a picture can need the ones before it.
    var hasKeys: Bool { self != .motionJPEG }
}

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
    package var container = FilmContainer.mov
    package var pictures = MoviePictures.motionJPEG
    /// What is known of the camera's colours, for pictures that do not say it themselves; nil where nothing is.
    package var colours: MovieColours?
    /// Its sound; nil for a film without.
    package var sound: MovieSound?

    /// A description without a location, of motion JPEG in QuickTime.
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
