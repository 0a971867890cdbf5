import Cameras
import Consent
import Foundation
import MessageSchema
import Movies
import Synchronization
import TestSupport
import Testing
import Timekeeping
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(1)))
struct RecordingTests {
    private struct Withdrawn: Error {}

    /// One recording under way, whose frames the test sends one by one.
    private struct Take {
        let camera: ScriptedCamera
        let film: FilmWriter
        let stop = Latch()
        let path: String

        init(_ path: String, format: VideoFormat = Frames.yuyv, plan: FilmPlan = FilmPlan()) {
            self.path = path + "/film.mov"
            camera = ScriptedCamera(format: format)
            film = FilmWriter(path: self.path, plan: plan)
        }
    }

    /// Films frames half a second apart, so that each one is told as progress before the next is sent.
    private static func film(
        _ take: borrowing Take,
        frames: [CapturedFrame],
        maximum: Int64 = 60_000_000,
        check: @escaping @Sendable () throws -> Void = {},
        last: @Sendable @escaping (ScriptedCamera, Latch) async -> Void = { _, _ in }
    ) async throws -> Recording.End {
        let (told, telling) = AsyncStream<Int64>.makeStream()
        let camera = take.camera
        let stop = take.stop
        let recording = Recording(
            id: "r",
            camera: camera.camera,
            session: CameraSession(device: camera),
            film: take.film,
            stop: stop
        )
        async let outcome = recording.run(
            WantedFormat(),
            maximum: maximum,
            check: check,
            isGone: { false },
            progress: { telling.yield($0.frames) }
        )
        await camera.changed(1)
        var progress = told.makeAsyncIterator()
        for (index, frame) in frames.enumerated() {
            await camera.send(frame)
            if index < frames.count - 1 { _ = await progress.next() }
        }
        await last(camera, stop)
        let end = await outcome.end
        await camera.changed(2)
        #expect(await !camera.isOpen)
        return end
    }

    private static func frames(_ count: Int) -> [CapturedFrame] {
        (0..<count).map { Frames.raw($0, at: 1_000_000 + Int64($0) * 500_000) }
    }

