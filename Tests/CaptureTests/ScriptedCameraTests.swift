import CameraConformance
import Cameras
import Glibc
import MessageSchema
import Synchronization
import TestSupport
import Testing
import Video4Linux

@testable import CaptureService

/// The cameras of these tests are cameras as others are, and their faults end what is taken with them.
@Suite(.timeLimit(.minutes(1)))
struct ScriptedCameraTests {
    private final class Count: Sendable {
        private let value = Mutex(0)

        func next() -> Int {
            value.withLock { value in
                value += 1
                return value
            }
        }
    }

    @Test(arguments: CameraRule.allCases, [true, false])
    func `a scripted camera does what every camera does`(rule: CameraRule, hasFlash: Bool) async throws {
        let camera = ScriptedCamera(flash: hasFlash)
        let count = Count()
        let subject = CameraSubject(camera) {
            await camera.waits()
        } give: {
            let number = count.next()
            await camera.send(Frames.raw(number, at: Int64(number) * 33_333))
        }
        try await subject.check(rule)
    }

    /// What the kernel can answer to the calls of a camera.
    static let errors: [Int32] = [
        EPERM, ENOENT, EINTR, EIO, ENXIO, EAGAIN, ENOMEM, EACCES, EFAULT, EBUSY, ENODEV, EINVAL, ENFILE, EMFILE, ENOTTY,
        ENOSPC, EPIPE, ERANGE, EPROTO, EOVERFLOW, EOPNOTSUPP, ETIMEDOUT, ENOLINK, ENOLCK, ESHUTDOWN,
    ]

    @Test(arguments: errors, ["VIDIOC_STREAMON", "VIDIOC_DQBUF"])
    func `whatever the kernel answers, a film ends with it, keeps what there is, and can be tried again`(
        number: Int32,
        operation: String
    ) async throws {
        try await withTemporaryDirectory { path in
            let wasOpen = operation == "VIDIOC_DQBUF"
            let fault = CameraError(VideoError(operation: operation, errorNumber: number), wasOpen: wasOpen)
            let camera = ScriptedCamera(opening: wasOpen ? nil : fault)
            let session = CameraSession(device: camera)
            let film = FilmWriter(path: path + "/film.mov")
            let recording = Recording(id: "r", camera: camera.camera, session: session, film: film, stop: Latch())
            let (told, telling) = AsyncStream<Int64>.makeStream()
            async let outcome = recording.run(
                WantedFormat(),
                maximum: 60_000_000,
                check: {},
                isGone: { false },
                progress: { telling.yield($0.frames) }
            )
            await camera.changed(1)
            if wasOpen {
                await camera.send(Frames.raw(0, at: 1_000_000))
                var progress = told.makeAsyncIterator()
                _ = await progress.next()
                await camera.fail(fault)
            }
            guard case .broken(let error) = await outcome.end else {
                Issue.record("The film did not break.")
                return
            }
            #expect(error as? CameraError == fault)
            #expect(fault.code != .cancelled)
            #expect(ErrorReply(capture: error, camera: camera.camera).parameters?["camera"] == "scripted")
            #expect(await film.frames == (wasOpen ? 1 : 0))
            if wasOpen {
                await camera.changed(2)
                _ = try await film.finish()
            }
            #expect(await !camera.isOpen)
            await camera.setOpening(.success(Frames.yuyv))
            let feed = try await session.acquire(WantedFormat())
            await session.release(feed)
        }
    }
}
