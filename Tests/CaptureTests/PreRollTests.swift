import Cameras
import Consent
import Foundation
import Media
import MessageSchema
import Movies
import TestSupport
import Testing
import Timekeeping
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(2)))
struct PreRollTests {
    private static func picture(_ time: Int64, isKey: Bool = true, bytes: Int = 10) -> PreRoll.Picture {
        PreRoll.Picture(
            sample: FilmPictures.Sample(
                bytes: [UInt8](repeating: 0, count: bytes),
                isKey: isKey,
                pictures: .motionJPEG,
                size: nil
            ),
            frame: CapturedFrame(
                bytes: [],
                format: Frames.yuyv,
                stamp: FrameStamp(microseconds: time, isDriverTime: true, lostBefore: 0)
            )
        )
    }

    /// Takes everything that is to be written.
    private static func drained(_ preRoll: inout PreRoll) -> [Int64] {
        var times: [Int64] = []
        while let picture = preRoll.next() { times.append(picture.frame.stamp.microseconds) }
        return times
    }

    // MARK: What is kept

    @Test func `the newest seconds are kept, and nothing is given away before the film goes on`() {
        var preRoll = PreRoll(microseconds: 1_000_000)
        for time in 0..<100 as Range<Int64> {
            preRoll.makeRoom(for: time * 100_000)
            preRoll.add(Self.picture(time * 100_000))
            #expect(preRoll.count <= 11)
            #expect(preRoll.next() == nil)
        }
        #expect(preRoll.release() == 1_000_000)
        #expect(preRoll.release() == 0)
        // What comes now is for the film, and does not take the place of what waits.
        preRoll.makeRoom(for: 20_000_000)
        preRoll.add(Self.picture(20_000_000))
        #expect(Self.drained(&preRoll) == (89...99).map { $0 * 100_000 } + [20_000_000])
        preRoll.hold()
        preRoll.add(Self.picture(21_000_000))
        #expect(preRoll.next() == nil)
        preRoll.hold()
        #expect(preRoll.isEmpty)
    }

    @Test func `memory is bounded by bytes, whatever the seconds`() {
        var preRoll = PreRoll(microseconds: 30_000_000, mostBytes: 100)
        for time in 0..<50 as Range<Int64> {
            preRoll.add(Self.picture(time, bytes: 30))
            #expect(preRoll.count <= 3)
        }
        // One that is larger than all that is allowed is not kept either.
        preRoll.add(Self.picture(50, bytes: 101))
        #expect(preRoll.isEmpty)
        preRoll.add(Self.picture(51, bytes: 100))
        #expect(preRoll.count == 1)
    }

    @Test(arguments: [Int64.min, 0, 899_999, 3_100_001, .max])
    func `where the camera's clock jumps, what was before it is let go of`(time: Int64) {
        var preRoll = PreRoll(microseconds: 30_000_000)
        for time in [900_000, 1_000_000, 1_100_000] as [Int64] { preRoll.add(Self.picture(time)) }
        preRoll.makeRoom(for: time)
        #expect(preRoll.isEmpty)
    }

    @Test func `it begins with a picture that needs no other`() {
        var preRoll = PreRoll(microseconds: 30_000_000)
        for time in 0..<10 as Range<Int64> { preRoll.add(Self.picture(time, isKey: time % 4 == 2)) }
        #expect(preRoll.release() == 7)
        #expect(Self.drained(&preRoll) == Array(2...9))
        var without = PreRoll(microseconds: 30_000_000)
        without.add(Self.picture(0, isKey: false))
        #expect(without.release() == 0)
        #expect(without.isEmpty)
    }

    // MARK: Films

    /// What a camera gives, and what it becomes.
    enum Kind: CaseIterable {
        case jpeg, ownH264, encodedJPEG, encodedH264

        /// Ten frames a second.
        func frames(_ count: Int) throws -> [CapturedFrame] {
            let raw = (0..<count).map { Frames.raw($0, at: 1_000_000 + Int64($0) * 100_000) }
            return switch self {
            case .jpeg: try (0..<count).map { try Frames.jpeg($0, at: 1_000_000 + Int64($0) * 100_000) }
            case .ownH264: try H264Frames.make(raw, keys: 4)
            case .encodedJPEG, .encodedH264: raw
            }
        }

