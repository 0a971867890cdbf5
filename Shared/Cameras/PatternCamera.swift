private import Media
package import MessageSchema
package import Video4Linux

/// A camera that needs no hardware: colour bars and a counter, paced by a clock.
///
/// `pattern-back` has a light, `pattern-front` has none. Like a sensor, it counts frames from when it was opened,
/// whether somebody takes them or not, and its first pictures are dark.
package actor PatternCamera<Time: Clock>: CameraDevice where Time.Duration == Duration {
    /// Frames until the exposure has settled.
    package static var settlingFrames: Int { 5 }

    package nonisolated let camera: Camera
    private let clock: Time
    private let now: @Sendable () -> Int64
    private let rate: Int
    private var stream: Stream?
    /// Counts openings, so that a wait that ends after a close does not touch the next one.
    private var generation = 0
    private var wait = FrameWait<Time>()
    private var isLit = false
    private var settings = PatternSettings()

    private struct Stream {
        let format: VideoFormat
        let start: Time.Instant
        let interval: Duration
        /// The number of the frame that comes next.
        var next = 0
    }

    /// A built-in camera.
    ///
    /// - Parameters:
    ///   - camera: `BuiltInCameras.back` or `.front`.
    ///   - clock: What paces the frames.
    ///   - rate: Frames a second.
    ///   - now: Microseconds of CLOCK_MONOTONIC, for the frames' stamps.
    package init(
        _ camera: Camera,
        clock: Time,
        rate: Int = 30,
        now: @escaping @Sendable () -> Int64 = { MonotonicTime.now() }
    ) {
        self.camera = camera
        self.clock = clock
        self.rate = rate
        self.now = now
    }

    package func open(_ wanted: WantedFormat) throws(CameraError) -> VideoFormat {
        guard stream == nil else { throw CameraError(.inUse, "open already") }
        guard let choice = FormatChoice(wanted, among: BuiltInCameras.formats) else { throw CameraError(.notSupported) }
        let slowed = wanted.framesPerSecond.map { min(Double(rate), max(1, $0)) } ?? Double(rate)
        let format = VideoFormat(
            pixelFormat: .yuyv,
            width: choice.width,
            height: choice.height,
            bytesPerRow: choice.width * 2,
            imageByteCount: choice.width * choice.height * 2,
            colours: .sRGB,
            interval: FrameInterval(numerator: 1000, denominator: UInt32(slowed * 1000))
        )
        generation += 1
        stream = Stream(
            format: format,
            start: clock.now,
            interval: .seconds(1) / slowed
        )
        return format
    }

    package func nextFrame() async throws(CameraError) -> CapturedFrame {
        guard var stream else { throw CameraError(.fault, "not open") }
        let elapsed = stream.start.duration(to: clock.now)
        // What nobody took in time is lost, as with a sensor.
        let current = max(stream.next, Int(elapsed / stream.interval))
        let lost = current - stream.next
        stream.next = current + 1
        let generation = generation
        try await FrameWait<Time>.ended(
            wait.begin(until: stream.start.advanced(by: stream.interval * (current + 1)), on: clock)
        )
        guard self.generation == generation else { throw CameraError(.cancelled) }
        self.stream = stream
        let brightness = min(1, Double(current + 1) / Double(Self.settlingFrames))
        let picture = PatternPicture(
            width: stream.format.width,
            height: stream.format.height,
            isMirrored: (camera.position == .front) != settings.isFlipped
        )
        return CapturedFrame(
            bytes: picture.yuyv(number: current, brightness: brightness, isLit: isLit, look: settings.look),
            format: stream.format,
            stamp: FrameStamp(microseconds: now(), isDriverTime: false, lostBefore: lost)
        )
    }

    package func close() {
        generation += 1
        wait.end()
        stream = nil
        isLit = false
    }

    package func setLight(_ isOn: Bool) throws(CameraError) {
        guard camera.flash else { throw CameraError(.notSupported, "no light") }
        isLit = isOn
    }

    package func readings() -> ExposureReadings {
        ExposureReadings(exposureMicroseconds: 1_000_000 / rate / 2, isoSpeed: 100)
    }
}

extension PatternCamera {
    package func controls() async -> [CameraControl] { stream == nil ? [] : settings.controls }

    package func set(_ control: CameraControl, to value: ControlValue) async throws(CameraError) {
        guard stream != nil else { throw CameraError(.notSupported, "not open") }
        try settings.set(control, to: value)
    }
}

/// The cameras that are always there, and what they give.
package enum BuiltInCameras {
    /// Looks away from the person, and has a light.
    package static let back = camera(id: "pattern-back", name: "Pattern camera, back", position: .back, flash: true)

    /// Looks at the person.
    package static let front = camera(
        id: "pattern-front",
        name: "Pattern camera, front",
        position: .front,
        flash: false
    )

    /// Both.
    package static let all = [back, front]

    /// What can be set on each, with the values that it starts with.
    package static let controls = PatternSettings().controls

    static let formats = [
        VideoFormatDescription(
            pixelFormat: .yuyv,
            text: "YUYV 4:2:2",
            isCompressed: false,
            isEmulated: false,
            sizes: [(320, 240), (640, 480), (960, 540), (1280, 720), (1920, 1080)].map { width, height in
                VideoSizes(width: width, height: height, intervals: .unknown)
            }
        )
    ]

    private static func camera(id: String, name: String, position: CameraPosition, flash: Bool) -> Camera {
        Camera(
            id: id,
            name: name,
            position: position,
            driver: "pattern",
            builtIn: true,
            availability: Availability(.available),
            mediaTypes: [.image, .movie],
            flash: flash,
            torch: flash,
            formats: formats.map { CameraFormat($0) }
        )
    }
}
