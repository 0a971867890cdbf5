import Media
import MessageSchema

/// A camera of the machine, as it was when it was asked for.
public struct CameraInfo: Hashable, Sendable {
    /// Whether a camera can be used.
    public enum State: String, Hashable, Sendable, CaseIterable {
        case available
        /// Another program uses it.
        case busy
        /// The machine names it, and it is not there.
        case absent
        /// The cluster itself may not open it.
        case denied
        /// Its input has no signal.
        case noSignal
        /// Its bus has no room for pictures.
        case noBandwidth
        /// It gives no pictures.
        case stalled
        /// Its cover is closed, or this machine's policy forbids it.
        case disabled
        /// It could not be found out.
        case unknown
    }

    /// Survives replugging and renumbering.
    public let id: String
    /// The name that people see.
    public let name: String
    /// Where it looks.
    public let device: CameraDevice
    /// The kernel's driver; `pattern` for the built-in ones.
    public let driver: String
    /// Whether it needs no hardware.
    public let isBuiltIn: Bool
    /// Whether it can be used, in a word.
    public let state: State
    /// Whether it can be used now.
    public var isAvailable: Bool { state == .available }
    /// Why it can not be used, for a person, or a word such as `absent`; nil when it can.
    public let reason: String?
    /// Whether it has a flash.
    public let hasFlash: Bool
    /// Whether it has a light that can be held on.
    public let hasTorch: Bool
    /// What it gives.
    public let mediaTypes: [MediaType]
    /// What it can be used for, as a camera program's switch has it.
    public let captureModes: [CameraCaptureMode]
    /// The formats that it gives by itself.
    public let formats: [CameraFormatInfo]
    /// Degrees counter-clockwise that make its pictures upright.
    public let rotation: Int
    /// Its device node now, which is not its identity; nil for built-in ones.
    public let node: String?

    init(_ camera: MessageSchema.Camera) {
        let availability = camera.availability
        id = camera.id
        name = camera.name
        device = CameraDevice(camera.position)
        driver = camera.driver
        isBuiltIn = camera.builtIn
        state = State(rawValue: availability.state.rawValue) ?? .unknown
        reason = availability.state == .available ? nil : availability.reason ?? availability.state.rawValue
        hasFlash = camera.flash
        hasTorch = camera.torch
        mediaTypes = camera.mediaTypes.map { MediaType(rawValue: $0.rawValue) }
        captureModes = camera.captureModes.map { $0 == .photo ? .photo : .video }
        formats = camera.formats.map { CameraFormatInfo($0) }
        rotation = camera.rotation
        node = camera.node
    }
}

/// What a camera can be used for.
public enum CameraCaptureMode: Int, Hashable, Sendable, CaseIterable {
    case photo = 0
    case video = 1
}

/// A format that a camera gives by itself.
public struct CameraFormatInfo: Hashable, Sendable {
    /// Sizes that a format has: one, or a range in steps.
    public struct Size: Hashable, Sendable {
        /// Pixels; both ends are the same for a single size.
        public let widths, heights: ClosedRange<Int>
        /// Pixels from one size of a range to the next; 1 for a single size.
        public let widthStep, heightStep: Int
        /// Seconds between frames as fractions such as `1/30`, the fastest first.
        public let frameIntervals: [String]
        /// Whether `frameIntervals` are the ends of a range, and not all there are.
        public let hasIntervalRange: Bool
    }

    /// The four characters of the pixel format (Video4Linux), such as `YUYV`.
    public let pixelFormat: String
    /// The driver's words.
    public let text: String
    public let isCompressed: Bool
    /// Whether a library makes pictures of it, because nothing else here understands it.
    public let isConverted: Bool
    public let sizes: [Size]

    init(_ format: CameraFormat) {
        pixelFormat = format.pixelFormat
        text = format.description
        isCompressed = format.isCompressed
        isConverted = format.isConverted ?? false
        sizes = format.sizes.map { size in
            Size(
                widths: size.minimumWidth...max(size.minimumWidth, size.maximumWidth),
                heights: size.minimumHeight...max(size.minimumHeight, size.maximumHeight),
                widthStep: size.stepWidth ?? 1,
                heightStep: size.stepHeight ?? 1,
                frameIntervals: size.intervals,
                hasIntervalRange: size.intervalsAreRange ?? false
            )
        }
    }
}

/// A source of pictures and films.
public struct SourceInfo: Hashable, Sendable {
    public let source: SourceType
    /// Whether it can give something now.
    public let isAvailable: Bool
    /// Why not: a word such as `busy`, `absent`, `empty` or `libraryUnavailable`; nil when it can.
    public let reason: String?
    /// More about the reason, for a person.
    public let detail: String?
    /// What it can give now.
    public let mediaTypes: [MediaType]

    init(_ status: SourceStatus) {
        source = SourceType(status.source)
        isAvailable = status.available
        reason = status.reason
        detail = status.detail
        mediaTypes = status.mediaTypes.map { MediaType(rawValue: $0.rawValue) }
    }
}
