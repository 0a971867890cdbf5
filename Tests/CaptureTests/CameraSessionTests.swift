import Cameras
import Consent
import MessageSchema
import Testing
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct CameraSessionTests {
    private static let wish = WantedFormat(width: 128, height: 96)

    private static func next(_ feed: CameraSession.Feed) async -> CapturedFrame? {
        for await frame in feed.frames { return frame }
        return nil
    }

    @Test func `two holders share one opened camera, and both get every frame`() async throws {
        let camera = ScriptedCamera()
        let session = CameraSession(device: camera)
        let first = try await session.acquire(Self.wish)
        let second = try await session.acquire(WantedFormat(width: 1920, height: 1080))
        #expect(second.format == first.format)
        await camera.send(Frames.raw(7, at: 1))
        #expect(await Self.next(first)?.stamp.microseconds == 1)
        #expect(await Self.next(second)?.stamp.microseconds == 1)
        #expect(await camera.openings == 1)
        await session.release(first)
        #expect(await camera.isOpen)
        await session.release(second)
        await camera.changed(2)
        #expect(await camera.closings == 1)
        #expect(await !camera.isOpen)
    }

    @Test func `a slow holder loses the oldest frames, which are counted, and delays nobody`() async throws {
        let camera = ScriptedCamera()
        let session = CameraSession(device: camera)
        let slow = try await session.acquire(Self.wish)
        let quick = try await session.acquire(Self.wish)
        for index in 1...20 {
            await camera.send(Frames.raw(index, at: Int64(index)))
            #expect(await Self.next(quick)?.stamp.microseconds == Int64(index))
        }
        #expect(await Self.next(slow)?.stamp.microseconds == 13)
        #expect(await session.release(slow) == 12)
        #expect(await session.release(quick) == 0)
    }

    @Test func `a camera that can not be opened is told to everybody who waits, and can be tried again`() async throws {
        let camera = ScriptedCamera(opening: CameraError(.inUse))
        let session = CameraSession(device: camera)
        await camera.holdOpening()
        let first = Task { try await session.acquire(Self.wish) }
        let second = Task { try await session.acquire(Self.wish) }
        await camera.changed(1)
        await camera.finishOpening()
        await #expect(throws: CameraError(.inUse)) { _ = try await first.value }
        await #expect(throws: CameraError(.inUse)) { _ = try await second.value }
        await camera.setOpening(.success(Frames.yuyv))
        let feed = try await session.acquire(Self.wish)
        await session.release(feed)
    }

    @Test func `a camera that is unplugged ends every feed, each with the reason`() async throws {
        let camera = ScriptedCamera()
        let session = CameraSession(device: camera)
        let first = try await session.acquire(Self.wish)
        let second = try await session.acquire(Self.wish)
        await camera.fail(CameraError(.removed))
        #expect(await Self.next(first) == nil)
        #expect(await Self.next(second) == nil)
        #expect(await session.failure(of: first)?.code == .removed)
        #expect(await session.failure(of: second)?.code == .removed)
        await session.release(first)
        await session.release(second)
        await camera.changed(2)
        // It is plugged in again.
        let third = try await session.acquire(Self.wish)
        await camera.send(Frames.raw(1, at: 5))
        #expect(await Self.next(third)?.stamp.microseconds == 5)
        await session.release(third)
    }

    @Test func `while a camera films in its own H.264, who needs pictures is told who films`() async throws {
        let camera = ScriptedCamera(format: Frames.format(.h264))
        let session = CameraSession(device: camera)
        let filming = CameraHold(.film, wanted: WantedFormat(h264: .preferred), owners: [.user(1)])
        let film = try await session.acquire(filming)
        for use in [CameraHold.Use.photo, .preview] {
            let error = await #expect(throws: CameraInUse.self) { _ = try await session.acquire(CameraHold(use)) }
            #expect(error?.holds.map(\.use) == [.film])
            let reply = error.map { ErrorReply($0, camera: camera.camera) { $0 == .user(1) } }
            #expect(reply?.code == .inUse)
            #expect(reply?.parameters?["holder"] == Principal.user(1).description)
            #expect(reply?.reason?.contains("H.264") == true)
        }
        let settings = try await session.acquire(CameraHold(.controls))
        await session.release(settings)
        await session.release(film)
        await camera.changed(2)
        #expect(await !camera.isOpen)
    }

    @Test func `a holder that comes while the camera closes gets it opened again`() async throws {
        let camera = ScriptedCamera()
        let session = CameraSession(device: camera)
        for round in 1...5 {
            let feed = try await session.acquire(Self.wish)
            await session.release(feed)
            let again = try await session.acquire(Self.wish)
            await camera.send(Frames.raw(round, at: Int64(round)))
            #expect(await Self.next(again)?.stamp.microseconds == Int64(round))
            await session.release(again)
        }
        await camera.changed(20)
        #expect(await camera.closings == 10)
    }
}
