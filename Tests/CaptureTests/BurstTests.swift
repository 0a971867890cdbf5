import Cameras
import Imaging
import Media
import MessageSchema
import TestSupport
import Testing
import Timekeeping
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct BurstTests {
    private struct Withdrawn: Error {}
    private struct NoRoom: Error {}

    private static func settings(
        count: Int? = nil,
        format: PhotoFormat? = nil,
        flash: FlashMode? = nil,
        delay: Double? = nil
    ) -> CaptureSettings {
        var settings = CaptureSettings(camera: "scripted")
        settings.count = count
        settings.format = format
        settings.flash = flash
        settings.delay = delay
        return settings
    }

    /// Takes photos that were asked for at one second, from frames that wait already.
    private static func photos(
        of camera: ScriptedCamera,
        _ frames: [CapturedFrame],
        _ settings: CaptureSettings
    ) async throws -> [PhotoTaker.Photo] {
        let taker = PhotoTaker(session: CameraSession(device: camera), camera: camera.camera) {}
        async let photos = taker.takeAll(settings, requested: 1_000_000)
        await camera.changed(1)
        for frame in frames { await camera.send(frame) }
        return try await photos
    }

    @Test func `several photos are of frames in a row, each with its own facts`() async throws {
        let frames = (0..<6).map { index in
            let lost = index == 4 ? 3 : 0
            return Frames.raw(index, at: 2_000_000 + Int64(index) * 100_000, lost: lost)
        }
        let camera = ScriptedCamera(flash: true)
        let photos = try await Self.photos(of: camera, frames, Self.settings(count: 4, flash: .on))
        #expect(try photos.map { try Frames.index(in: $0.bytes) } == [2, 3, 4, 5])
        #expect(photos.map(\.facts.flash) == [.on, .on, .on, .on])
        #expect(photos.map(\.facts.converged) == [true, true, true, true])
        #expect(photos.map(\.facts.lostBefore) == [0, 0, 3, 0])
        #expect(photos.map(\.index) == [0, 1, 2, 3])
        #expect(Set(photos.map(\.filename)).count == 4)
        #expect(photos.allSatisfy { $0.granted.flashFired == true && $0.granted.flash == .on })
        // One light for all of them.
        #expect(await camera.litWhen == [true, false])
        #expect(await !camera.isOpen)
    }

    @Test func `a corrupt frame among them is left out and counted`() async throws {
        var frames = try (0..<6).map { try Frames.jpeg($0, at: 2_000_000 + Int64($0) * 100_000) }
        frames[3] = CapturedFrame(
            bytes: Array(frames[3].bytes.dropLast(200)),
            format: Frames.motionJPEG,
            stamp: frames[3].stamp
        )
        let camera = ScriptedCamera(format: Frames.motionJPEG)
        let photos = try await Self.photos(of: camera, frames, Self.settings(count: 3))
        #expect(try photos.map { try Frames.index(in: $0.bytes) } == [2, 4, 5])
        #expect(photos.map(\.facts.lostBefore) == [0, 1, 0])
    }

    @Test func `what was taken before the permission went is saved, and nothing after it`() async throws {
        let camera = ScriptedCamera()
        let gone = Latch()
        let saved = Notes<Int>()
        let taker = PhotoTaker(
            session: CameraSession(device: camera),
            camera: camera.camera,
            revoked: {
                await gone.wait()
                return gone.isOpen ? Withdrawn() : nil
            },
            check: {}
        )
        let taking = Task {
            try await taker.take(Self.settings(count: 5), requested: 0) { photo in
                saved.add(photo.index)
            }
        }
        await camera.changed(1)
        for index in 0..<4 { await camera.send(Frames.raw(index, at: 1_000_000 + Int64(index) * 100_000)) }
        while saved.all.count < 2 { try await turn() }
        gone.open()
        await #expect(throws: Withdrawn.self) { try await taking.value }
        #expect(saved.all == [0, 1])
        await camera.changed(2)
        #expect(await !camera.isOpen)
    }

    @Test func `a disk that is full ends them all, and the camera is let go`() async throws {
        let camera = ScriptedCamera(flash: true)
        let taker = PhotoTaker(session: CameraSession(device: camera), camera: camera.camera) {}
        let taking = Task {
            try await taker.take(Self.settings(count: 5, flash: .on), requested: 0) { _ in throw NoRoom() }
        }
        await camera.changed(1)
        for index in 0..<3 { await camera.send(Frames.raw(index, at: 1_000_000 + Int64(index) * 100_000)) }
        await #expect(throws: NoRoom.self) { try await taking.value }
        await camera.changed(2)
        #expect(await camera.litWhen == [true, false])
    }

    @Test func `a self-timer opens the camera three seconds before its moment`() async throws {
        let camera = ScriptedCamera()
        let clock = ManualClock()
        let taker = PhotoTaker(session: CameraSession(device: camera), camera: camera.camera, clock: clock) {}
        let taking = Task { try await taker.takeAll(Self.settings(delay: 10), requested: 1_000_000) }
        await clock.nextTimerScheduled()
        #expect(await camera.openings == 0)
        clock.advance(by: .seconds(7))
        await camera.changed(1)
        // Three settle, and the first one after eleven seconds is the photo.
        for (index, tenths) in [80, 81, 82, 109, 110, 111].enumerated() {
            await camera.send(Frames.raw(index, at: Int64(tenths) * 100_000))
        }
        let photos = try await taking.value
        #expect(try photos.map { try Frames.index(in: $0.bytes) } == [5])
        #expect(photos.first?.granted.delay == 10)
        #expect(photos.first?.granted.converged == true)
    }

    @Test func `a self-timer is ended by whoever asked, and by the person, before the camera is opened`() async throws {
        for isRevoked in [false, true] {
            let camera = ScriptedCamera()
            let clock = ManualClock()
            let gone = Latch()
            let taker = PhotoTaker(
                session: CameraSession(device: camera),
                camera: camera.camera,
                clock: clock,
                revoked: {
                    await gone.wait()
                    return gone.isOpen ? Withdrawn() : nil
                },
                check: {}
            )
            let taking = Task { try await taker.takeAll(Self.settings(delay: 600), requested: 0) }
            await clock.nextTimerScheduled()
            if isRevoked { gone.open() } else { taking.cancel() }
            let result = await taking.result
            #expect(throws: (any Error).self) { try result.get() }
            if case .failure(let error) = result { #expect(error is Withdrawn == isRevoked) }
            #expect(await camera.openings == 0)
        }
    }

    @Test func `two photos with one camera do not light each other's pictures`() async throws {
        let camera = ScriptedCamera(flash: true)
        let session = CameraSession(device: camera)
        let queue = PhotoQueue()
        let lit = PhotoTaker(session: session, camera: camera.camera, queue: queue) {}
        let dark = PhotoTaker(session: session, camera: camera.camera, queue: queue) {}
        let first = Task { try await lit.takeAll(Self.settings(flash: .on), requested: 0) }
        await camera.lit()
        let second = Task { try await dark.takeAll(Self.settings(flash: .off), requested: 0) }
        while await queue.length(of: "scripted") < 1 { try await turn() }
        for index in 0..<3 { await camera.send(Frames.raw(index, at: 1_000_000 + Int64(index) * 100_000)) }
        #expect(try await first.value.first?.facts.flash == .on)
        // The camera is closed and opened again, or goes on, as the second one comes.
        let sending = Task {
            var index = 3
            while !Task.isCancelled {
                await camera.send(Frames.raw(index, at: 1_000_000 + Int64(index) * 100_000))
                index += 1
                await Task.yield()
            }
        }
        #expect(try await second.value.first?.facts.flash == .off)
        sending.cancel()
        #expect(await camera.litWhen == [true, false])
    }

    @Test func `PNG and raw files are the camera's pixels without loss`() async throws {
        let frames = (0..<3).map { Frames.raw($0, at: 2_000_000 + Int64($0) * 100_000) }
        for format in [PhotoFormat.png, .raw] {
            let camera = ScriptedCamera()
            let photo = try #require(try await Self.photos(of: camera, frames, Self.settings(format: format)).first)
            #expect(photo.granted.format == format)
            #expect(await camera.wanted?.prefersUncompressed == true)
            let start: [UInt8] = format == .png ? [0x89, 0x50, 0x4E, 0x47] : [0x49, 0x49, 0x2A, 0]
            #expect(photo.bytes.starts(with: start))
            #expect(photo.filename.hasSuffix(format == .png ? ".PNG" : ".TIF"))
            let metadata = try #require(try EXIFText.read(photo.bytes))
            #expect(metadata["Make"] == "script")
            #expect(metadata["DateTimeOriginal"]?.count == 19)
            #expect(metadata["ImageWidth"] == "128")
            #expect(metadata["Warning"] == nil, "\(metadata["Warning"] ?? "")")
        }
    }

    @Test func `a PNG of a camera's own JPEG has the pixels that the JPEG decodes to`() async throws {
        let frames = try (0..<3).map { try Frames.jpeg($0, at: 2_000_000 + Int64($0) * 100_000) }
        let camera = ScriptedCamera(format: Frames.motionJPEG)
        let photo = try #require(try await Self.photos(of: camera, frames, Self.settings(format: .png)).first)
        let picture = try JPEGDecoder().decode(frames[2].bytes)
        #expect(try Tool.raw(photo.bytes, as: "rgb24") == picture.bytes)
    }

    @Test func `a camera that compresses by itself has no raw picture, and says so`() async throws {
        let camera = ScriptedCamera(format: Frames.motionJPEG)
        let taker = PhotoTaker(session: CameraSession(device: camera), camera: camera.camera) {}
        let error = await #expect(throws: ErrorReply.self) {
            _ = try await taker.takeAll(Self.settings(format: .raw), requested: 0)
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.parameters?["parameter"] == "settings.format")
        await camera.changed(2)
    }
}
