import Cameras
import Foundation
import Glibc
import Imaging
import Media
import MessageSchema
import TestSupport
import Testing
import Video4Linux

@testable import CaptureService

/// A camera whose motion-JPEG frames have exactly the bytes that the test wants.
///
/// It is the kernel module v4l2loopback, and `Tests/CameraLab/writer.py` that plays into it; `Tests/CameraLab/check` runs
/// them in the emulated machine.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["OBSCURA_LOOPBACK_NODE"] != nil),
    .tags(.hardware, .slow),
    .serialized,
    .timeLimit(.minutes(10))
)
struct LoopbackCameraTests {
    /// What is wrong with a frame.
    enum Flaw: String, CaseIterable, Sendable {
        case none, truncated, padded, tableless, oversized

        /// One that can not be mended and one that can; all of them in the whole run, since the emulated machine is slow.
        static let sample: [Flaw] = LabCamera.isWhole ? allCases : [.truncated, .tableless]

        /// Whether it can be a picture all the same.
        var isMended: Bool { self != .truncated && self != .oversized }
    }

    private static let size = (width: 320, height: 240)
    private static let wanted = WantedFormat(width: size.width, height: size.height)
    /// Bytes of the driver's buffers, which v4l2loopback decides: four a pixel.
    private static let buffer = size.width * size.height * 4

    private static func whole(_ number: Int) throws -> [UInt8] {
        let picture = PatternPicture(width: size.width, height: size.height, isMirrored: false)
        let shape = PictureShape(layout: .yuyv, width: size.width, height: size.height)
        // Numbers whose strips are equally bright, so that exposure counts as settled.
        let bytes = picture.yuyv(number: [1, 4, 32, 128][number % 4], brightness: 1, isLit: false)
        return try JPEGEncoder().encode(bytes, shape: shape, quality: 85)
    }

    private static func frame(_ number: Int, _ flaw: Flaw) throws -> [UInt8] {
        let whole = try whole(number)
        switch flaw {
        case .none: return whole
        case .truncated: return Array(whole.dropLast(whole.count / 3))
        case .padded: return whole + [UInt8](repeating: 0, count: 4_096)
        case .tableless:
            var bare = whole
            for segment in try JPEGSegments(whole).segments.reversed() where segment.marker == 0xC4 {
                bare.removeSubrange(segment.start..<segment.end)
            }
            return bare
        case .oversized:
            // Comments that are longer than a buffer leave the driver no room for the picture.
            let comment: [UInt8] = [0xFF, 0xFE, 0xFF, 0xFF] + [UInt8](repeating: 0x20, count: 0xFFFD)
            let comments = (0...buffer / comment.count).flatMap { _ in comment }
            return Array(whole[..<2]) + comments + Array(whole[2...])
        }
    }

