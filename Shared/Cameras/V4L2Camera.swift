private import EventLoop
private import Glibc
package import MessageSchema
private import Timekeeping
package import Video4Linux
private import VideoConversion

/// A camera behind a video node.
///
/// Pinned to an event loop of its own, because drivers block for seconds in places: whoever makes one gives each
/// camera its own loop. The device is closed on that loop.
package actor V4L2Camera: CameraDevice {
    package nonisolated let camera: Camera
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// How late a wait ends of a process that did not run meanwhile.
    private static let held = Duration.milliseconds(500)

    private let loop: EventLoop
    private let path: String
    private let configuration: Configuration
    private let separateLight: SeparateLight?
    /// Whether the separate light is on because of us.
    private var isLit = false
    private var device: VideoDevice?
    private var choice: FormatChoice?
    /// What frames are given in.
    private var format: VideoFormat?
    /// For a camera that has no format that is used as it is.
    private var converter: FrameConverter?
    private var rule: RestartRule
    /// Counts openings, so that a wait that ends after a close does not touch the next device.
    private var generation = 0
    /// Whether there was a good frame since streaming began.
    private var hasFrame = false
    /// When the last good frame was taken, while what was lost since then is not known: streaming began anew.
    private var restartedAfter: Int64?
    private var lastFrame: Int64?
    private var signal = SignalWatch(from: .now())
    /// The wait for the device's descriptor, which has to end before the descriptor is closed.
    private var waiting: Task<EventLoop.Wake, Never>?

    /// How long a silent camera is waited for, how often it is started anew, and who else may change it.
    package struct Configuration: Hashable, Sendable {
        /// Milliseconds to the first frame; also after a restart.
        package var firstFrameMilliseconds: Int
        /// Milliseconds between frames at least; five frame periods and two exposures where those are longer.
        package var leastMilliseconds: Int
        /// Restarts without a good frame in between before the camera is `stalled`.
        package var restarts: Int
        /// Whether other processes are kept from changing format and controls while it is open.
        package var locksSettings = true
        /// The formats that may be taken; all when nil.
        package var pixelFormats: Set<PixelFormat>?

        /// Five seconds, one second, two restarts.
        package init(firstFrameMilliseconds: Int = 5000, leastMilliseconds: Int = 1000, restarts: Int = 2) {
            self.firstFrameMilliseconds = firstFrameMilliseconds
            self.leastMilliseconds = leastMilliseconds
            self.restarts = restarts
        }
    }

    /// A camera that is not opened yet, on a new event loop.
    ///
    /// - Parameters:
    ///   - camera: What the scan found.
    ///   - path: Its node now, such as `/dev/video0`.
    ///   - configuration: When the camera is called silent, and more.
    package init(_ camera: Camera, path: String, configuration: Configuration = Configuration()) {
        self.camera = camera
        self.path = path
        self.configuration = configuration
        rule = RestartRule(most: configuration.restarts)
        separateLight = SeparateLight(camera.light, besides: path)
        loop = EventLoop(name: "camera")
    }

    isolated deinit { endSeparateLight() }

    package func open(_ wanted: WantedFormat) async throws(CameraError) -> VideoFormat {
        guard device == nil else { throw CameraError(.inUse, "open already") }
        do throws(VideoError) {
            var opened = try VideoDevice(path: path)
            guard opened.hasSignal() != false else {
                throw VideoError(.noSignal, operation: "VIDIOC_ENUMINPUT", errorNumber: 0)
            }
            let allowed = opened.formats().filter { configuration.pixelFormats?.contains($0.pixelFormat) != false }
            guard let choice = FormatChoice(wanted, among: allowed) else {
                throw VideoError(.notSupported, operation: "VIDIOC_ENUM_FMT", errorNumber: 0)
            }
            let granted = try opened.setFormat(
                choice.pixelFormat,
                width: choice.width,
                height: choice.height,
                interval: choice.interval
            )
            // A driver may give another format than it listed.
            guard granted.pixelFormat != .h264 || wanted.h264 != .never else {
                throw VideoError(.notSupported, operation: "VIDIOC_S_FMT", errorNumber: 0)
            }
            let converter = try Self.converter(from: granted)
            if configuration.locksSettings { opened.takePriority() }
            opened.endForeignLight()
            // What a process before this one was ended with; a light that can not be turned off keeps nobody from filming.
            if let separateLight, separateLight.isOn { try? separateLight.set(false) }
            try opened.startStreaming()
            device = consume opened
            hasFrame = false
            lastFrame = nil
            restartedAfter = nil
            signal = SignalWatch(from: .now())
            self.choice = choice
            self.converter = converter
            let given = converter?.format ?? granted
            format = given
            generation += 1
            rule = RestartRule(most: configuration.restarts)
            return given
        } catch {
            throw CameraError(error, wasOpen: false)
        }
    }

    package func nextFrame() async throws(CameraError) -> CapturedFrame {
        // When a camera that gives nothing good is started anew.
        var silenceEnds: BootInstant?
        // Whether it was looked for a frame after that.
        var isOverdue = false
        while true {
            guard let format, device != nil else { throw CameraError(.fault, "not open") }
            do throws(VideoError) {
                try lookForSignal()
                let converter = converter
                let frame = try device?.withNextFrame { bytes, stamp in
                    Self.picture(bytes, by: converter).map { CapturedFrame(bytes: $0, format: format, stamp: stamp) }
                }
                switch frame {
                case .some(.some(let frame)): return counted(frame)
                case .some(.none):
                    try noteUnreadable()
                    continue
                case .none: break
                }
            } catch {
                guard error.code == .fault else { throw CameraError(error, wasOpen: true) }
                try restart(because: error)
                silenceEnds = nil
                isOverdue = false
                continue
            }
            guard let descriptor = device?.pollDescriptor else { continue }
            let generation = generation
            let now = BootInstant.now()
            let limit = hasFrame ? silenceLimit : max(configuration.firstFrameMilliseconds, silenceLimit)
            let deadline = silenceEnds ?? now.advanced(by: .milliseconds(limit))
            silenceEnds = deadline
            // A silent input may have lost its signal.
            let wake = await wait(for: descriptor, until: min(deadline, signal.nextLook))
            guard generation == self.generation, wake != .cancelled else { throw CameraError(.cancelled) }
            let woken = BootInstant.now()
            guard wake == .timedOut, woken >= deadline else { continue }
            guard isOverdue else {
                // A process that was held, or slept with its machine, was silent itself: frames may be there, or come now.
                isOverdue = true
                if deadline.duration(to: woken) >= Self.held { silenceEnds = woken.advanced(by: .milliseconds(limit)) }
                continue
            }
            try restart(because: VideoError(.fault, operation: "poll", errorNumber: ETIMEDOUT))
            silenceEnds = nil
            isOverdue = false
        }
    }

    package func close() async {
        generation += 1
        let closing = generation
        if let waiting {
            waiting.cancel()
            _ = await waiting.value
        }
        guard generation == closing else { return }
        endSeparateLight()
        device = nil
        format = nil
        converter = nil
    }

    package func setLight(_ isOn: Bool) async throws(CameraError) {
        guard device != nil else { throw CameraError(.notSupported, "not open") }
        do throws(VideoError) {
            guard let separateLight else { return try device?.setLight(isOn) ?? () }
            if isOn { isLit = true }
            try separateLight.set(isOn)
            isLit = isOn
        } catch {
            throw CameraError(error, wasOpen: true)
        }
    }

    package func readings() async -> ExposureReadings {
        // V4L2_CID_EXPOSURE_ABSOLUTE counts hundreds of microseconds.
        let exposure = device?.value(of: VideoControl.Identifier.exposureAbsolute)
        return ExposureReadings(
            exposureMicroseconds: (exposure ?? nil).map { Int($0) * 100 },
            isoSpeed: device?.isoSpeed() ?? nil
        )
    }

    package func controls() async -> [CameraControl] {
        var found: [CameraControl] = []
        for control in device?.controls() ?? [] {
            if let control = CameraControl(control, value: device?.value(of: control) ?? nil) { found.append(control) }
        }
        return found
    }

    package func set(_ control: CameraControl, to value: ControlValue) async throws(CameraError) {
        guard device != nil, let identifier = UInt32(exactly: control.id) else {
            throw CameraError(.notSupported, "not open")
        }
        let wanted: VideoControl.Value =
            switch value {
            case .number(let number): .number(number)
            case .text(let text): .text(text)
            }
        do throws(VideoError) {
            try device?.set(identifier, to: wanted, isWide: control.type == .integer64)
        } catch {
            // A control that may not be changed now is not a camera that may not be opened.
            guard error.code != .denied else {
                throw CameraError(.notSupported, error.operation, errorNumber: error.errorNumber)
            }
            throw CameraError(error, wasOpen: true)
        }
    }

    /// Counts a picture that could not be converted; a camera that gives nothing else is started anew.
    private func noteUnreadable() throws(VideoError) {
        guard rule.noteUnreadable() else { return }
        throw VideoError(.fault, operation: "v4lconvert_convert", errorNumber: 0)
    }

    /// Notes a good frame; after a restart it says how many came to nothing meanwhile, as well as times tell.
    private func counted(_ frame: CapturedFrame) -> CapturedFrame {
        hasFrame = true
        lastFrame = frame.stamp.microseconds
        let dropped = rule.noteGood()
        guard let before = restartedAfter.take() else { return dropped == 0 ? frame : frame.missing(dropped) }
        let period = (frame.format.interval?.seconds ?? 0) * 1_000_000
        let elapsed = Double(frame.stamp.microseconds - before)
        // What made the camera start anew took one frame at least.
        let lost = period > 0 ? Int(min(max(1, (elapsed / period).rounded() - 1), 1_000_000)) : 1
        return frame.missing(max(lost, dropped))
    }

    /// Frames may well go on to come from an input without a signal.
    private func lookForSignal() throws(VideoError) {
        let isLost = signal.look(at: .now()) { device?.hasSignal() != false }
        if isLost { throw VideoError(.noSignal, operation: "VIDIOC_ENUMINPUT", errorNumber: 0) }
    }

    /// Waits in a task of its own, so that `close` can end it, and not only the cancelling of whoever called.
    private func wait(for descriptor: Int32, until deadline: BootInstant) async -> EventLoop.Wake {
        let task = Task { await self.loop.wait(for: .descriptor(descriptor, events: CShort(POLLIN)), until: deadline) }
        waiting = task
        defer { waiting = nil }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Starts streaming anew; the second time with the device opened anew; and then the camera is stalled.
    private func restart(because error: VideoError) throws(CameraError) {
        let step = rule.restart()
        hasFrame = false
        restartedAfter = restartedAfter ?? lastFrame
        guard step != .giveUp else {
            throw CameraError(
                .stalled,
                "no good frame after \(configuration.restarts) restarts",
                errorNumber: error.errorNumber
            )
        }
        do throws(VideoError) {
            guard step == .open, let choice else {
                // A light that can not be turned off now is off when the device is closed.
                try? device?.setLight(false)
                endSeparateLight()
                device?.stopStreaming()
                try device?.startStreaming()
                return
            }
            device = nil
            var opened = try VideoDevice(path: path)
            let granted = try opened.setFormat(
                choice.pixelFormat,
                width: choice.width,
                height: choice.height,
                interval: choice.interval
            )
            converter = try Self.converter(from: granted)
            format = converter?.format ?? granted
            if configuration.locksSettings { opened.takePriority() }
            try opened.startStreaming()
            device = consume opened
        } catch {
            throw CameraError(error, wasOpen: true)
        }
    }

    private func endSeparateLight() {
        guard isLit, let separateLight else { return }
        // There is nothing left to do about one that can not be turned off.
        try? separateLight.set(false)
        isLit = false
    }

    /// Milliseconds of silence after which the camera is started anew.
    private var silenceLimit: Int {
        let periods = (format?.interval?.seconds ?? 0) * 5000
        // A dark scene may be exposed for longer than a frame's time (picamera2 issue 854).
        let exposure = (device?.value(of: VideoControl.Identifier.exposureAbsolute) ?? nil) ?? 0
        // Numbers of a driver: a minute is more than any exposure that is waited for.
        let longest = min(max(periods, Double(exposure) / 5), 60_000)
        return max(configuration.leastMilliseconds, Int(longest))
    }

    /// Nil for formats that are used as they are.
    private static func converter(from format: VideoFormat) throws(VideoError) -> FrameConverter? {
        guard ConvertibleFormat(format.pixelFormat) != nil else { return nil }
        guard let converter = FrameConverter(from: format) else {
            throw VideoError(.notSupported, operation: "v4lconvert_convert", errorNumber: 0)
        }
        return converter
    }

    /// A frame's picture, out of the driver's memory; nil for one that can not be converted.
    private static func picture(_ bytes: RawSpan, by converter: FrameConverter?) -> [UInt8]? {
        guard let converter else { return unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } }
        return converter.convert(bytes)
    }
}

extension CapturedFrame {
    /// The frame after so many more lost ones.
    fileprivate func missing(_ count: Int) -> CapturedFrame {
        let stamp = FrameStamp(
            microseconds: stamp.microseconds,
            isDriverTime: stamp.isDriverTime,
            lostBefore: stamp.lostBefore + count
        )
        return CapturedFrame(bytes: bytes, format: format, stamp: stamp)
    }
}
