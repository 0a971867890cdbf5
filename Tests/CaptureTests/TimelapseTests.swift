import Cameras
import Containers
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
struct TimelapseTests {
    private static let second: Int64 = 1_000_000

    private static func plan(
        _ interval: Double,
        framesPerSecond: Double = 10,
        _ container: FilmContainer = .mov,
        _ codec: FilmCodec? = nil
    ) -> FilmPlan {
        var plan = FilmPlan()
        plan.container = container
        plan.codec = codec
        plan.timelapse = Timelapse(interval: interval, framesPerSecond: framesPerSecond)
        return plan
    }

    /// What ffprobe says of a film.
    private static func probe(_ path: String) throws -> [String: String] {
        let words = ["-v", "error", "-count_frames", "-show_streams", "-show_format", "-of", "flat=s=_", path]
        let pairs = try Tool.text("ffprobe", words).split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), parts[1].trimmingCharacters(in: ["\""])) : nil
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// When each picture is shown, in milliseconds.
    private static func times(_ path: String) throws -> [Int] {
        let words = ["-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path]
        return try Tool.text("ffprobe", words).split(separator: "\n").compactMap { line in
            Double(line.filter { $0.isNumber || $0 == "." }).map { Int(($0 * 1_000).rounded()) }
        }
    }

    /// Films frames whose starts are in milliseconds, and reads the pattern's numbers of those that are in the film.
    private static func film(
        _ starts: [Int64],
        _ plan: FilmPlan,
        maximum: Int64 = .max,
        pausedBefore: Set<Int> = [],
        bad: Set<Int> = []
    ) async throws -> (film: FilmWriter, numbers: [Int?], times: [Int]) {
        try await withTemporaryDirectory { folder in
            let path = folder + "/film"
            let film = FilmWriter(path: path, plan: plan)
            let frames = try starts.enumerated().map { index, start in
                let frame = try Frames.jpeg(index, at: second + start * 1_000)
                return bad.contains(index)
                    ? CapturedFrame(bytes: [1, 2], format: Frames.motionJPEG, stamp: frame.stamp) : frame
            }
            try await film.begin(frames[0], maximum: maximum) { _ in Frames.description }
            for (index, frame) in frames.enumerated() where await !film.isComplete {
                if pausedBefore.contains(index) { try await film.pause() }
                try await film.add(frame)
            }
            _ = try await film.finish()
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let numbers = try MovieSamples(RandomAccessBytes(bytes)).samples.map { sample in
                try Frames.index(in: Array(bytes[Int(sample.offset)...].prefix(sample.byteCount)))
            }
            return (film, numbers, try times(path))
        }
    }

    // MARK: Due times

    static let grids: [(interval: Double, frames: [Int64], taken: [Int64], missed: Int64)] = [
        // Each frame is due.
        (1, [0, 1_000, 2_000], [0, 1_000, 2_000], 0),
        // The first frame after each due time; late ones shift nothing.
        (1, [0, 400, 900, 1_300, 1_700, 2_100, 2_900, 3_000], [0, 1_300, 2_100, 3_000], 0),
        // One frame can not be two pictures.
        (1, [0, 3_500, 3_900, 4_000], [0, 3_500, 4_000], 2),
        (0.1, [0, 99, 100, 350, 399, 400], [0, 100, 350, 400], 1),
        // What is still awaited is not missed yet.
        (10, [0, 9_999], [0], 0), (3_600, [0, 3_599_999, 3_600_000], [0, 3_600_000], 0),
    ]

    @Test(arguments: grids)
    func `the first frame at or after each due time is taken, and a time without one is missed`(
        interval: Double,
        frames: [Int64],
        taken: [Int64],
        missed: Int64
    ) {
        var due = DueTimes(Timelapse(interval: interval))
        var found: [Int64] = []
        for frame in frames where due.needsPicture(at: frame * 1_000) {
            due.take(at: frame * 1_000)
            found.append(frame)
        }
        #expect(found == taken)
        #expect(due.missed(by: (frames.last ?? 0) * 1_000) == missed)
    }

    @Test func `a camera that gives nothing until the end missed what was due`() {
        var due = DueTimes(Timelapse(interval: 1))
        due.take(at: 0)
        #expect(due.missed(by: 5_500_000) == 4)
        due.take(at: .max / 2)
        #expect(due.nextDue > 0)
    }

    @Test func `pictures lie evenly in the film, however many there are`() {
        for rate in [1, 23.976, 25, 29.97, 30, 120] {
            let timelapse = Timelapse(interval: 1, framesPerSecond: rate)
            #expect(timelapse.time(of: 0) == 0)
            let million = Double(timelapse.time(of: 1_000_000))
            #expect(abs(million - 1e12 / rate) < 1)
        }
        // A second of filming is what may be lost.
        #expect(Timelapse(interval: 0.1, framesPerSecond: 30).fragmentMicroseconds == 333_333)
        #expect(Timelapse(interval: 3_600, framesPerSecond: 120).fragmentMicroseconds == 2)
    }

    // MARK: Films

    @Test func `a late frame shifts no later one, and what is missed is neither made up nor waited for`() async throws {
        // Two seconds are due without a frame.
        let starts: [Int64] = [0, 500, 1_400, 2_000, 2_500, 5_100, 5_900, 6_000]
        let (film, numbers, times) = try await Self.film(starts, Self.plan(1))
        #expect(numbers == [0, 2, 3, 5, 7])
        #expect(times == [0, 100, 200, 300, 400])
        #expect(await film.frames == 5)
        #expect(await film.missed == 2)
        #expect(await film.dropped == 0)
        #expect(await film.duration == 500_000)
        #expect(await film.filmed == 6_000_000)
        // Three seconds without a frame are no cut of a timelapse.
        #expect(await film.cuts == nil)
    }

    @Test func `a frame that is no picture is not the picture; the next good one is`() async throws {
        let (film, numbers, _) = try await Self.film(
            [0, 1_000, 1_100, 1_200, 2_000],
            Self.plan(1),
            bad: [1, 2]
        )
        #expect(numbers == [0, 3, 4])
        #expect(await film.dropped == 2)
        #expect(await film.missed == 0)
    }

    @Test func `due times wait in a pause, and the film is cut there`() async throws {
        let starts: [Int64] = [0, 500, 1_000, 1_500, 600_000, 600_500, 601_000]
        let (film, numbers, _) = try await Self.film(starts, Self.plan(1), pausedBefore: [4])
        // The frame after the pause follows the one before, so that the next picture is due half a second later.
        #expect(numbers == [0, 2, 5])
        let cut = try #require(await film.cuts?.first)
        #expect(cut.reason == .pause && cut.at == 0.2)
        #expect(await film.missed == 0)
    }

    static let maxima: [(Int64, [Int?])] = [
        // Frames come each half second: the one that is due at the end is not in it.
        (3_000, [0, 2, 4]), (3_001, [0, 2, 4, 6]), (2_500, [0, 2, 4]), (100, [0]),
    ]

    @Test(arguments: maxima)
    func `the maximum is time of filming, not of the film`(maximum: Int64, expected: [Int?]) async throws {
        let (film, numbers, _) = try await Self.film(
            (0..<8).map { $0 * 500 },
            Self.plan(1),
            maximum: maximum * 1_000
        )
        #expect(numbers == expected)
        #expect(await film.isComplete)
    }

    /// What a camera gives.
    enum Source: CaseIterable { case raw, jpeg, h264 }

    @Test(arguments: Source.allCases, FilmContainer.allCases)
    func `there are timelapses of every codec in every container, and they play evenly`(
        source: Source,
        container: FilmContainer
    ) async throws {
        let raw = (0..<40).map { Frames.raw($0, at: 1_000_000 + Int64($0) * 100_000) }
        let frames =
            switch source {
            case .raw: raw
            case .jpeg: try (0..<40).map { try Frames.jpeg($0, at: 1_000_000 + Int64($0) * 100_000) }
            // Keys each 700 ms: of a camera's own H.264 they alone can be taken.
            case .h264: try H264Frames.make(raw, keys: 7)
            }
        try await withTemporaryDirectory { folder in
            let film = FilmWriter(path: folder + "/film", plan: Self.plan(0.5, framesPerSecond: 30, container))
            try await film.begin(frames[0]) { _ in Frames.description }
            for frame in frames { try await film.add(frame) }
            _ = try await film.finish()
            let count = source == .h264 ? 6 : 8
            #expect(await film.frames == Int64(count))
            let stream = try Self.probe(folder + "/film")
            #expect(stream["streams_stream_0_nb_read_frames"] == "\(count)")
            #expect(stream["streams_stream_0_r_frame_rate"] == "30/1")
            let duration = try #require(stream["streams_stream_0_duration"].flatMap { Double($0) })
            #expect(abs(duration - Double(count) / 30) < 0.000_1)
            #expect(await film.missed == (source == .h264 ? 2 : 0))
        }
    }

    @Test(arguments: [FilmCodec.jpeg, .h264])
    func `each picture is on the disk before the next is due`(codec: FilmCodec) async throws {
        try await withTemporaryDirectory { folder in
            let film = FilmWriter(path: folder + "/film", plan: Self.plan(60, .mov, codec))
            let first = Frames.raw(0, at: Self.second)
            try await film.begin(first) { _ in Frames.description }
            for index in 0..<4 as Range<Int64> {
                try await film.add(Frames.raw(Int(index), at: Self.second + index * 60 * Self.second))
                // What a kill now would leave.
                let copy = "\(folder)/left-\(index)"
                try FileManager.default.copyItem(atPath: folder + "/film", toPath: copy)
                var file = try DescriptorMovieFile(opening: copy)
                guard case .recovered(let found) = try MovieRecovery.recover(&file) else {
                    Issue.record("It was whole.")
                    return
                }
                #expect(found.frames == Int(index) + 1 && found.lostFrames == 0)
            }
            _ = try await film.finish()
        }
    }

    @Test func `a timelapse is no larger than it may be`() async throws {
        var plan = Self.plan(1)
        plan.maximumByteCount = 30_000
        let (film, numbers, _) = try await Self.film((0..<60).map { $0 * 1_000 }, plan)
        #expect(await film.isComplete)
        #expect(numbers.count > 2 && numbers.count < 60)
    }

    // MARK: Recordings

    @Test func `a silent camera ends it when the time of filming is over, not that of the film`() async throws {
        try await withTemporaryDirectory { folder in
            let camera = ScriptedCamera()
            let clock = ManualClock()
            let (told, telling) = AsyncStream<RecordingProgress>.makeStream()
            let recording = Recording(
                id: "r",
                camera: camera.camera,
                session: CameraSession(device: camera),
                film: FilmWriter(path: folder + "/film", plan: Self.plan(1)),
                stop: Latch(),
                clock: clock
            )
            async let outcome = recording.run(
                WantedFormat(),
                maximum: 60 * Self.second,
                check: {},
                isGone: { false },
                progress: { telling.yield($0) }
            )
            await camera.changed(1)
            await clock.nextTimerScheduled()
            var progress = told.makeAsyncIterator()
            for index in 0..<4 as Range<Int64> {
                await camera.send(Frames.raw(Int(index), at: Self.second + index * 500_000))
                let state = try #require(await progress.next())
                #expect(state.frames == index / 2 + 1 && state.missedPictures == 0)
            }
            await clock.nextTimerScheduled()
            clock.advance(by: .seconds(61))
            guard case .complete = await outcome.end else {
                Issue.record("The film broke.")
                return
            }
            #expect(await recording.film.frames == 2)
        }
    }

    @Test func `what is asked is a plan, a day long unless something else is asked`() {
        var asked = CaptureSettings(camera: "back")
        #expect(FilmPlan(asked).timelapse == nil && asked.filmingSeconds == 600)
        asked.interval = 10
        #expect(FilmPlan(asked).timelapse == Timelapse(interval: 10, framesPerSecond: 30))
        #expect(asked.filmingSeconds == 86_400)
        asked.playbackFramesPerSecond = 25
        asked.maximumDuration = 3_600
        #expect(FilmPlan(asked).timelapse == Timelapse(interval: 10, framesPerSecond: 25))
        #expect(asked.filmingSeconds == 3_600)
    }
}