        var plan: FilmPlan {
            var plan = FilmPlan()
            plan.preRoll = 1_000_000
            plan.codec =
                switch self {
                case .jpeg, .ownH264: nil
                case .encodedJPEG: .jpeg
                case .encodedH264: .h264
                }
            return plan
        }
    }

    private static func count(_ path: String) throws -> (frames: Int, seconds: Double) {
        let words = [
            "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,duration", "-of", "flat", path,
        ]
        let lines = try Tool.text("ffprobe", words).split(separator: "\n").map { $0.split(separator: "\"") }
        func value(_ name: String) -> Substring? { lines.first { $0.first?.contains(name) == true }?.last }
        return (
            Int(try #require(value("nb_read_frames"))) ?? -1, Double(try #require(value("duration"))) ?? -1
        )
    }

    @Test(arguments: Kind.allCases)
    func `a film begins with the seconds before it went on, and so it does after each pause`(kind: Kind) async throws {
        let frames = try kind.frames(80)
        try await withTemporaryDirectory { folder in
            let film = FilmWriter(path: folder + "/film", plan: kind.plan)
            try await film.begin(frames[0]) { _ in Frames.description }
            for frame in frames[..<30] {
                try await film.keep(frame)
                #expect(await film.keptCount <= 11)
            }
            #expect(await film.frames == 0)
            #expect(!FileManager.default.fileExists(atPath: folder + "/film"))
            await film.resume()
            for frame in frames[30..<40] { try await film.add(frame) }
            try await film.pause()
            let first = await film.frames
            for frame in frames[40..<70] { try await film.keep(frame) }
            #expect(await film.frames == first)
            await film.resume()
            for frame in frames[70..<80] { try await film.add(frame) }
            _ = try await film.finish()

            // A key comes each 0.4 s in the camera's own H.264, each second in ours.
            let rolled = await film.frames - 20
            let least: Int64 =
                switch kind {
                case .jpeg, .encodedJPEG: 22
                case .ownH264: 16
                case .encodedH264: 2
                }
            #expect((least...22).contains(rolled))
            let found = try Self.count(folder + "/film")
            #expect(found.frames == Int(rolled) + 20)
            // Frames are a tenth of a second apart, also where the film was cut.
            #expect(abs(found.seconds - Double(found.frames) / 10) < 0.001)
            let seconds = try #require(await film.preRollSeconds)
            #expect(abs(seconds - Double(rolled - 2) / 10) < 0.001)
            let cuts = try #require(await film.cuts)
            #expect(cuts.count == 1 && cuts[0].reason == .pause)
            #expect(abs(cuts[0].at - Double(first) / 10) < 0.001)
            #expect(await film.dropped == 0)
        }
    }

    @Test func `a film that goes on after less than its pre-roll has everything`() async throws {
        let frames = try Kind.jpeg.frames(30)
        try await withTemporaryDirectory { folder in
            let film = FilmWriter(path: folder + "/film", plan: Kind.jpeg.plan)
            try await film.begin(frames[0]) { _ in Frames.description }
            await film.resume()
            for frame in frames[..<10] { try await film.add(frame) }
            try await film.pause()
            for frame in frames[10..<15] { try await film.keep(frame) }
            await film.resume()
            for frame in frames[15...] { try await film.add(frame) }
            _ = try await film.finish()
            #expect(await film.frames == 30)
            #expect(await film.cuts?.allSatisfy { abs($0.gap) < 0.001 } == true)
        }
    }

    @Test func `a film is no longer than its maximum, its pre-roll included`() async throws {
        let frames = try Kind.jpeg.frames(40)
        try await withTemporaryDirectory { folder in
            let film = FilmWriter(path: folder + "/film", plan: Kind.jpeg.plan)
            try await film.begin(frames[0], maximum: 700_000) { _ in Frames.description }
            for frame in frames[..<30] { try await film.keep(frame) }
            await film.resume()
            for frame in frames[30...] where await !film.isComplete { try await film.add(frame) }
            _ = try await film.finish()
            #expect(await film.frames == 7)
            let seconds = try #require(await film.preRollSeconds)
            #expect(seconds <= 0.7)
        }
    }

    // MARK: Recordings

    /// A recording that waits for the wish to begin.
    private static func take(_ folder: String) -> RecordingTake { RecordingTake(folder, plan: Kind.encodedJPEG.plan) }

    /// Sends frames, each when the one before it has reached the film: none is lost.
    private static func send(_ range: Range<Int>, to take: RecordingTake) async throws {
        for index in range {
            await take.camera.send(Frames.raw(index, at: 1_000_000 + Int64(index) * 100_000))
            while take.looks.all.count < index + 2 { try await turn() }
        }
        await take.camera.waits()
    }

    @Test func `an armed recording waits for hours, and begins when it is wished`() async throws {
        try await withTemporaryDirectory { folder in
            let take = Self.take(folder)
            async let end = take.run()
            var told = take.progress.makeAsyncIterator()
            await take.camera.changed(1)
            await take.clock.nextTimerScheduled()
            try await Self.send(0..<1, to: take)
            let armed = try #require(await told.next())
            #expect(armed.paused == true && armed.frames == 0 && armed.recording == "r")
            take.clock.advance(by: .seconds(36_000))
            try await Self.send(1..<20, to: take)
            #expect(await take.film.frames == 0)
            take.pause.set(false)
            // Its maximum runs from now on.
            await take.clock.nextTimerScheduled()
            await take.camera.send(Frames.raw(20, at: 3_000_000))
            let begun = try #require(await told.next())
            #expect(begun.paused == nil && begun.frames > 0)
            take.clock.advance(by: .seconds(11))
            guard case .complete = await end else {
                Issue.record("The film broke.")
                return
            }
            // All that was kept is in it, though no further frame came.
            #expect(await take.film.frames >= 11)
            _ = try await take.film.finish()
        }
    }

    @Test func `a revocation lets go of what was kept, and there is no film`() async throws {
        try await withTemporaryDirectory { folder in
            let take = Self.take(folder)
            async let end = take.run()
            var told = take.progress.makeAsyncIterator()
            await take.camera.changed(1)
            try await Self.send(0..<5, to: take)
            #expect(await told.next()?.paused == true)
            take.gone.open()
            guard case .broken(let error) = await end, error is RecordingTake.Withdrawn else {
                Issue.record("It was not revoked.")
                return
            }
            #expect(await take.film.keptCount == 0)
            #expect(await take.film.frames == 0)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(files.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a wish to begin, and to stop at once, gives what was kept; a stop alone gives nothing`(isResumed: Bool)
        async throws
    {
        try await withTemporaryDirectory { folder in
            let take = Self.take(folder)
            async let end = take.run()
            var told = take.progress.makeAsyncIterator()
            await take.camera.changed(1)
            try await Self.send(0..<8, to: take)
            #expect(await told.next()?.paused == true)
            if isResumed { take.pause.set(false) }
            take.stop.open()
            guard case .complete = await end else {
                Issue.record("The film broke.")
                return
            }
            #expect(await take.film.keptCount == 0)
            let frames = await take.film.frames
            #expect(isResumed ? (1...8).contains(frames) : frames == 0)
        }
    }

    @Test func `a camera that gives no pictures is given up also while it is armed`() async throws {
        try await withTemporaryDirectory { folder in
            let film = FilmWriter(path: folder + "/film", plan: Kind.jpeg.plan)
            let bad = CapturedFrame(
                bytes: [1],
                format: Frames.motionJPEG,
                stamp: FrameStamp(microseconds: 1, isDriverTime: true, lostBefore: 0)
            )
            try await film.begin(bad) { _ in Frames.description }
            for time in 0..<60 as Range<Int64> {
                let stamp = FrameStamp(microseconds: time * 1_000, isDriverTime: true, lostBefore: 0)
                try await film.keep(CapturedFrame(bytes: [1], format: Frames.motionJPEG, stamp: stamp))
            }
            #expect(await film.badInARow == 60)
            #expect(await film.dropped == 0)
        }
    }

    @Test func `a recording with pre-roll is paused from its first moment`() async {
        let desk = RecordingDesk()
        #expect(await desk.add("r1", owner: .user(1000), isPaused: true).pause.isPaused)
        #expect(await !desk.add("r2", owner: .user(1000)).pause.isPaused)
        var asked = CaptureSettings(camera: "back")
        asked.preRoll = 2.5
        #expect(FilmPlan(asked).preRoll == 2_500_000)
    }
}
