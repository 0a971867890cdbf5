import Cameras
import Encoding
import Media
import MessageSchema
import Movies
import TestSupport
import Testing
import Video4Linux

@testable import CaptureService

/// What a film tells of its colours, and what a player makes of it: bars of known colours, with FFmpeg as the player.
@Suite(.timeLimit(.minutes(2)), .enabled(if: Tool.isInstalled("ffprobe")))
struct FilmColourTests {
    struct Source: Sendable, CustomTestStringConvertible {
        let isRec709, isFullRange: Bool
        let container: FilmContainer
        let codec: FilmCodec

        var testDescription: String {
            "\(isRec709 ? "BT.709" : "BT.601")\(isFullRange ? ", full range," : "") to \(codec) in \(container)"
        }

        var format: VideoFormat {
            VideoFormat(
                pixelFormat: .yuyv,
                width: ColourBars.width,
                height: 96,
                bytesPerRow: ColourBars.width * 2,
                imageByteCount: ColourBars.width * 2 * 96,
                isFullRange: isFullRange,
                isRec709: isRec709,
                colours: isRec709 ? PictureColours(primaries: 1, transfer: 1) : .sRGB
            )
        }

        func frame(_ index: Int) -> CapturedFrame {
            CapturedFrame(
                bytes: ColourBars.yuyv(height: 96, isRec709: isRec709, isFullRange: isFullRange),
                format: format,
                stamp: FrameStamp(microseconds: 1_000_000 + Int64(index) * 100_000, isDriverTime: true, lostBefore: 0)
            )
        }
    }

    static let sources: [Source] = [false, true].flatMap { isRec709 in
        [false, true].flatMap { isFullRange in
            FilmContainer.allCases.flatMap { container in
                FilmCodec.allCases.map {
                    Source(isRec709: isRec709, isFullRange: isFullRange, container: container, codec: $0)
                }
            }
        }
    }

    private static func told(_ path: String) throws -> [String: String] {
        let entries = "stream=pix_fmt,color_range,color_space,color_transfer,color_primaries"
        let words = ["-v", "error", "-select_streams", "v:0", "-show_entries", entries, "-of", "default=nw=1", path]
        let pairs = try Tool.text("ffprobe", words).split(separator: "\n").map { line in
            let parts = line.split(separator: "=", maxSplits: 1)
            return (String(parts[0]), String(parts.last ?? ""))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func write(_ frames: [CapturedFrame], _ plan: FilmPlan, _ path: String) async throws {
        let film = FilmWriter(path: path, plan: plan)
        try await film.begin(frames[0]) { frame in
            var description = Frames.description
            description.width = frame.format.width
            description.height = frame.format.height
            description.colours = frame.format.movieColours
            return description
        }
        for frame in frames { try await film.add(frame) }
        _ = try await film.finish()
    }

    @Test(arguments: sources)
    func `bars have their colours in a player, and the film tells how they are coded`(source: Source) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/film"
            var plan = FilmPlan()
            (plan.container, plan.codec, plan.quality) = (source.container, source.codec, .high)
            try await Self.write((0..<3).map(source.frame), plan, path)
            let shown = ["-v", "error", "-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
            let pixels = Array(try Tool.run("ffmpeg", shown))
            #expect(ColourBars.distance(pixels, width: ColourBars.width, height: 96) <= 8)
            let told = try Self.told(path)
            #expect(told["color_primaries"] == "bt709")
            #expect(told["color_transfer"] == (source.isRec709 ? "bt709" : "iec61966-2-1"))
            if source.codec == .h264 {
                // Not converted: the matrix is the camera's.
                #expect(told["color_space"] == (source.isRec709 ? "bt709" : "smpte170m"))
                #expect(told["color_range"] == "tv")
            } else {
                // A JPEG has one matrix, which FFmpeg calls by either of its names.
                #expect(["smpte170m", "bt470bg"].contains(told["color_space"]))
                #expect(told["color_range"] == "pc")
            }
        }
    }

    @Test(arguments: FilmContainer.allCases)
    func `a camera's own H.264 that does not say it gets what the driver says`(container: FilmContainer) async throws {
        try await withTemporaryDirectory { folder in
            let source = Source(isRec709: true, isFullRange: false, container: container, codec: .h264)
            let stream = folder + "/stream.h264"
            let bars = Array(source.frame(0).bytes)
            // Made without a word about colours.
            let made = try Tool.silentStream(of: bars, width: ColourBars.width, height: 96, at: stream)
            let silent = try #require(H264AccessUnit(annexB: made)?.configuration)
            #expect(silent.parameters.colours == nil && !silent.parameters.isFullRange)
            let format = VideoFormat(
                pixelFormat: .h264,
                width: ColourBars.width,
                height: 96,
                bytesPerRow: 0,
                imageByteCount: 1 << 16,
                isRec709: true,
                colours: PictureColours(primaries: 1, transfer: 1)
            )
            let frames = (0..<3).map { index in
                CapturedFrame(bytes: made, format: format, stamp: source.frame(index).stamp)
            }
            var plan = FilmPlan()
            plan.container = container
            try await Self.write(frames, plan, folder + "/film")
            let told = try Self.told(folder + "/film")
            #expect(told["color_space"] == "bt709" && told["color_primaries"] == "bt709")
            #expect(told["color_transfer"] == "bt709")
        }
    }
}

extension Tool {
    /// One key of H.264 of a YUYV picture, in which nothing is said about colours.
    fileprivate static func silentStream(of yuyv: [UInt8], width: Int, height: Int, at path: String) throws -> [UInt8] {
        let before = ["-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuyv422", "-s", "\(width)x\(height)", "-i"]
        let after = [
            "-frames:v", "1", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-x264-params", "aud=1:repeat-headers=1", "-f",
            "h264", "-",
        ]
        return Array(try run("ffmpeg", before, file: yuyv, after))
    }
}
