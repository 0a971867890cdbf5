package import Media

/// Where pictures and films can come from.
package enum Source: String, Hashable, Sendable, Codable, CaseIterable {
    case camera, photoLibrary, savedPhotosAlbum
}

/// Whether something can be used now, and why not.
package struct Availability: Hashable, Sendable, Codable {
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case available, busy, absent, denied, noSignal, noBandwidth, stalled, disabled, unknown
    }

    package var state: State
    /// Why, in words, where the state is not `available`.
    package var reason: String?

    package init(_ state: State, reason: String? = nil) {
        self.state = state
        self.reason = reason
    }
}

/// One source with what it can give now.
package struct SourceStatus: Hashable, Sendable, Codable {
    package var source: Source
    package var available: Bool
    /// Why not, in a word; nothing where it is available.
    package var reason: String?
    package var mediaTypes: [MediaType]
    /// More about the reason, for a person.
    package var detail: String?

    package init(
        source: Source,
        available: Bool,
        reason: String?,
        mediaTypes: [MediaType],
        detail: String? = nil
    ) {
        self.source = source
        self.available = available
        self.reason = reason
        self.mediaTypes = mediaTypes
        self.detail = detail
    }
}

/// A range of one dimension, or of a frame interval: equal ends and no step for a single value.
package struct FrameSizes: Hashable, Sendable, Codable {
    package var minimumWidth: Int
    package var minimumHeight: Int
    package var maximumWidth: Int
    package var maximumHeight: Int
    package var stepWidth: Int?
    package var stepHeight: Int?
    /// Times between two frames that go with it, as `numerator/denominator` seconds each, slowest last; of a range of
    /// sizes those of the largest.
    package var intervals: [String]
    /// Whether `intervals` are the two ends of a range, and not all there are.
    package var intervalsAreRange: Bool?
    /// What the times of a range differ by at least, where it has steps.
    package var intervalStep: String?

    package init(width: Int, height: Int, intervals: [String]) {
        minimumWidth = width
        maximumWidth = width
        minimumHeight = height
        maximumHeight = height
        self.intervals = intervals
    }
}

/// A format that a camera gives by itself.
package struct CameraFormat: Hashable, Sendable, Codable {
    /// The four characters of the V4L2 pixel format, such as `YUYV`.
    package var pixelFormat: String
    package var description: String
    package var isCompressed: Bool
    /// True where a library has to make pictures of it (libv4lconvert); absent for what is used as it is.
    package var isConverted: Bool?
    package var sizes: [FrameSizes]

    package init(
        pixelFormat: String,
        description: String,
        isCompressed: Bool,
        isConverted: Bool? = nil,
        sizes: [FrameSizes]
    ) {
        self.pixelFormat = pixelFormat
        self.description = description
        self.isCompressed = isCompressed
        self.isConverted = isConverted
        self.sizes = sizes
    }
}

/// What a camera can be used for, as a camera program's switch has it.
package enum CaptureMode: String, Hashable, Sendable, Codable, CaseIterable {
    case photo, movie

    /// The modes for kinds of media, photos first.
    package static func modes(for mediaTypes: [MediaType]) -> [CaptureMode] {
        (mediaTypes.contains(.image) ? [.photo] : []) + (mediaTypes.contains(.movie) ? [.movie] : [])
    }
}

