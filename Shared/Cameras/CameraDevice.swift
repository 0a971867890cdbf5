package import MessageSchema
package import Video4Linux

/// One picture from a camera.
package struct CapturedFrame: Sendable {
    /// The picture as the camera gave it: `format` says what the bytes mean.
    package let bytes: [UInt8]
    package let format: VideoFormat
    package let stamp: FrameStamp

    /// A picture with all its parts.
    package init(bytes: [UInt8], format: VideoFormat, stamp: FrameStamp) {
        self.bytes = bytes
        self.format = format
        self.stamp = stamp
    }
}

/// Whether whoever uses a camera can do something with H.264 of the camera's own.
package enum H264Use: Hashable, Sendable {
    /// Single pictures are needed.
    case never
    /// Where the camera has nothing else.
    case fallback
    /// Before all others; and pictures that can be encoded go before the camera's JPEG.
    case preferred
}

/// What a camera shall give; it takes the nearest that it has.
package struct WantedFormat: Hashable, Sendable {
    /// Pixels; the largest size when nil.
    package var width: Int?
    /// Pixels; the largest size when nil.
    package var height: Int?
    /// Frames a second at most; as fast as the camera likes when nil.
    package var framesPerSecond: Double?
    package var h264: H264Use
    /// Whether pixels that were never compressed come first, and what the camera compresses only without them.
    package var prefersUncompressed: Bool

    /// A wish for a size and a rate.
    package init(
        width: Int? = nil,
        height: Int? = nil,
        framesPerSecond: Double? = nil,
        h264: H264Use = .never,
        prefersUncompressed: Bool = false
    ) {
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
        self.h264 = h264
        self.prefersUncompressed = prefersUncompressed
    }
}

/// What the camera says about the exposure of its pictures, where it does.
package struct ExposureReadings: Hashable, Sendable {
    package var exposureMicroseconds: Int?
    package var isoSpeed: Int?

    /// Readings; nil is not known.
    package init(exposureMicroseconds: Int? = nil, isoSpeed: Int? = nil) {
        self.exposureMicroseconds = exposureMicroseconds
        self.isoSpeed = isoSpeed
    }
}

/// A camera that can be opened: the seam between capture and everything that gives pictures.
///
/// Conformers: `V4L2Camera`, `PatternCamera`, `FileCamera`, and the scripted cameras of the tests. A device is used by
/// one session at a time, which never has two frames in flight; `close`, the light, a still, readings and settings
/// may be asked for meanwhile.
package protocol CameraDevice: AdjustableCamera {
    /// What the camera is; known before it is opened.
    nonisolated var camera: Camera { get }

    /// Opens the camera and starts it.
    ///
    /// - Returns: What it really gives.
    func open(_ wanted: WantedFormat) async throws(CameraError) -> VideoFormat

    /// Waits for the next good frame.
    ///
    /// - Throws: `cancelled` as soon as the task is cancelled, and no frame is lost by it; `removed`, `stalled`, `fault`:
    ///   then the camera has to be closed.
    func nextFrame() async throws(CameraError) -> CapturedFrame

    /// Stops the camera and lets go of it; does nothing when it is closed. Ends a `nextFrame` that waits.
    func close() async

    /// Takes one picture at a size of its own while the camera is open, whatever size its frames have; those go on.
    ///
    /// Needs a second stream or a still pin. UVC has one (USB Video Class 1.5, 2.4.2.4 still image capture, methods 2 and 3),
    /// which uvcvideo does not drive; none of the conformers above can.
    ///
    /// - Throws: `notSupported`: its frames are all there is.
    func still(_ wanted: WantedFormat) async throws(CameraError) -> CapturedFrame

    /// Turns the light on or off; a camera without one refuses.
    func setLight(_ isOn: Bool) async throws(CameraError)

    /// What the camera says about its exposure now.
    func readings() async -> ExposureReadings
}

extension CameraDevice {
    /// A camera that gives one size at a time.
    package func still(_ wanted: WantedFormat) async throws(CameraError) -> CapturedFrame {
        throw CameraError(.notSupported, "one size at a time")
    }
}

/// A camera's settings, such as its brightness, while it is open.
package protocol AdjustableCamera: Actor {
    /// What can be set, with the values now, in the order of the driver; nothing for a camera that is closed.
    func controls() async -> [CameraControl]

    /// Sets a value that was checked against the control's bounds; it stays when the camera is closed and opened again.
    ///
    /// - Throws: `inUse` when something else keeps the control, `notSupported` when the camera does not take the value.
    func set(_ control: CameraControl, to value: ControlValue) async throws(CameraError)
}

extension AdjustableCamera {
    /// A camera without settings.
    package func controls() async -> [CameraControl] { [] }

    /// A camera without settings refuses.
    package func set(_ control: CameraControl, to value: ControlValue) async throws(CameraError) {
        throw CameraError(.notSupported, "no settings")
    }
}
