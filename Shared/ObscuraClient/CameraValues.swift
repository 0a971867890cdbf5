import Media
import MessageSchema

/// Where a camera looks.
public enum CameraDevice: String, Hashable, Sendable, CaseIterable {
    /// At the person in front of the screen.
    case front
    /// Away from the person.
    case rear
    /// Wherever it was put.
    case external

    var position: CameraPosition {
        switch self {
        case .front: .front
        case .rear: .back
        case .external: .external
        }
    }

    init(_ position: CameraPosition) {
        self =
            switch position {
            case .front: .front
            case .back: .rear
            case .external: .external
            }
    }
}

/// Where pictures and films can come from.
public enum SourceType: String, Hashable, Sendable, CaseIterable {
    case camera, photoLibrary, savedPhotosAlbum

    var message: Source {
        switch self {
        case .camera: .camera
        case .photoLibrary: .photoLibrary
        case .savedPhotosAlbum: .savedPhotosAlbum
        }
    }

    init(_ source: Source) {
        self =
            switch source {
            case .camera: .camera
            case .photoLibrary: .photoLibrary
            case .savedPhotosAlbum: .savedPhotosAlbum
            }
    }
}

/// What kind of media, as a uniform type identifier; compared exactly, never by conformance.
public struct MediaType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    /// Any text is a media type; one that nobody offers is simply never available.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `public.image`.
    public static let image = MediaType(rawValue: "public.image")
    /// `public.movie`.
    public static let movie = MediaType(rawValue: "public.movie")
}

/// What the flash shall do for a photo, and the light for a film.
public enum CameraFlash: String, Hashable, Sendable, CaseIterable {
    case auto, on, off

    var message: FlashMode {
        switch self {
        case .auto: .auto
        case .on: .on
        case .off: .off
        }
    }
}

/// The answer to a question that can not fail.
public struct CameraAnswer: Hashable, Sendable {
    /// Yes or no.
    public let isTrue: Bool
    /// Why not: `mediaTypeEmpty`, `mediaTypeUnavailable`, `sourceUnavailable`, `cameraAbsent`, `cameraBusy` and other states
    /// of the camera, `noFlash`, or the code of an error; nil for a yes.
    public let reason: String?

    /// Makes an answer.
    public init(isTrue: Bool, reason: String?) {
        self.isTrue = isTrue
        self.reason = reason
    }
}

/// A photo that was taken: the asset, and how it was taken.
public struct Photo: Hashable, Sendable {
    /// The photo in the library, which the program may look at and read.
    public let asset: Asset
    /// The identity of the camera.
    public let camera: String
    /// Whether the flash fired; nil when the camera does not tell.
    public let flashFired: Bool?
    /// Whether exposure had settled; nil when it is not known any more.
    public let exposureSettled: Bool?
}

/// What a photo's file is.
public enum PhotoFileFormat: String, Hashable, Sendable, CaseIterable {
    /// The camera's own JPEG where it gives one, else encoded.
    case jpeg
    /// Without loss, of uncompressed pixels where the camera gives them.
    case png
    /// Every sample as the camera gave it, uncompressed, in a TIFF file.
    case raw

    var message: PhotoFormat {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .raw: .raw
        }
    }
}

/// How photos are taken.
public struct PhotoOptions: Hashable, Sendable {
    /// What the flash does; by itself in the dark when nil.
    public var flash: CameraFlash?
    /// What the files are.
    public var format: PhotoFileFormat
    /// Photos in a row, 1 to 100.
    public var count: Int
    /// The self-timer: how long after the call the first photo is taken, at most ten minutes.
    public var delay: Duration
    /// Whether the photo waits while another one is taken with the same camera, or fails with `cameraBusy`.
    public var waitsForTurn: Bool

    /// One photo at once, unless told otherwise.
    public init(
        flash: CameraFlash? = nil,
        format: PhotoFileFormat = .jpeg,
        count: Int = 1,
        delay: Duration = .zero,
        waitsForTurn: Bool = true
    ) {
        self.flash = flash
        self.format = format
        self.count = count
        self.delay = delay
        self.waitsForTurn = waitsForTurn
    }
}
