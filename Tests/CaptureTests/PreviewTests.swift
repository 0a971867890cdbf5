import Cameras
import Consent
import Imaging
import Messaging
import TestSupport
import Testing
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct PreviewTests {
    private static let owner = Principal.user(1000)

    /// Frames whose stamps are of now, so that none is too old to be shown.
    private static func frame(_ index: Int) -> CapturedFrame { Frames.raw(index, at: MonotonicTime.now()) }

    private static func jpeg(_ index: Int) throws -> CapturedFrame { try Frames.jpeg(index, at: MonotonicTime.now()) }

    /// Sends frames, each when the preview has taken the one before.
    private static func send(_ count: Int, to camera: ScriptedCamera, _ preview: Preview) async throws {
        for index in 0..<count {
            let before = await preview.counts.frames
            await camera.send(frame(index))
            while await preview.counts.frames == before { try await turn() }
        }
    }

    private static func size(of delivery: Preview.Delivery) throws -> PreviewSize {
        let header = try JPEGDecoder().header(of: delivery.picture.jpeg.bytes)
        return PreviewSize(width: header.width, height: header.height)
    }

    @Test func `nothing is encoded while nobody has credit, and the newest frame is there for who gets some`()
        async throws
    {
        let camera = ScriptedCamera()
        let preview = Preview(session: CameraSession(device: camera))
        let viewer = await preview.join(PreviewWish(), owner: Self.owner)
        await camera.changed(1)
        try await Self.send(20, to: camera, preview)
        #expect(await preview.counts == Preview.Counts(frames: 20))
        let delivery = try await preview.next(for: viewer)
        #expect(delivery.frame.number == 19)
        #expect(try Frames.index(in: delivery.picture.jpeg.bytes) == 19 % 8)
        #expect(await preview.counts.encoded == 1)
        await preview.leave(viewer)
        await camera.changed(2)
        #expect(await !camera.isOpen)
    }

    @Test func `many viewers share one opened camera, and each size of a frame is encoded once`() async throws {
        let camera = ScriptedCamera()
        let preview = Preview(session: CameraSession(device: camera))
        var viewers: [Int] = []
        for _ in 0..<10 { viewers.append(await preview.join(PreviewWish(), owner: Self.owner)) }
        for _ in 0..<10 { viewers.append(await preview.join(PreviewWish(width: 64), owner: Self.owner)) }
        await camera.changed(1)
        try await Self.send(1, to: camera, preview)
        let sizes = try await withThrowingTaskGroup(of: PreviewSize.self) { group in
            for viewer in viewers { group.addTask { try Self.size(of: try await preview.next(for: viewer)) } }
            var sizes: [PreviewSize] = []
            for try await size in group { sizes.append(size) }
            return sizes
        }
        #expect(sizes.filter { $0 == PreviewSize(width: 128, height: 96) }.count == 10)
        #expect(sizes.filter { $0 == PreviewSize(width: 64, height: 48) }.count == 10)
        #expect(await preview.counts.encoded == 2)
        #expect(await camera.openings == 1)
        for viewer in viewers { await preview.leave(viewer) }
        await camera.changed(2)
        #expect(await camera.closings == 1)
    }

    @Test func `a camera's own JPEG is passed through at its size, byte by byte, and decoded for a smaller one`()
        async throws
    {
        let camera = ScriptedCamera(format: Frames.motionJPEG)
        let preview = Preview(session: CameraSession(device: camera))
        let whole = await preview.join(PreviewWish(width: 1_920, height: 1_080), owner: Self.owner)
        let small = await preview.join(PreviewWish(width: 50), owner: Self.owner)
        await camera.changed(1)
        let frame = try Self.jpeg(3)
        await camera.send(frame)
        let passed = try await preview.next(for: whole)
        #expect(passed.picture.isCameras)
        #expect(passed.picture.jpeg.bytes == frame.bytes)
        let scaled = try await preview.next(for: small)
        #expect(try Self.size(of: scaled) == PreviewSize(width: 50, height: 38))
        #expect(await preview.counts == Preview.Counts(frames: 1, encoded: 1, passedThrough: 1))
        for viewer in [whole, small] { await preview.leave(viewer) }
    }

    @Test func `a frame that is no picture is missed, and sixty in a row end the preview as stalled`() async throws {
        let camera = ScriptedCamera(format: Frames.motionJPEG)
        let preview = Preview(session: CameraSession(device: camera))
        let viewer = await preview.join(PreviewWish(), owner: Self.owner)
        await camera.changed(1)
        let first = Task { try await preview.next(for: viewer) }
        let broken = CapturedFrame(
            bytes: Array(try Self.jpeg(1).bytes.dropLast(200)),
            format: Frames.motionJPEG,
            stamp: FrameStamp(microseconds: MonotonicTime.now(), isDriverTime: true, lostBefore: 0)
        )
        await camera.send(broken)
        while await preview.counts.bad < 1 { try await turn() }
        await camera.send(try Self.jpeg(5))
        #expect(try Frames.index(in: try await first.value.picture.jpeg.bytes) == 5)
        let last = Task { try await preview.next(for: viewer) }
        for count in 2...61 {
            await camera.send(broken)
            while await preview.counts.bad < count { try await turn() }
        }
        let error = await #expect(throws: CameraError.self) { _ = try await last.value }
        #expect(error?.code == .stalled)
        await preview.leave(viewer)
        await camera.changed(2)
    }

    @Test func `a camera that is unplugged ends it for everybody, and who comes later gets it anew`() async throws {
        let camera = ScriptedCamera()
        let preview = Preview(session: CameraSession(device: camera))
        let first = await preview.join(PreviewWish(), owner: Self.owner)
        let second = await preview.join(PreviewWish(), owner: Self.owner)
        await camera.changed(1)
        let waiting = Task { try await preview.next(for: first) }
        await camera.fail(CameraError(.removed))
        await #expect(throws: CameraError(.removed)) { _ = try await waiting.value }
        await #expect(throws: CameraError(.removed)) { _ = try await preview.next(for: second) }
        await camera.changed(2)
        let third = await preview.join(PreviewWish(), owner: Self.owner)
        await camera.changed(3)
        try await Self.send(1, to: camera, preview)
        #expect(try await preview.next(for: third).frame.size == PreviewSize(width: 128, height: 96))
        for viewer in [first, second, third] { await preview.leave(viewer) }
        await camera.changed(4)
    }

    @Test func `a viewer that is cancelled while it waits lets go of the camera`() async throws {
        let camera = ScriptedCamera()
        let preview = Preview(session: CameraSession(device: camera))
        let viewer = await preview.join(PreviewWish(), owner: Self.owner)
        await camera.changed(1)
        let waiting = Task { try await preview.next(for: viewer) }
        await Task.yield()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        await preview.leave(viewer)
        await camera.changed(2)
        #expect(await preview.viewerCount == 0)
        #expect(await !camera.isOpen)
    }

    @Test(arguments: 1...20)
    func `viewers that come and go in any order leave a closed camera behind`(seed: Int) async throws {
        let camera = ScriptedCamera()
        let preview = Preview(session: CameraSession(device: camera))
        var dice = Dice(state: UInt64(seed))
        var viewers: [Int] = []
        for index in 0..<60 {
            switch Int.random(in: 0..<4, using: &dice) {
            case 0, 1:
                let width = [nil, 64, 32][Int.random(in: 0..<3, using: &dice)]
                viewers.append(await preview.join(PreviewWish(width: width), owner: Self.owner))
            case 2:
                guard let viewer = viewers.popLast() else { continue }
                await preview.leave(viewer)
            default: await camera.send(Self.frame(index))
            }
        }
        for viewer in viewers { await preview.leave(viewer) }
        // However often it was opened, it was closed as often.
        var state = (await camera.openings, await camera.closings)
        while state.0 != state.1 {
            await camera.changed(state.0 + state.1 + 1)
            state = (await camera.openings, await camera.closings)
        }
        #expect(await !camera.isOpen)
    }
}
