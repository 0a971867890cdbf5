import Cameras
import Imaging
import Media
import MessageSchema
import Movies
import Synchronization
import Video4Linux

@testable import CaptureService

/// A camera that does what the test says, when it says it.
actor ScriptedCamera: CameraDevice {
    nonisolated let camera: Camera
    private let refusesLight: Bool
    private var frameWatchers: [CheckedContinuation<Void, Never>] = []
    private var lightWatchers: [CheckedContinuation<Void, Never>] = []
    private var pending: [Result<CapturedFrame, CameraError>] = []
    private typealias Waiter = CheckedContinuation<Result<CapturedFrame, CameraError>, Never>
    private var waiter: Waiter?
    private var openResult: Result<VideoFormat, CameraError>
    private var heldOpenings = 0
    private var openWaiters: [CheckedContinuation<Void, Never>] = []
    private var watchers: [(Int, CheckedContinuation<Void, Never>)] = []
    private(set) var openings = 0
    private(set) var closings = 0
    private(set) var isOpen = false
    private(set) var litWhen: [Bool] = []
    private var list: [CameraControl] = []
    private var still: CapturedFrame?
    private var refused = ""
    /// What was set, in order.
    private(set) var settings: [String] = []
    private(set) var wanted: WantedFormat?

    init(
        format: VideoFormat = Frames.yuyv,
        flash: Bool = false,
        refusesLight: Bool = false,
        opening: CameraError? = nil
    ) {
        self.refusesLight = refusesLight
        camera = Camera(
            id: "scripted",
            name: "Scripted camera",
            position: .back,
            driver: "script",
            builtIn: false,
            availability: Availability(.available),
            mediaTypes: [.image, .movie],
            flash: flash,
            torch: flash,
            formats: [],
            rotation: 90
        )
        openResult = opening.map { .failure($0) } ?? .success(format)
    }

    func open(_ wanted: WantedFormat) async throws(CameraError) -> VideoFormat {
        openings += 1
        self.wanted = wanted
        tellWatchers()
        if heldOpenings > 0 {
            heldOpenings -= 1
            await withCheckedContinuation { openWaiters.append($0) }
        }
        let format = try openResult.get()
        guard !isOpen else { throw CameraError(.inUse) }
        isOpen = true
        return format
    }

    func nextFrame() async throws(CameraError) -> CapturedFrame {
        guard isOpen else { throw CameraError(.fault) }
        guard pending.isEmpty else { return try pending.removeFirst().get() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                precondition(waiter == nil, "A session waits for one frame at a time.")
                if Task.isCancelled { return continuation.resume(returning: .failure(CameraError(.cancelled))) }
                waiter = continuation
                for watcher in frameWatchers { watcher.resume() }
                frameWatchers = []
            }
        } onCancel: {
            Task { await self.give(.failure(CameraError(.cancelled)), ifWaiting: true) }
        }
        return try result.get()
    }

    func close() async {
        isOpen = false
        closings += 1
        waiter.take()?.resume(returning: .failure(CameraError(.cancelled)))
        tellWatchers()
    }

    func setLight(_ isOn: Bool) async throws(CameraError) {
        guard camera.flash, !refusesLight else { throw CameraError(.notSupported) }
        litWhen.append(isOn)
        for watcher in lightWatchers { watcher.resume() }
        lightWatchers = []
    }

    func still(_ wanted: WantedFormat) async throws(CameraError) -> CapturedFrame {
        guard let still, isOpen else { throw CameraError(.notSupported) }
        return still
    }

    func readings() async -> ExposureReadings { ExposureReadings(exposureMicroseconds: 10_000, isoSpeed: 200) }

    func controls() async -> [CameraControl] { list }

    func set(_ control: CameraControl, to value: ControlValue) async throws(CameraError) {
        guard control.name != refused else { throw CameraError(.notSupported, control.name) }
        settings.append("\(control.name)=\(value)")
    }

    // MARK: The test's side

    /// What the camera's second stream gives, whatever its frames are.
    func setStill(_ frame: CapturedFrame) { still = frame }

    /// What can be set, and the name of what can not.
    func setControls(_ controls: [CameraControl], refusing refused: String = "") {
        list = controls
        self.refused = refused
    }

    /// Gives a frame to whoever waits, or to the next who does.
    func send(_ frame: CapturedFrame) { give(.success(frame)) }

    /// Fails as a camera does while it films.
    func fail(_ error: CameraError) { give(.failure(error)) }

    /// Waits until somebody waits for a frame.
    func waits() async {
        guard waiter == nil else { return }
        await withCheckedContinuation { frameWatchers.append($0) }
    }

    /// Makes the next opening wait for `finishOpening`.
    func holdOpening() { heldOpenings += 1 }

    func finishOpening() {
        for waiter in openWaiters { waiter.resume() }
        openWaiters = []
    }

    func setOpening(_ result: Result<VideoFormat, CameraError>) { openResult = result }

    /// Waits until the camera was opened and closed so many times together.
    func changed(_ count: Int) async {
        guard openings + closings < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    /// Waits until the light was turned on or off for the first time.
    func lit() async {
        guard litWhen.isEmpty else { return }
        await withCheckedContinuation { lightWatchers.append($0) }
    }

    private func give(_ result: Result<CapturedFrame, CameraError>, ifWaiting: Bool = false) {
        if let waiter = waiter.take() {
            waiter.resume(returning: result)
        } else if !ifWaiting {
            pending.append(result)
        }
    }

    private func tellWatchers() {
        let count = openings + closings
        for watcher in watchers where watcher.0 <= count { watcher.1.resume() }
        watchers.removeAll { $0.0 <= count }
    }
}