    /// Plays frames while the body runs.
    private static func playing<Result>(
        _ frames: [[UInt8]],
        _ body: (LabCamera) async throws -> Result
    ) async throws -> Result {
        let node = try #require(ProcessInfo.processInfo.environment["OBSCURA_LOOPBACK_NODE"])
        let writer = String(#filePath.dropLast("CaptureTests/CameraLab/LoopbackCameraTests.swift".count))
        return try await withTemporaryDirectory { folder in
            let paths = frames.indices.map { "\(folder)/\($0).jpg" }
            for (path, bytes) in zip(paths, frames) { try Data(bytes).write(to: URL(filePath: path)) }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/python3")
            process.arguments =
                ["-B", writer + "CameraLab/writer.py", node, "\(size.width)", "\(size.height)", "\(buffer)", "10"]
                + paths
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            defer {
                // A child has the signals blocked that the thread had which made it.
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }
            // It says so with its first frame; nothing is said when it ends.
            let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            try #require(said.hasPrefix("ready"), "\(said)")
            return try await body(LabCamera(driver: "v4l2 loopback", number: 0, wanted: wanted))
        }
    }

    /// Four frames, all of them with the flaw where it can be mended, else every second one.
    private static func frames(_ flaw: Flaw) throws -> [[UInt8]] {
        try (0..<4).map { try frame($0, flaw.isMended || $0 % 2 == 0 ? flaw : .none) }
    }

    @Test(arguments: Flaw.allCases)
    func `a photo is of a sound frame, mended where that helps`(flaw: Flaw) async throws {
        try await Self.playing(try Self.frames(flaw)) { camera in
            let outcome = await camera.photos(3)
            #expect(outcome.error == nil)
            #expect(outcome.pictures == 3)
            try Self.expectPictures(in: outcome)
        }
    }

    @Test(arguments: Flaw.sample)
    func `a preview has sound frames alone, mended where that helps`(flaw: Flaw) async throws {
        try await Self.playing(try Self.frames(flaw)) { camera in
            let outcome = await camera.preview(12)
            #expect(outcome.error == nil)
            #expect(outcome.pictures > 0)
            if !flaw.isMended { #expect(outcome.lost > 0) }
            try Self.expectPictures(in: outcome)
        }
    }

    /// Each is what was sent: its pixels, all of them, and nothing besides.
    private static func expectPictures(in outcome: LabCamera.Outcome) throws {
        let pictures = try (0..<4).map { try JPEGDecoder().decode(try frame($0, .none)) }
        for file in outcome.files {
            let picture = try JPEGDecoder().decode(file)
            // Not in the expectation, which would print every pixel.
            let isOneOfThem = pictures.contains(picture)
            let segments = try JPEGSegments(file)
            #expect(isOneOfThem, "the pixels are those that were sent")
            #expect(segments.hasHuffmanTables)
            #expect(segments.end == file.count, "padding is gone")
        }
    }

    @Test(arguments: Flaw.sample)
    func `a film has the sound frames, mended where that helps, and counts the others`(flaw: Flaw) async throws {
        let frames = try Self.frames(flaw)
        try await Self.playing(frames) { camera in
            let outcome = await camera.film(12)
            #expect(outcome.error == nil)
            #expect(outcome.pictures >= 12)
            if !flaw.isMended { #expect(outcome.lost > 0) }
            let film = Data(outcome.files.first ?? [])
            // A slow machine may take the same ones of four each time.
            let sound = frames.compactMap { try? JPEGRepair.repaired($0).bytes }.filter {
                film.range(of: Data($0)) != nil
            }
            #expect(!sound.isEmpty, "it has the frames that were sent, mended")
            let endAndZeros = Data([0xFF, 0xD9] + [UInt8](repeating: 0, count: 16))
            let hasPadding = film.range(of: endAndZeros) != nil
            #expect(!hasPadding)
            guard flaw == .truncated else { return }
            let hasHalfFrame = film.range(of: Data(frames[0].suffix(600))) != nil
            #expect(!hasHalfFrame)
        }
    }

    @Test(arguments: LabCamera.isWhole ? [Flaw.truncated, .oversized] : [.oversized])
    func `a camera that gives nothing sound is stalled for everybody`(flaw: Flaw) async throws {
        let frames = try (0..<4).map { try Self.frame($0, flaw) }
        try await Self.playing(frames) { camera in
            let session = camera.session()
            async let photos = camera.photos(1, in: session)
            async let film = camera.film(12, in: session)
            async let preview = camera.preview(1, in: session)
            for outcome in await [photos, film, preview] {
                #expect((outcome.error as? CameraError)?.code == .stalled)
                #expect(outcome.pictures == 0)
            }
        }
    }

    @Test func `a driver that does not export its buffers says so, and streams on`() async throws {
        try await Self.playing([try Self.frame(0, .none)]) { camera in
            var device = try VideoDevice(path: camera.node)
            _ = try device.setFormat(.motionJPEG, width: Self.size.width, height: Self.size.height)
            try device.startStreaming()
            do throws(VideoError) {
                try device.exportBuffers()
                Issue.record("it is exported")
            } catch {
                #expect(error.code == .notSupported && error.errorNumber == ENOTTY)
            }
            var frame: Bool?
            while frame == nil {
                frame = try device.withNextSharedFrame { bytes, _, shared in bytes.byteCount > 0 && shared == nil }
                guard frame == nil else { break }
                var item = pollfd(fd: device.pollDescriptor, events: Int16(POLLIN), revents: 0)
                #expect(unsafe poll(&item, 1, 20_000) == 1)
            }
            #expect(frame == true)
        }
    }

    @Test func `a raw photo of a camera that has nothing but motion JPEG is refused, a PNG is not`() async throws {
        try await Self.playing([try Self.frame(0, .none)]) { camera in
            #expect(camera.camera.formats.map(\.pixelFormat) == ["MJPG"])
            let raw = await camera.photos(1, format: .raw)
            let refusal = ErrorReply(capture: try #require(raw.error), camera: camera.camera)
            #expect(refusal.code == .invalidArgument)
            let png = await camera.photos(1, format: .png)
            #expect(png.error == nil)
            let isPNG = png.files.first?.starts(with: [0x89, 0x50, 0x4E, 0x47])
            #expect(isPNG == true)
        }
    }
}