/// A camera as programs see it.
package struct Camera: Hashable, Sendable, Codable {
    /// Survives replugging and renumbering.
    package var id: String
    package var name: String
    package var position: CameraPosition
    /// The kernel driver, `pattern` for the built-in ones.
    package var driver: String
    package var builtIn: Bool
    package var availability: Availability
    package var mediaTypes: [MediaType]
    package var captureModes: [CaptureMode]
    package var flash: Bool
    package var torch: Bool
    package var formats: [CameraFormat]
    /// Degrees counter-clockwise that make its pictures upright.
    package var rotation: Int
    /// The device node now, which is not its identity.
    package var node: String?
    /// What its light is switched with: the node itself, a subdevice, or a LED's folder in sysfs.
    package var light: String?

    package init(
        id: String,
        name: String,
        position: CameraPosition,
        driver: String,
        builtIn: Bool,
        availability: Availability,
        mediaTypes: [MediaType],
        flash: Bool,
        torch: Bool,
        formats: [CameraFormat],
        rotation: Int = 0,
        node: String? = nil,
        light: String? = nil
    ) {
        self.id = id
        self.name = name
        self.position = position
        self.driver = driver
        self.builtIn = builtIn
        self.availability = availability
        self.mediaTypes = mediaTypes
        captureModes = CaptureMode.modes(for: mediaTypes)
        self.flash = flash
        self.torch = torch
        self.formats = formats
        self.rotation = rotation
        self.node = node
        self.light = light
    }
}

/// Asks for the three sources.
package struct ListSources: Request {
    package static let name = "sources.list"

    package init() {}

    package struct Reply: Hashable, Sendable, Codable {
        package var sources: [SourceStatus]

        package init(sources: [SourceStatus]) { self.sources = sources }
    }
}

/// Asks for all cameras.
package struct ListCameras: Request {
    package static let name = "cameras.list"

    package init() {}

    package struct Reply: Hashable, Sendable, Codable {
        package var cameras: [Camera]
        /// Why there can be none of hardware, or why it could not be looked for; nothing where all is well.
        package var problem: String?

        package init(cameras: [Camera], problem: String? = nil) {
            self.cameras = cameras
            self.problem = problem
        }
    }
}

/// Asks for one camera; an unknown one gives nothing.
package struct ShowCamera: Request {
    package static let name = "cameras.show"
    /// An identity, or a position.
    package var camera: String

    package init(camera: String) { self.camera = camera }

    package struct Reply: Hashable, Sendable, Codable {
        package var camera: Camera?
        /// What can be set, in the order of the driver; nothing where the camera has none or could not be asked.
        package var controls: [CameraControl]?

        package init(camera: Camera?, controls: [CameraControl]? = nil) {
            self.camera = camera
            self.controls = controls
        }
    }
}

/// Asks for the report of the machine, line by line.
package struct ReportCameras: Request {
    package static let name = "cameras.report"

    package init() {}

    package struct Reply: Hashable, Sendable, Codable {
        package var lines: [String]

        package init(lines: [String]) { self.lines = lines }
    }
}

/// A question about the cameras that is answered and never fails.
package struct AskCameras: Request {
    package static let name = "cameras.predicate"

    package enum Question: String, Hashable, Sendable, Codable, CaseIterable {
        /// Does `source` give `mediaType`?
        case mediaType
        /// Is `source` available?
        case source
        /// Is there a camera at `position`?
        case position
        /// Has the camera at `position` a flash?
        case flash
    }

    package var question: Question
    package var source: Source?
    package var mediaType: MediaType?
    package var position: CameraPosition?

    package init(
        _ question: Question,
        source: Source? = nil,
        mediaType: MediaType? = nil,
        position: CameraPosition? = nil
    ) {
        self.question = question
        self.source = source
        self.mediaType = mediaType
        self.position = position
    }

    package struct Reply: Hashable, Sendable, Codable {
        package var answer: Bool
        /// `mediaTypeEmpty`, `sourceUnavailable`, `cameraAbsent` …: why not; nothing for a yes.
        package var reason: String?

        package init(answer: Bool, reason: String? = nil) {
            self.answer = answer
            self.reason = reason
        }
    }
}

/// A camera that came, went or changed.
package struct CameraEvent: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// One that is there when the stream begins.
        case present
        case added, removed, changed
    }

    package var kind: Kind
    package var camera: Camera

    package init(kind: Kind, camera: Camera) {
        self.kind = kind
        self.camera = camera
    }
}

/// Follows the cameras.
package struct WatchCameras: StreamRequest {
    package typealias Item = CameraEvent
    package typealias Summary = Empty
    package static let name = "cameras.watch"

    package init() {}
}