/// Frames made on the spot, 128×96.
enum Frames {
    static let yuyv = format(.yuyv)

    /// A film of such frames.
    static var description: MovieDescription {
        MovieDescription(
            width: 128,
            height: 96,
            time: LocalTime.now(),
            make: "script",
            model: "Scripted camera",
            software: "test"
        )
    }
    static let motionJPEG = format(.motionJPEG)

    static func format(_ pixelFormat: PixelFormat) -> VideoFormat {
        VideoFormat(
            pixelFormat: pixelFormat,
            width: 128,
            height: 96,
            bytesPerRow: pixelFormat == .yuyv ? 256 : 0,
            imageByteCount: 128 * 96 * 2
        )
    }

    /// Numbers whose strips are equally bright, so that only what a test wants changes the exposure.
    private static let numbers = [1, 4, 32, 128, 256, 1024, 8192, 32_768]

    /// The pattern's frame of one of eight numbers, taken at a time in microseconds.
    static func raw(_ index: Int, at time: Int64, brightness: Double = 1, lost: Int = 0) -> CapturedFrame {
        let picture = PatternPicture(width: 128, height: 96, isMirrored: false)
        return CapturedFrame(
            bytes: picture.yuyv(number: numbers[index % 8], brightness: brightness, isLit: false),
            format: yuyv,
            stamp: FrameStamp(microseconds: time, isDriverTime: true, lostBefore: lost)
        )
    }

    /// The same as a JPEG of the camera's own.
    static func jpeg(_ index: Int, at time: Int64) throws -> CapturedFrame {
        let shape = PictureShape(layout: .yuyv, width: 128, height: 96)
        return CapturedFrame(
            bytes: try JPEGEncoder().encode(raw(index, at: 0).bytes, shape: shape, quality: 90),
            format: motionJPEG,
            stamp: FrameStamp(microseconds: time, isDriverTime: true, lostBefore: 0)
        )
    }

    /// Which of the eight numbers a picture's strip has; nil where there is none to read.
    static func index(in jpeg: [UInt8]) throws -> Int? {
        let picture = try JPEGDecoder().decode(jpeg)
        let number = PatternPicture.number(width: picture.width, height: picture.height) { column, row in
            picture.bytes[(row * picture.width + column) * 3 + 1]
        }
        return number.flatMap { numbers.firstIndex(of: $0) }
    }
}
