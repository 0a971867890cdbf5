import Cameras
import Consent
import Foundation
import Imaging
import Media
import MessageSchema
import Testing
import Video4Linux

@testable import CaptureService

/// Photos at full size of a camera that films at less.
@Suite(.timeLimit(.minutes(1)))
struct StillTests {
    private struct Withdrawn: Error {}

    /// Larger than the frames of the film.
    private static var still: CapturedFrame {
        let picture = PatternPicture(width: 320, height: 240, isMirrored: false)
        return CapturedFrame(
            bytes: picture.yuyv(number: 7, brightness: 1, isLit: false),
            format: VideoFormat(
                pixelFormat: .yuyv,
                width: 320,
                height: 240,
                bytesPerRow: 640,
                imageByteCount: 320 * 240 * 2
            ),
            stamp: FrameStamp(microseconds: 9_000_000, isDriverTime: true, lostBefore: 0)
        )
    }

    private static var settings: CaptureSettings {
        var settings = CaptureSettings(camera: "scripted")
        settings.width = 320
        settings.height = 240
        settings.flash = .on
        return settings
    }

    /// Films with a camera, and takes a larger photo meanwhile.
    private static func photo(
        of camera: ScriptedCamera,
        check: @escaping @Sendable () throws -> Void = {}
    ) async throws -> (photo: Result<PhotoTaker.Photo, any Error>, filmed: CapturedFrame?) {
        let session = CameraSession(device: camera)
        let feed = try await session.acquire(
            CameraHold(.film, wanted: WantedFormat(width: 128, height: 96), owners: [.user(7)])
        )
        let taker = PhotoTaker(session: session, camera: camera.camera, check: check)
        let result: Result<PhotoTaker.Photo, any Error>
        do { result = .success(try await taker.take(settings, requested: 0)) } catch { result = .failure(error) }
        await camera.send(Frames.raw(3, at: 9_100_000))
        var frames = feed.frames.makeAsyncIterator()
        let filmed = await frames.next()
        await session.release(feed)
        return (result, filmed)
    }

    @Test func `a camera with a second stream gives a photo at full size, and the film goes on`() async throws {
        let camera = ScriptedCamera(flash: true)
        await camera.setStill(Self.still)
        let (result, filmed) = try await Self.photo(of: camera)
        let photo = try result.get()
        let picture = try JPEGDecoder().decode(photo.bytes)
        #expect((picture.width, picture.height) == (320, 240))
        #expect((photo.granted.width, photo.granted.height) == (320, 240))
        #expect(photo.granted.flash == .off && photo.granted.flashFired == false)
        #expect(filmed?.format.width == 128)
        #expect(await camera.openings == 1)
        #expect(await camera.litWhen.isEmpty)
    }

    @Test func `a camera that gives one size at a time is in use, by whoever films`() async throws {
        let camera = ScriptedCamera()
        let (result, filmed) = try await Self.photo(of: camera)
        let error = #expect(throws: CameraInUse.self) { try result.get() }
        #expect(error?.holds.map(\.use) == [.film])
        #expect(error?.holds.first?.owners == [.user(7)])
        #expect(filmed != nil)
        #expect(await camera.openings == 1)
    }

    @Test func `nobody gets a still whose permission is gone`() async throws {
        let camera = ScriptedCamera()
        await camera.setStill(Self.still)
        let (result, _) = try await Self.photo(of: camera) { throw Withdrawn() }
        #expect(throws: Withdrawn.self) { try result.get() }
    }

    @Test func `a still that is no picture is a fault of the camera`() async throws {
        let camera = ScriptedCamera()
        await camera.setStill(CapturedFrame(bytes: [1], format: Frames.motionJPEG, stamp: Self.still.stamp))
        let (result, _) = try await Self.photo(of: camera)
        let error = #expect(throws: CameraError.self) { try result.get() }
        #expect(error?.code == .fault)
    }
}
