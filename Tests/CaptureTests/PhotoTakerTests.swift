import Cameras
import Foundation
import Imaging
import Media
import MessageSchema
import TestSupport
import Testing
import Timekeeping
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct PhotoTakerTests {
    private struct Withdrawn: Error {}

    static func settings(flash: FlashMode? = nil) -> CaptureSettings {
        var settings = CaptureSettings(camera: "scripted")
        settings.flash = flash
        return settings
    }

    /// Takes a photo that was asked for at one second, from frames that wait already.
    private static func photo(
        of camera: ScriptedCamera,
        _ frames: [CapturedFrame],
        settings: CaptureSettings = settings(),
        check: @escaping @Sendable () throws -> Void = {}
    ) async throws -> PhotoTaker.Photo {
        let session = CameraSession(device: camera)
        let taker = PhotoTaker(session: session, camera: camera.camera, check: check)
        async let photo = taker.take(settings, requested: 1_000_000)
        await camera.changed(1)
        for frame in frames { await camera.send(frame) }
        return try await photo
    }

    @Test func `the photo is a frame later than the request, once three are equally bright`() async throws {
        let frames = (0..<6).map { Frames.raw($0, at: 800_000 + Int64($0) * 100_000) }
        let photo = try await Self.photo(of: ScriptedCamera(), frames)
        // Frames 0, 1 and 2 are not later than the request.
        #expect(try Frames.index(in: photo.bytes) == 5)
        #expect(photo.granted.converged == true)
        #expect(photo.granted.camera == "scripted")
        #expect((photo.granted.width, photo.granted.height) == (128, 96))
    }

    @Test func `while the exposure moves it waits, at most two seconds`() async throws {
        let dark = (0..<4).map {
            Frames.raw($0, at: 2_000_000 + Int64($0) * 100_000, brightness: 0.1 + 0.2 * Double($0))
        }
        let settled = (4..<7).map { Frames.raw($0, at: 2_000_000 + Int64($0) * 100_000) }
        let photo = try await Self.photo(of: ScriptedCamera(), dark + settled)
        #expect(try Frames.index(in: photo.bytes) == 6)
        let restless = (0..<8).map {
            Frames.raw($0, at: 2_000_000 + Int64($0) * 500_000, brightness: $0 % 2 == 0 ? 0.2 : 1)
        }
        let late = try await Self.photo(of: ScriptedCamera(), restless)
        #expect(try Frames.index(in: late.bytes) == 4)
        #expect(late.granted.converged == false)
    }

    @Test func `a camera's own JPEG is mended and not encoded again`() async throws {
        let camera = ScriptedCamera(format: Frames.motionJPEG)
        let whole = try (0..<3).map { try Frames.jpeg($0, at: 2_000_000 + Int64($0) * 100_000) }
        let bare = try Self.withoutTables(whole[2])
        let photo = try await Self.photo(of: camera, [whole[0], whole[1], bare])
        #expect(try JPEGDecoder().decode(photo.bytes) == JPEGDecoder().decode(whole[2].bytes))
        #expect(try JPEGSegments(photo.bytes).segments.first?.marker == 0xE1)
    }

    @Test func `a frame that is cut short is not the photo; the next one is`() async throws {
        let camera = ScriptedCamera(format: Frames.motionJPEG)
        var frames = try (0..<7).map { try Frames.jpeg($0, at: 2_000_000 + Int64($0) * 100_000) }
        frames[2] = CapturedFrame(
            bytes: Array(frames[2].bytes.dropLast(200)),
            format: Frames.motionJPEG,
            stamp: frames[2].stamp
        )
        let photo = try await Self.photo(of: camera, frames)
        #expect(try Frames.index(in: photo.bytes) ?? 0 > 2)
        #expect(try JPEGDecoder().decode(photo.bytes).warning == nil)
    }

    @Test func `a frame that is whole and corrupt is not the photo; one with padding is`() async throws {
        let camera = ScriptedCamera(format: Frames.motionJPEG)
        var frames = try (0..<10).map { try Frames.jpeg($0, at: 2_000_000 + Int64($0) * 100_000) }
        // A transfer lost a packet of the entropy-coded data: both ends are there.
        for index in 2..<6 {
            var bytes = frames[index].bytes
            bytes.removeSubrange(bytes.count - 300..<bytes.count - 60)
            frames[index] = CapturedFrame(bytes: bytes, format: Frames.motionJPEG, stamp: frames[index].stamp)
        }
        for index in 6..<10 {
            let padded = Array(frames[index].bytes.dropLast(2)) + Array(repeating: 0, count: 12) + [0xFF, 0xD9]
            frames[index] = CapturedFrame(bytes: padded, format: Frames.motionJPEG, stamp: frames[index].stamp)
        }
        let photo = try await Self.photo(of: camera, frames)
        // The corrupt frames are unequally bright, so the exposure settles after them.
        #expect([6, 7, 0, 1].contains(try #require(try Frames.index(in: photo.bytes))))
        #expect(try JPEGDecoder().decode(photo.bytes).warning != nil)
        #expect(try JPEGDecoder().decode(photo.bytes).damage == nil)
    }

    @Test(arguments: [(FlashMode.on, 1.0, true), (.off, 0.0, false), (.auto, 1.0, false), (.auto, 0.0, true)])
    func `the flash does what was asked, and what it did is told`(mode: FlashMode, brightness: Double, fires: Bool)
        async throws
    {
        let camera = ScriptedCamera(flash: true)
        let frames = (0..<8).map { Frames.raw($0, at: 2_000_000 + Int64($0) * 100_000, brightness: brightness) }
        let photo = try await Self.photo(of: camera, frames, settings: Self.settings(flash: mode))
        #expect(photo.granted.flashFired == fires)
        #expect(await camera.litWhen == (fires ? [true, false] : []))
    }

    @Test func `a photo that is cancelled, or whose permission goes, while the camera is silent leaves no light on`()
        async throws
    {
        for isRevoked in [false, true] {
            let camera = ScriptedCamera(flash: true)
            let gone = Latch()
            let taker = PhotoTaker(
                session: CameraSession(device: camera),
                camera: camera.camera,
                revoked: {
                    await gone.wait()
                    return gone.isOpen ? Withdrawn() : nil
                },
                check: {}
            )
            let photo = Task { try await taker.take(Self.settings(flash: .on), requested: 0) }
            await camera.lit()
            if isRevoked { gone.open() } else { photo.cancel() }
            let result = await photo.result
            #expect(throws: (any Error).self) { try result.get() }
            if case .failure(let error) = result { #expect(error is Withdrawn == isRevoked) }
            await camera.changed(2)
            #expect(await camera.litWhen == [true, false])
        }
    }

    @Test func `a light that refuses is told as a flash that is off`() async throws {
        let camera = ScriptedCamera(flash: true, refusesLight: true)
        let frames = (0..<4).map { Frames.raw($0, at: 2_000_000 + Int64($0) * 100_000) }
        let photo = try await Self.photo(of: camera, frames, settings: Self.settings(flash: .on))
        #expect(photo.granted.flashFired == false)
        #expect(photo.granted.flash == .off)
    }

    @Test func `a camera that gives no sound picture is given up`() async throws {
        let camera = ScriptedCamera(format: Frames.motionJPEG)
        let session = CameraSession(device: camera)
        let taker = PhotoTaker(session: session, camera: camera.camera) {}
        let photo = Task { try await taker.take(Self.settings(), requested: 0) }
        await camera.changed(1)
        let good = try Frames.jpeg(1, at: 0).bytes
        let bytes = Array(good.dropLast(300)) + [0xFF, 0xD9]
        // As a camera does that goes on: more than the feed holds, as fast as they are looked at.
        let sending = Task {
            var time: Int64 = 1_000_000
            while !Task.isCancelled {
                let stamp = FrameStamp(microseconds: time, isDriverTime: true, lostBefore: 0)
                await camera.send(CapturedFrame(bytes: bytes, format: Frames.motionJPEG, stamp: stamp))
                time += 100_000
                await Task.yield()
            }
        }
        let error = await #expect(throws: CameraError.self) { _ = try await photo.value }
        sending.cancel()
        #expect(error?.code == .stalled)
    }

    @Test func `a camera without a flash says nothing of one`() async throws {
        let frames = (0..<4).map { Frames.raw($0, at: 2_000_000 + Int64($0) * 100_000) }
        let photo = try await Self.photo(of: ScriptedCamera(), frames, settings: Self.settings(flash: .on))
        #expect(photo.granted.flashFired == nil)
        #expect(photo.granted.flash == .off)
    }

    @Test func `a permission that is withdrawn ends the photo before the next frame, with the light off`() async throws
    {
        let camera = ScriptedCamera(flash: true)
        let frames = (0..<4).map { Frames.raw($0, at: 2_000_000 + Int64($0) * 100_000) }
        await #expect(throws: Withdrawn.self) {
            try await Self.photo(of: camera, frames, settings: Self.settings(flash: .on)) { throw Withdrawn() }
        }
        await camera.changed(2)
        #expect(await camera.litWhen == [true, false])
        #expect(await !camera.isOpen)
    }

    @Test func `a camera that is unplugged is the error, and the camera is let go`() async throws {
        let camera = ScriptedCamera()
        let session = CameraSession(device: camera)
        let taker = PhotoTaker(session: session, camera: camera.camera) {}
        let photo = Task { try await taker.take(Self.settings(), requested: 0) }
        await camera.changed(1)
        await camera.fail(CameraError(.removed))
        await #expect(throws: CameraError(.removed)) { _ = try await photo.value }
        await camera.changed(2)
        #expect(await !camera.isOpen)
    }

    @Test func `the metadata tells when, with what and how`() async throws {
        let now = MonotonicTime.now()
        let frames = (0..<3).map { Frames.raw($0, at: now + Int64($0)) }
        let photo = try await Self.photo(of: ScriptedCamera(), frames)
        #expect(photo.filename.hasPrefix("IMG_"))
        let metadata = try #require(try EXIFText.read(photo.bytes))
        #expect(metadata["Make"] == "script")
        #expect(metadata["Model"] == "Scripted camera")
        // The sensor is turned by 90 degrees counter-clockwise.
        #expect(metadata["Orientation"] == "8")
        #expect(metadata["ExposureTime"] == "0.01")
        #expect(metadata["ISO"] == "200")
        #expect(metadata["DateTimeOriginal"]?.count == 19)
        #expect(metadata["GPSLatitude"] == nil)
    }

    private static func withoutTables(_ frame: CapturedFrame) throws -> CapturedFrame {
        var bytes = frame.bytes
        for segment in try JPEGSegments(bytes).segments.reversed() where segment.marker == 0xC4 {
            bytes.removeSubrange(segment.start..<segment.end)
        }
        return CapturedFrame(bytes: bytes, format: frame.format, stamp: frame.stamp)
    }
}

/// What exiftool reads; nil where it is not installed.
enum EXIFText {
    static func read(_ jpeg: [UInt8]) throws -> [String: String]? {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/exiftool") else { return nil }
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".jpg")
        try Data(jpeg).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let lines = try Tool.text("exiftool", ["-n", "-s", "-a", file.path]).split(separator: "\n")
        return Dictionary(
            lines.compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                return parts.count == 2 ? (parts[0], parts[1]) : nil
            },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
