import CameraConformance
import Cameras
import Foundation
import Glibc
import MessageSchema
import TestSupport
import Testing
import Video4Linux
import VideoConversion

/// Real ioctls against the kernel's virtual camera; `Tests/CameraLab/check` runs them in the emulated machine.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["OBSCURA_IN_CAMERA_LAB"] != nil),
    .tags(.hardware, .slow),
    .serialized,
    .timeLimit(.minutes(5))
)
struct EmulatedCameraTests {
    /// Emulation is about fifty times slower than a machine: a camera there is not silent after a second.
    private static var configuration: V4L2Camera.Configuration {
        V4L2Camera.Configuration(firstFrameMilliseconds: 20_000, leastMilliseconds: 10_000)
    }
    private static let small = WantedFormat(width: 320, height: 180, framesPerSecond: 10)

    private static func cameras() -> [Camera] {
        CameraCatalogue(CameraScanner().scan(), builtIn: .never).cameras
    }

    private static func first() throws -> (Camera, V4L2Camera) {
        let camera = try #require(Self.cameras().first)
        return (camera, V4L2Camera(camera, path: try #require(camera.node), configuration: configuration))
    }

    /// A camera that others can change, so that faults can be injected.
    private static func changeable(_ camera: Camera?) throws -> V4L2Camera {
        let camera = try #require(camera)
        var configuration = configuration
        configuration.locksSettings = false
        return V4L2Camera(camera, path: try #require(camera.node), configuration: configuration)
    }

    private static func control(_ name: String, on device: borrowing VideoDevice) throws -> UInt32 {
        try #require(device.controls().first { $0.name == name }).identifier
    }

    private static func take(_ count: Int, from device: inout VideoDevice) throws {
        var good = 0
        while good < count {
            guard try device.withNextFrame({ _, _ in true }) == nil else {
                good += 1
                continue
            }
            var item = pollfd(fd: device.pollDescriptor, events: Int16(POLLIN), revents: 0)
            #expect(unsafe poll(&item, 1, 20_000) == 1)
        }
    }

    @Test func `both cameras are found, and no metadata, output or radio node`() throws {
        let cameras = Self.cameras()
        #expect(cameras.map(\.id) == ["platform-vivid-000", "platform-vivid-001"])
        #expect(cameras.map(\.name) == ["vivid", "vivid"])
        #expect(cameras.allSatisfy { $0.availability.state == .available && $0.driver == "vivid" })
        let formats = try #require(cameras.first).formats
        #expect(formats.count > 50)
        let yuyv = try #require(formats.first { $0.pixelFormat == "YUYV" })
        #expect(yuyv.sizes.contains { $0.minimumWidth == 320 && $0.minimumHeight == 180 && !$0.intervals.isEmpty })
    }

    @Test(arguments: CameraRule.allCases)
    func `a camera of the kernel does what every camera does`(rule: CameraRule) async throws {
        let (_, camera) = try Self.first()
        try await CameraSubject(camera, wanted: Self.small).check(rule)
    }

    @Test func `controls of every kind are listed, menus with their holes`() throws {
        let device = try VideoDevice(path: try #require(Self.cameras().first?.node))
        let controls = device.controls()
        let kinds = Set(controls.map { String(describing: $0.kind).prefix { $0.isLetter || $0.isNumber } })
        #expect(
            kinds.isSuperset(of: ["integer", "boolean", "menu", "button", "integer64", "text", "bitmask", "compound"])
        )
        let menu = try #require(controls.first { $0.name == "Menu" })
        guard case .menu(let items) = menu.kind else {
            Issue.record("The menu is no menu.")
            return
        }
        #expect(items.keys.sorted() == [1, 3, 4])
    }

    /// A control of each kind that can be set, in the spelling of `v4l2-ctl`, and a value that is not what it starts
    /// with.
    private static let settings: [(String, ControlValue)] = [
        ("brightness", .number(77)), ("boolean", .number(0)), ("menu", .number(4)), ("integer_menu", .number(3)),
        ("integer_32_bits", .number(-123_456)), ("integer_64_bits", .number(-5_000_000_000)), ("string", .text("abc")),
        ("bitmask", .number(0x8000_0000)),
    ]

    @Test(arguments: settings)
    func `a setting is set under our own lock, is read back, and survives the closing`(
        name: String,
        value: ControlValue
    ) async throws {
        let (found, camera) = try Self.first()
        _ = try await camera.open(Self.small)
        let control = try #require(await camera.controls().first { $0.name == name })
        let before = try #require(control.value)
        #expect(before != value)
        try await camera.set(control, to: value)
        #expect(await camera.controls().first { $0.name == name }?.value == value)
        await camera.close()
        let again = V4L2Camera(found, path: try #require(found.node), configuration: Self.configuration)
        _ = try await again.open(Self.small)
        #expect(await again.controls().first { $0.name == name }?.value == value)
        try await again.set(control, to: before)
        await again.close()
    }

    @Test func `values of every kind are read`() throws {
        let path = try #require(Self.cameras().first?.node)
        let device = try VideoDevice(path: path)
        let controls = CameraControl.list(of: device)
        func value(_ name: String) -> ControlValue? { controls.first { $0.name == name }?.value }
        #expect(value("brightness") == .number(128))
        #expect(value("integer_64_bits") != nil)
        #expect(value("bitmask") != nil)
        guard case .text(let text)? = value("string") else {
            Issue.record("The text is no text.")
            return
        }
        #expect(!text.isEmpty)
        #expect(value("button") == nil)
        #expect(controls.contains { $0.type == .compound && $0.dimensions?.isEmpty == false })
        #expect(try CameraControl.list(ofNode: path).map(\.name) == controls.map(\.name))
    }

    @Test func `the graph of the kernel's media controller knows the cameras' nodes`() throws {
        let graph = try MediaGraph(reading: "/dev/media0")
        let number = try #require(Self.cameras().first?.node?.split(separator: "/").last)
        let text = try String(contentsOfFile: "/sys/class/video4linux/\(number)/dev", encoding: .utf8)
        let node = try #require(MediaGraph.Node(text.split(separator: "\n").joined()))
        #expect(graph.parts(of: node) != nil)
        #expect(graph.parts(of: MediaGraph.Node(major: 1, minor: 3)) == nil)
    }

    @Test func `frames come with the driver's time, in order`() async throws {
        let (_, camera) = try Self.first()
        let format = try await camera.open(Self.small)
        #expect((format.width, format.height) == (320, 180))
        #expect(format.pixelFormat == .yuyv)
        var last: Int64 = 0
        var driverTimes = 0
        for _ in 0..<5 {
            let frame = try await camera.nextFrame()
            #expect(frame.bytes.count == format.leastByteCount)
            driverTimes += frame.stamp.isDriverTime ? 1 : 0
            #expect(frame.stamp.microseconds > last)
            last = frame.stamp.microseconds
            #expect(Set(frame.bytes).count > 8)
        }
        // vivid dates the end of a frame into the future; such times are not believed.
        #expect(driverTimes > 0)
        await camera.close()
    }

    @Test func `a camera in use is told to be busy, and is free afterwards`() async throws {
        let (camera, device) = try Self.first()
        _ = try await device.open(Self.small)
        _ = try await device.nextFrame()
        #expect(Self.cameras().first?.availability.state == .busy)
        let second = V4L2Camera(camera, path: try #require(camera.node))
        let error = await #expect(throws: CameraError.self) { try await second.open(Self.small) }
        #expect(error?.code == .inUse)
        await device.close()
        #expect(Self.cameras().first?.availability.state == .available)
    }

    /// A frame of one format of the first camera, and what it is; nil where this interface does not have it.
    private static func frame(in pixelFormat: PixelFormat) async throws -> CapturedFrame? {
        let camera = try #require(Self.cameras().first)
        guard camera.formats.contains(where: { $0.pixelFormat == pixelFormat.description }) else { return nil }
        var configuration = configuration
        configuration.pixelFormats = [pixelFormat]
        let device = V4L2Camera(camera, path: try #require(camera.node), configuration: configuration)
        _ = try await device.open(Self.small)
        let frame = try await device.nextFrame()
        await device.close()
        return frame
    }

    /// Luma of vivid's eight bars, in sixteenths of the range, by a pixel in the middle of each, below what it writes.
    private static func bars(_ frame: CapturedFrame) -> [Int] {
        let row = (frame.format.height - 6) * frame.format.bytesPerRow
        return (0..<8).map { bar in
            let x = (2 * bar + 1) * frame.format.width / 16
            switch frame.format.pixelFormat {
            case .yuyv: return Int(frame.bytes[row + 2 * x]) / 16
            case .rgb24:
                let pixel = frame.bytes[(row + 3 * x)...].prefix(3).map { Double($0) }
                // ITU-R BT.601, in the range from 16 to 235.
                return Int(16 + (0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]) * 219 / 255) / 16
            default: return Int(frame.bytes[row + x]) / 16
            }
        }
    }

    @Test(
        arguments: ["YVYU", "NV16", "NV61", "YV12", "BA81", "GBRG", "GRBG", "RGGB", "RGBP", "NM12", "YM12"]
            as [PixelFormat]
    )
    func `formats that are converted or joined show what the native one shows`(pixelFormat: PixelFormat) async throws {
        let native = try #require(try await Self.frame(in: .yuyv))
        #expect(native.format.pixelFormat == .yuyv)
        let listed = try #require(Self.cameras().first).formats
        let isConverted = ConvertibleFormat(pixelFormat) != nil
        #expect(
            listed.filter { $0.pixelFormat == pixelFormat.description }.allSatisfy {
                ($0.isConverted == true) == isConverted
            }
        )
        guard let frame = try await Self.frame(in: pixelFormat) else { return }
        #expect(frame.format.pixelFormat != pixelFormat)
        #expect((frame.format.width, frame.format.height) == (native.format.width, native.format.height))
        #expect(frame.bytes.count >= frame.format.leastByteCount)
        // A mosaic and few bits round.
        for (bar, luma) in zip(Self.bars(frame), Self.bars(native)) { #expect(abs(bar - luma) <= 1) }
    }

    @Test func `while a camera films, nobody else can change it`() async throws {
        let (_, camera) = try Self.first()
        _ = try await camera.open(Self.small)
        let other = try VideoDevice(path: try #require(Self.cameras().first?.node))
        let error = #expect(throws: VideoError.self) {
            try other.set(try Self.control("Brightness", on: other), to: 100)
        }
        #expect(error?.code == .busy)
        await camera.close()
        try other.set(try Self.control("Brightness", on: other), to: 100)
    }

    @Test func `a flagged frame is dropped and counted, and filming goes on`() throws {
        var device = try VideoDevice(path: try #require(Self.cameras().first?.node))
        _ = try device.setFormat(.yuyv, width: 320, height: 180)
        try device.startStreaming()
        try Self.take(2, from: &device)
        try device.set(try Self.control("Inject V4L2_BUF_FLAG_ERROR", on: device), to: 1)
        try Self.take(8, from: &device)
        #expect(device.counts.bad == 1)
    }

    @Test func `frames that the driver loses are counted`() async throws {
        let path = try #require(Self.cameras().first?.node)
        var device = try VideoDevice(path: path)
        _ = try device.setFormat(.yuyv, width: 320, height: 180)
        let lossControl = try Self.control("Percentage of Dropped Buffers", on: device)
        try device.set(lossControl, to: 50)
        try device.startStreaming()
        try Self.take(12, from: &device)
        #expect(device.counts.lost > 0)
        try device.set(lossControl, to: 0)
    }

    @Test func `a fatal streaming error is survived by starting anew`() async throws {
        let path = try #require(Self.cameras().first?.node)
        let camera = try Self.changeable(Self.cameras().first)
        _ = try await camera.open(Self.small)
        _ = try await camera.nextFrame()
        let lever = try VideoDevice(path: path)
        try lever.set(try Self.control("Inject Fatal Streaming Error", on: lever), to: 1)
        for _ in 0..<3 { _ = try await camera.nextFrame() }
        await camera.close()
    }

    @Test func `closing ends a wait for a frame, and the camera opens again`() async throws {
        let (_, camera) = try Self.first()
        _ = try await camera.open(WantedFormat(width: 320, height: 180, framesPerSecond: 1))
        _ = try await camera.nextFrame()
        let waiting = Task { try await camera.nextFrame() }
        await camera.close()
        await #expect(throws: CameraError.self) { try await waiting.value }
        _ = try await camera.open(Self.small)
        _ = try await camera.nextFrame()
        await camera.close()
    }

    @Test func `an unplugged camera is removed, at once and without spinning`() async throws {
        let path = try #require(Self.cameras().last?.node)
        let camera = try Self.changeable(Self.cameras().last)
        _ = try await camera.open(Self.small)
        _ = try await camera.nextFrame()
        do {
            let lever = try VideoDevice(path: path)
            try lever.set(try Self.control("Disconnect", on: lever), to: 1)
        }
        let error = await #expect(throws: CameraError.self) {
            while true { _ = try await camera.nextFrame() }
        }
        #expect(error?.code == .removed)
        await camera.close()
        // vivid plugs itself in again when the last descriptor is closed.
        #expect(Self.cameras().count == 2)
    }
}