    private static func probe(_ path: String) throws -> [String: String] {
        let text = try Tool.text("ffprobe", ["-v", "error", "-count_frames", "-show_streams", "-of", "flat=s=_", path])
        return Dictionary(
            text.split(separator: "\n").compactMap { line in
                let parts = line.split(separator: "=", maxSplits: 1)
                return parts.count == 2 ? (String(parts[0]), parts[1].trimmingCharacters(in: ["\""])) : nil
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    @Test func `a film that reached its maximum is complete, and ffprobe counts its frames`() async throws {
        try await withTemporaryDirectory { path in
            let take = Take(path)
            let end = try await Self.film(take, frames: Self.frames(7), maximum: 3_500_000)
            guard case .complete = end else {
                Issue.record("The film ended with \(end).")
                return
            }
            _ = try await take.film.finish()
            let stream = try Self.probe(take.path)
            #expect(stream["streams_stream_0_nb_read_frames"] == "7")
            #expect(stream["streams_stream_0_duration"] == "3.500000")
            #expect(stream["streams_stream_0_side_data_list_side_data_0_rotation"] == "90")
            #expect(await take.film.frames == 7)
        }
    }

    /// Starts of frames in milliseconds, the maximum, and how many frames are kept and how long the film is.
    static let limits: [([Int64], maximum: Int64, kept: Int, duration: String)] = [
        // The last frame is cut short.
        ([0, 500, 1_000, 1_500, 2_000, 2_500, 3_000], 3_200, 7, "3.200000"),
        // It fits exactly.
        ([0, 500, 1_000, 1_500, 2_000, 2_500], 3_000, 6, "3.000000"),
        // The one behind the end is left out, however long it was waited for.
        ([0, 500, 1_000, 1_600, 3_500], 3_200, 4, "2.100000"),
        // One frame alone is longer than the film.
        ([0, 500], 100, 1, "0.033333"),
        ([0, 500, 1_000], 1_499, 3, "1.499000"),
    ]

    @Test(arguments: limits)
    func `no film is longer than its maximum, its last frame included`(
        starts: [Int64],
        maximum: Int64,
        kept: Int,
        duration: String
    ) async throws {
        try await withTemporaryDirectory { path in
            let take = Take(path)
            let frames = starts.enumerated().map { Frames.raw($0.offset, at: 1_000_000 + $0.element * 1_000) }
            guard case .complete = try await Self.film(take, frames: frames, maximum: maximum * 1_000) else {
                Issue.record("The film broke.")
                return
            }
            _ = try await take.film.finish()
            let stream = try Self.probe(take.path)
            #expect(stream["streams_stream_0_nb_read_frames"] == "\(kept)")
            #expect(stream["streams_stream_0_duration"] == duration)
        }
    }

    @Test func `frames that the camera lost, and those that are no pictures, are counted and not made up`() async throws
    {
        try await withTemporaryDirectory { path in
            let take = Take(path, format: Frames.motionJPEG)
            var frames = try (0..<5).map { try Frames.jpeg($0, at: 1_000_000 + Int64($0) * 500_000) }
            frames[3] = CapturedFrame(
                bytes: frames[3].bytes,
                format: Frames.motionJPEG,
                stamp: FrameStamp(microseconds: frames[3].stamp.microseconds, isDriverTime: true, lostBefore: 4)
            )
            let end = try await Self.film(take, frames: frames, maximum: 2_500_000)
            guard case .complete = end else {
                Issue.record("The film ended with \(end).")
                return
            }
            // One more that is no picture: it is dropped by the writer itself.
            try await take.film.add(
                CapturedFrame(
                    bytes: [0, 1, 2],
                    format: Frames.motionJPEG,
                    stamp: FrameStamp(microseconds: 3_200_000, isDriverTime: true, lostBefore: 0)
                )
            )
            #expect(await take.film.frames == 5)
            #expect(await take.film.dropped == 5)
        }
    }

    @Test func `a wish to stop ends it with the next frame`() async throws {
        try await withTemporaryDirectory { path in
            let take = Take(path)
            let end = try await Self.film(
                take,
                frames: Self.frames(3),
                last: { camera, stop in
                    stop.open()
                    await camera.send(Frames.raw(9, at: 9_000_000))
                }
            )
            guard case .complete = end else {
                Issue.record("The film ended with \(end).")
                return
            }
            #expect(await take.film.frames >= 2)
        }
    }

    @Test func `a permission that is withdrawn ends it before another frame is taken, and what there is is kept`()
        async throws
    {
        try await withTemporaryDirectory { path in
            let take = Take(path)
            let flag = Latch()
            let end = try await Self.film(take, frames: Self.frames(4), check: { if flag.isOpen { throw Withdrawn() } })
            {
                camera,
                _ in
                flag.open()
                await camera.send(Frames.raw(9, at: 9_000_000))
            }
            guard case .broken(let error) = end else {
                Issue.record("The film ended with \(end).")
                return
            }
            #expect(error is Withdrawn)
            #expect(await take.film.frames <= 4)
            _ = try await take.film.finish()
        }
    }

    @Test func `a camera that is unplugged breaks it, and what there is is kept`() async throws {
        try await withTemporaryDirectory { path in
            let take = Take(path)
            let end = try await Self.film(
                take,
                frames: Self.frames(4),
                last: { camera, _ in
                    await camera.fail(CameraError(.removed))
                }
            )
            guard case .broken(let error) = end else {
                Issue.record("The film ended with \(end).")
                return
            }
            #expect((error as? CameraError)?.code == .removed)
            _ = try await take.film.finish()
            #expect(try Self.probe(take.path)["streams_stream_0_nb_read_frames"] == "4")
        }
    }

    @Test func `a camera that can not be opened breaks it before there is a film`() async throws {
        try await withTemporaryDirectory { path in
            let camera = ScriptedCamera(opening: CameraError(.inUse))
            let film = FilmWriter(path: path + "/film.mov")
            let recording = Recording(
                id: "r",
                camera: camera.camera,
                session: CameraSession(device: camera),
                film: film,
                stop: Latch()
            )
            let outcome = await recording.run(
                WantedFormat(),
                maximum: 1_000_000,
                check: {},
                isGone: { false },
                progress: { _ in }
            )
            guard case .broken(let error) = outcome.end else {
                Issue.record("The film ended with \(outcome.end).")
                return
            }
            #expect((error as? CameraError)?.code == .inUse)
            #expect(!FileManager.default.fileExists(atPath: path + "/film.mov"))
        }
    }

    private enum Silence: CaseIterable { case stopped, revoked, expired, expiredBeforeAnyFrame }

    @Test(arguments: Silence.allCases)
    private func `a film ends also while its camera is silent`(why: Silence) async throws {
        try await withTemporaryDirectory { path in
            let take = Take(path)
            let clock = ManualClock()
            let gone = Latch()
            let (told, telling) = AsyncStream<Int64>.makeStream()
            let recording = Recording(
                id: "r",
                camera: take.camera.camera,
                session: CameraSession(device: take.camera),
                film: take.film,
                stop: take.stop,
                clock: clock
            )
            async let outcome = recording.run(
                WantedFormat(),
                maximum: 60_000_000,
                check: {},
                revoked: {
                    await gone.wait()
                    return gone.isOpen ? Withdrawn() : nil
                },
                isGone: { false },
                progress: { telling.yield($0.frames) }
            )
            await take.camera.changed(1)
            await clock.nextTimerScheduled()
            if why != .expiredBeforeAnyFrame {
                await take.camera.send(Frames.raw(0, at: 1_000_000))
                var progress = told.makeAsyncIterator()
                _ = await progress.next()
                await clock.nextTimerScheduled()
            }
            switch why {
            case .stopped: take.stop.open()
            case .revoked: gone.open()
            case .expired, .expiredBeforeAnyFrame: clock.advance(by: .seconds(61))
            }
            switch (why, await outcome.end) {
            case (.stopped, .complete), (.expired, .complete): break
            case (.revoked, .broken(let error)): #expect(error is Withdrawn)
            case (.expiredBeforeAnyFrame, .broken(let error)): #expect((error as? CameraError)?.code == .stalled)
            case (_, let end): Issue.record("The film ended with \(end).")
            }
            await take.camera.changed(2)
            #expect(await !take.camera.isOpen)
            #expect(await take.film.frames == (why == .expiredBeforeAnyFrame ? 0 : 1))
        }
    }

    private static func noPicture(at time: Int64) -> CapturedFrame {
        CapturedFrame(
            bytes: [1, 2, 3],
            format: Frames.motionJPEG,
            stamp: FrameStamp(microseconds: time, isDriverTime: true, lostBefore: 0)
        )
    }

    @Test(arguments: [1, 1_000_000])
    func `frames that are no pictures end a film, by their number or by their time`(interval: Int64) async throws {
        try await withTemporaryDirectory { path in
            let take = Take(path, format: Frames.motionJPEG)
            let sending = Task {
                var time: Int64 = 1_000_000
                while !Task.isCancelled {
                    await take.camera.send(Self.noPicture(at: time))
                    time += interval
                    await Task.yield()
                }
            }
            let recording = Recording(
                id: "r",
                camera: take.camera.camera,
                session: CameraSession(device: take.camera),
                film: take.film,
                stop: take.stop,
                clock: ManualClock()
            )
            let outcome = await recording.run(
                WantedFormat(),
                maximum: 3_000_000,
                check: {},
                isGone: { false },
                progress: { _ in }
            )
            sending.cancel()
            switch outcome.end {
            case .complete: #expect(interval == 1_000_000)
            case .broken(let error): #expect(interval == 1 && (error as? CameraError)?.code == .stalled)
            case .cancelled: Issue.record("The film was cancelled.")
            }
            #expect(await take.film.frames == 0)
            // Also the frames that waited when nobody took them are counted.
            #expect(await take.film.dropped > 0)
        }
    }

    @Test func `a recording that is cancelled while its camera opens waits for nothing`() async throws {
        try await withTemporaryDirectory { path in
            let take = Take(path)
            await take.camera.holdOpening()
            let session = CameraSession(device: take.camera)
            let recording = Recording(
                id: "r",
                camera: take.camera.camera,
                session: session,
                film: take.film,
                stop: take.stop
            )
            async let outcome = recording.run(
                WantedFormat(),
                maximum: 3_000_000,
                check: {},
                revoked: { Withdrawn() },
                isGone: { false },
                progress: { _ in }
            )
            guard case .broken(let error) = await outcome.end else {
                Issue.record("It did not end.")
                return
            }
            #expect(error is Withdrawn)
            await take.camera.finishOpening()
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `a holder that is gone keeps its film, and one that cancels does not, unless it had stopped it`(
        isGone: Bool,
        hasStopped: Bool
    ) async throws {
        try await withTemporaryDirectory { path in
            let camera = ScriptedCamera()
            let film = FilmWriter(path: path + "/film.mov")
            let recording = Recording(
                id: "r",
                camera: camera.camera,
                session: CameraSession(device: camera),
                film: film,
                stop: Latch()
            )
            let (told, telling) = AsyncStream<Int64>.makeStream()
            let work = Task {
                await recording.run(
                    WantedFormat(),
                    maximum: 60_000_000,
                    check: {},
                    isGone: { isGone },
                    progress: { telling.yield($0.frames) }
                )
            }
            await camera.changed(1)
            await camera.send(Frames.raw(1, at: 1_000_000))
            var progress = told.makeAsyncIterator()
            _ = await progress.next()
            if hasStopped { recording.stop.open() }
            work.cancel()
            switch await work.value.end {
            case .complete: #expect(isGone || hasStopped)
            case .cancelled: #expect(!isGone && !hasStopped)
            case .broken(let error): Issue.record("The film broke: \(error).")
            }
        }
    }
}
