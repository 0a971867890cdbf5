/// What a message may be at most; larger ones are refused before they are understood.
package enum Limits {
    /// Bytes of one frame; also the socket's `ZMQ_MAXMSGSIZE`.
    package static let frameBytes = 4 << 20
    /// Bytes of a header.
    package static let headerBytes = 16 << 10
    /// Bytes of a body.
    package static let bodyBytes = 1 << 20
    /// Frames of one message, the three fixed ones included.
    package static let frames = 16
    /// How deep JSON may nest.
    package static let jsonDepth = 32
    /// Items that can be allowed ahead; more is taken as this.
    package static let credit = 1_024
    /// Items that can be allowed ahead of a live stream (preview, recording).
    package static let liveCredit = 2
    /// Bytes of an identifier chosen by the client.
    package static let identifierBytes = 64
    /// Bytes of one chunk of an upload or a read.
    package static let chunkBytes = 1 << 20
    /// Bytes of an asset's caption.
    package static let captionBytes = 2_000
    /// Characters of a purpose text.
    package static let purposeCharacters = 200
    /// Pixels a side of a picture that can be asked of a camera: what JPEG codecs take.
    package static let pictureSides = 1...65_500
    /// Pixels a side of the box that a thumbnail fits into.
    package static let thumbnailSides = 1...4_096
    /// Bytes of the words that assets are searched by.
    package static let searchTextBytes = 256
    /// Seconds of film that can be asked for.
    package static let filmSeconds = 0.1...86_400
    /// Seconds from picture to picture of a timelapse.
    package static let timelapseSeconds = 0.1...3_600
    /// Pictures a second at which a timelapse can play.
    package static let playbackRates = 1.0...120
    /// Seconds before a film that can be kept.
    package static let preRollSeconds = 0.1...30
    /// Bytes of film that can be asked for: a megabyte to a terabyte.
    package static let filmBytes: ClosedRange<Int64> = 1_000_000...1_000_000_000_000
    /// Pictures a second that can be asked of a preview.
    package static let previewRates = 0.01...1_000
    /// Pictures that one request for photos can ask for.
    package static let burstPictures = 1...100
    /// Seconds that a self-timer can be set to.
    package static let timerSeconds = 0.0...600
    /// Exchanges that one connection of a program may have open.
    package static let openExchanges = 64
    /// Exchanges that all programs of one user may have open.
    package static let openExchangesOfUser = 512
}
