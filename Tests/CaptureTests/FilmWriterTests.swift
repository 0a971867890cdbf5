import Cameras
import Encoding
import Foundation
import Imaging
import Media
import MessageSchema
import Movies
import TestSupport
import Testing
import Video4Linux

@testable import CaptureService

@Suite(.timeLimit(.minutes(2)))
struct FilmWriterTests {
    private static func plan(_ container: FilmContainer, _ codec: FilmCodec?, bytes: Int64? = nil) -> FilmPlan {
        var plan = FilmPlan()
        plan.container = container
        plan.codec = codec
        plan.maximumByteCount = bytes
        return plan
    }

    /// Films the frames, and gives what ffprobe says of the film.
    private static func film(
        _ frames: [CapturedFrame],
        _ plan: FilmPlan,
        pausedBefore: Set<Int> = []
    ) async throws -> (film: FilmWriter, stream: [String: String], keys: [Int]) {
        try await withTemporaryDirectory { try await write(frames, plan, $0 + "/film", pausedBefore) }
    }

    private static func write(
        _ frames: [CapturedFrame],
        _ plan: FilmPlan,
        _ path: String,
        _ pausedBefore: Set<Int>
    ) async throws -> (film: FilmWriter, stream: [String: String], keys: [Int]) {
        let film = FilmWriter(path: path, plan: plan)
        try await film.begin(frames[0]) { _ in Frames.description }
        for (index, frame) in frames.enumerated() where await !film.isComplete {
            if pausedBefore.contains(index) { try await film.pause() }
            try await film.add(frame)
        }
        let size = try await film.finish()
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64 == size)
        let words = ["-v", "error", "-count_frames", "-show_streams", "-show_format", "-of", "flat=s=_", path]
        let pairs = try Tool.text("ffprobe", words).split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), parts[1].trimmingCharacters(in: ["\""])) : nil
        }
        let flags = try Tool.text("ffprobe", ["-v", "error", "-show_entries", "packet=flags", "-of", "csv=p=0", path])
        let keys = flags.split(separator: "\n").enumerated().filter { $0.element.hasPrefix("K") }.map(\.offset)
        return (film, Dictionary(pairs, uniquingKeysWith: { first, _ in first }), keys)
    }

    /// Ten frames a second.
    private static func raw(_ count: Int) -> [CapturedFrame] {
        (0..<count).map { Frames.raw($0, at: 1_000_000 + Int64($0) * 100_000) }
    }

    private static func jpeg(_ count: Int) throws -> [CapturedFrame] {
        try (0..<count).map { try Frames.jpeg($0, at: 1_000_000 + Int64($0) * 100_000) }
    }

    /// Frames as a camera with an encoder of its own gives them: made by ours, from the pattern.
    private static func h264(_ count: Int, keys: Int) throws -> [CapturedFrame] {
        try H264Frames.make(raw(count), keys: keys)
    }

    static let wishes: [(FilmContainer, FilmCodec?, isJPEG: Bool, became: FilmCodec)] = [
        (.mov, nil, false, .jpeg), (.mov, .jpeg, false, .jpeg), (.mov, .h264, false, .h264), (.mp4, nil, false, .h264),
        (.mp4, .jpeg, false, .jpeg), (.mov, nil, true, .jpeg), (.mp4, nil, true, .jpeg), (.mp4, .h264, true, .h264),
    ]

    @Test(arguments: wishes)
    func `what is asked becomes a film of that kind, with the camera's own pictures where nothing is asked`(
        wish: (FilmContainer, FilmCodec?, isJPEG: Bool, became: FilmCodec)
    ) async throws {
        let frames = wish.isJPEG ? try Self.jpeg(21) : Self.raw(21)
        let (film, stream, keys) = try await Self.film(frames, Self.plan(wish.0, wish.1))
        #expect(await film.codec == wish.became)
        #expect(stream["streams_stream_0_codec_name"] == (wish.became == .h264 ? "h264" : "mjpeg"))
        #expect(stream["streams_stream_0_nb_read_frames"] == "21")
        #expect(stream["streams_stream_0_duration"] == "2.100000")
        #expect(stream["streams_stream_0_width"] == "128" && stream["streams_stream_0_height"] == "96")
        #expect(stream["format_tags_major_brand"] == (wish.0 == .mov ? "qt  " : "isom"))
        #expect(keys == (wish.became == .h264 ? [0, 10, 20] : Array(0..<21)))
        #expect(await film.dropped == 0)
    }

    @Test(arguments: FilmContainer.allCases)
    func `the camera's own H.264 is passed through from its first key on, byte for byte`(container: FilmContainer)
        async throws
    {
        let frames = try Self.h264(23, keys: 10)
        // Filming begins in the middle of a group.
        let (film, stream, keys) = try await Self.film(Array(frames.dropFirst(4)), Self.plan(container, nil))
        #expect(await film.codec == .h264)
        #expect(stream["streams_stream_0_codec_name"] == "h264")
        #expect(stream["streams_stream_0_nb_read_frames"] == "13")
        #expect(stream["streams_stream_0_duration"] == "1.300000")
        #expect(keys == [0, 10])
        #expect(await film.frames == 13)
        // Nothing of the film was lost.
        #expect(await film.dropped == 0)
        let sizes = frames.dropFirst(10).compactMap { H264AccessUnit(annexB: $0.bytes)?.sample.count }
        #expect(await film.bytes == Int64(sizes.reduce(0, +)))
    }

    @Test func `parameter sets in a buffer of their own are those of the next picture`() async throws {
        var frames = try Self.h264(3, keys: 10)
        let whole = AnnexB.units(of: frames[0].bytes).map { Array(frames[0].bytes[$0]) }
        let sets = whole.filter { [7, 8].contains($0[0] & 0x1F) }
        let rest = whole.filter { ![7, 8].contains($0[0] & 0x1F) }
        func frame(_ units: [[UInt8]], at time: Int64) -> CapturedFrame {
            H264Frames.frame(AnnexB.stream(of: units), at: time)
        }
        frames.replaceSubrange(0..<1, with: [frame(sets, at: 900_000), frame(rest, at: 1_000_000)])
        let (film, stream, _) = try await Self.film(frames, Self.plan(.mov, nil))
        #expect(stream["streams_stream_0_nb_read_frames"] == "3")
        #expect(await film.dropped == 0)
    }

    @Test func `a camera that never gives a key, or changes its format, is given up`() async throws {
        try await withTemporaryDirectory { path in
            let film = FilmWriter(path: path + "/a")
            let frames = try Self.h264(3, keys: 10)
            try await film.begin(frames[1]) { _ in Frames.description }
            await #expect(throws: CameraError.self) {
                for index in 0..<700 as Range<Int64> {
                    try await film.add(H264Frames.frame(frames[1].bytes, at: index * 33_333))
                }
            }
            #expect(await film.frames == 0)
            let other = FilmWriter(path: path + "/b")
            try await other.begin(frames[0]) { _ in Frames.description }
            try await other.add(frames[0])
            let changed = try H264Frames.make(Self.raw(1), keys: 1, effort: "veryfast")
            await #expect(throws: CameraError.self) {
                try await other.add(H264Frames.frame(changed[0].bytes, at: 9_000_000))
            }
            #expect(await other.frames == 1)
            _ = try await other.finish()
        }
    }

    @Test(arguments: [(FilmCodec.jpeg, Int64(40_000)), (.h264, 12_000)])
    func `a film is no larger than it may be, and plays`(codec: FilmCodec, limit: Int64) async throws {
        let (film, stream, _) = try await Self.film(Self.raw(200), Self.plan(.mov, codec, bytes: limit))
        #expect(await film.isComplete)
        let size = try #require(stream["format_size"].flatMap { Int64($0) })
        #expect(size <= limit && size > limit / 2)
        #expect(stream["streams_stream_0_nb_read_frames"] == "\(await film.frames)")
    }

    @Test(arguments: [FilmCodec.jpeg, .h264])
    func `a pause and a jump of the camera's time are cuts, not frozen pictures`(codec: FilmCodec) async throws {
        var frames = Self.raw(20)
        for index in 10..<20 { frames[index] = Frames.raw(index, at: 500_000_000 + Int64(index) * 100_000) }
        let (film, stream, keys) = try await Self.film(frames, Self.plan(.mp4, codec), pausedBefore: [5])
        #expect(stream["streams_stream_0_nb_read_frames"] == "20")
        #expect(stream["streams_stream_0_duration"] == "2.000000")
        let cuts = try #require(await film.cuts)
        #expect(cuts.map(\.reason) == [.pause, .timeJump])
        #expect(cuts.map(\.at) == [0.5, 1.0])
        // The encoder makes a key where the scene may be another.
        if codec == .h264 { #expect(keys == [0, 5, 10]) }
    }

    @Test func `after a pause the camera's own H.264 goes on at a key`() async throws {
        let frames = try Self.h264(30, keys: 10)
        let (film, stream, keys) = try await Self.film(frames, Self.plan(.mp4, nil), pausedBefore: [5])
        // Five before the pause; five that wait for the key.
        #expect(stream["streams_stream_0_nb_read_frames"] == "25")
        #expect(keys == [0, 5, 15])
        #expect(await film.dropped == 0)
    }
}

/// Frames of H.264 as a camera gives them.
enum H264Frames {
    static func frame(_ bytes: [UInt8], at time: Int64) -> CapturedFrame {
        CapturedFrame(
            bytes: bytes,
            format: Frames.format(.h264),
            stamp: FrameStamp(microseconds: time, isDriverTime: true, lostBefore: 0)
        )
    }

    /// Encodes frames, with a key each `keys`.
    static func make(_ raw: [CapturedFrame], keys: Int, effort: String = "ultrafast") throws -> [CapturedFrame] {
        let shape = try #require(Frames.yuyv.pictureShape)
        var encoder = try H264Encoder(shape, quality: H264Quality(constantRateFactor: 30, effort: effort))
        return try raw.enumerated().map { index, frame in
            // The encoder's own clock stands still, so that it makes no keys by itself.
            let made = try encoder.encode(frame.bytes, at: Int64(index) + 1, asKey: index % keys == 0)
            return Self.frame(try #require(made.first).bytes, at: frame.stamp.microseconds)
        }
    }
}
