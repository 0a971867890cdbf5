import Foundation
import Media
import Movies
import Testing

@Suite(.timeLimit(.minutes(3)), .enabled(if: Recording.hasProbe))
struct FilmKindTests {
    @Test(arguments: Films.kinds)
    func `ffprobe knows container, codec, frames, times, turn and tags, and FFmpeg decodes all of it`(kind: Films.Kind)
        throws
    {
        try Recording.withPath { path in
            let (description, frames) = try Films.film(kind, frames: 40, keys: 10)
            var writer = try MovieWriter(description, file: try DescriptorMovieFile(creating: path))
            var time: Int64 = 5_000_000_000
            for (index, frame) in frames.enumerated() {
                try writer.append(frame.bytes, at: time, isKey: frame.isKey)
                time += index < 20 ? 100_000 : 200_000
            }
            let foreseen = writer.byteCount(adding: 0)
            let summary = try writer.finish()
            #expect(summary.frames == 40 && summary.durationMicroseconds == 6_000_000)
            #expect(summary.byteCount <= foreseen && foreseen - summary.byteCount < 4_000)

            let values = try Recording.probe(path)
            #expect(values["streams_stream_0_nb_read_frames"] == "40")
            #expect(values["streams_stream_0_nb_frames"] == "40")
            #expect(values["streams_stream_0_codec_name"] == (kind.codec == .jpeg ? "mjpeg" : "h264"))
            let tag = kind.codec == .h264 ? "avc1" : kind.container == .mov ? "jpeg" : "mp4v"
            #expect(values["streams_stream_0_codec_tag_string"] == tag)
            #expect(values["streams_stream_0_width"] == "64" && values["streams_stream_0_height"] == "48")
            #expect(values["format_duration"] == "6.000000")
            #expect(values["format_tags_major_brand"] == (kind.container == .mov ? "qt  " : "isom"))
            #expect(values["streams_stream_0_side_data_list_side_data_0_rotation"] == "-90")
            #expect(values["format_tags_com_apple_quicktime_creationdate"] == "2026-11-30T03:45:00+0200")
            #expect(values["format_tags_com_apple_quicktime_model"] == "Pattern camera, back")
            #expect(try Films.complaints(path) == "")
            let keys = try Films.flags(path)
            #expect(keys == frames.map { $0.isKey ? "K_" : "__" })
        }
    }

    @Test(arguments: Films.kinds)
    func `what is known of the colours is told, and what H.264 says itself comes before it`(kind: Films.Kind) throws {
        try Recording.withPath { first in
            for says in [false, true] where kind.codec == .h264 || !says {
                let words = ["-colorspace", "bt470bg", "-color_primaries", "bt470bg", "-color_trc", "bt709"]
                var (description, frames) = try Films.film(kind, frames: 3, options: says ? words : [])
                description.colours = MovieColours(
                    PictureColours(primaries: 9, transfer: 8),
                    matrix: 1,
                    isFullRange: false
                )
                let path = says ? first + "-said" : first
                var writer = try MovieWriter(description, file: try DescriptorMovieFile(creating: path))
                for (index, frame) in frames.enumerated() {
                    try writer.append(frame.bytes, at: Int64(index) * 100_000, isKey: frame.isKey)
                }
                _ = try writer.finish()
                let values = try Recording.probe(path)
                #expect(values["streams_stream_0_color_primaries"] == (says ? "bt470bg" : "bt2020"))
                #expect(values["streams_stream_0_color_transfer"] == (says ? "bt709" : "linear"))
                let matrices = kind.codec == .jpeg || says ? ["bt470bg", "smpte170m"] : ["bt709"]
                #expect(matrices.contains(values["streams_stream_0_color_space"] ?? ""))
                #expect(try Films.complaints(path) == "")
            }
        }
    }

    @Test(arguments: Films.kinds)
    func `before it is finished, a film plays up to its last fragment, each of which begins with a key`(
        kind: Films.Kind
    )
        throws
    {
        try Recording.withPath { path in
            // A key each ten frames of a tenth of a second: each second, as a fragment.
            let (description, frames) = try Films.film(kind, frames: 35, keys: 10)
            var writer = try MovieWriter(description, file: try DescriptorMovieFile(creating: path))
            for (index, frame) in frames.enumerated() {
                try writer.append(frame.bytes, at: Int64(index) * 100_000, isKey: frame.isKey)
            }
            let values = try Recording.probe(path)
            #expect(values["streams_stream_0_nb_read_frames"] == "30")
            #expect(values["format_tags_com_apple_quicktime_make"] == "Obscura")
            #expect(try Films.complaints(path) == "")
            #expect(try Films.flags(path) == frames.prefix(30).map { $0.isKey ? "K_" : "__" })
            #expect(try fragments(path) == [10, 10, 10])
        }
    }

    @Test func `where keys are far apart, a fragment still ends after five quarters of its time`() throws {
        try Recording.withPath { path in
            let kind = Films.Kind(container: .mp4, codec: .h264)
            let (description, frames) = try Films.film(kind, frames: 40, keys: 40)
            var writer = try MovieWriter(description, file: try DescriptorMovieFile(creating: path))
            for (index, frame) in frames.enumerated() {
                try writer.append(frame.bytes, at: Int64(index) * 100_000, isKey: frame.isKey)
            }
            #expect(try fragments(path) == [13, 13, 13])
            #expect(try Films.complaints(path) == "")
            #expect(try Recording.probe(path)["streams_stream_0_nb_read_frames"] == "39")
        }
    }

    @Test func `a film can not begin with a picture that needs another`() throws {
        let (description, frames) = try Films.film(Films.Kind(container: .mov, codec: .h264), frames: 3)
        var writer = try MovieWriter(description, file: MemoryMovieFile())
        #expect(throws: MovieError(.badFrame)) { try writer.append(frames[1].bytes, at: 0, isKey: false) }
        try writer.append(frames[0].bytes, at: 0, isKey: true)
        try writer.append(frames[1].bytes, at: 100_000, isKey: false)
        #expect(try writer.finish().frames == 2)
    }

    /// Each turn's name, and what ffprobe says of it: degrees counter-clockwise of the matrix.
    static let turns: [(Orientation, String?)] = [
        (.up, nil), (.down, "-180"), (.right, "-90"), (.left, "90"),
    ]

    @Test(arguments: turns, FilmContainer.allCases)
    func `the turn of the picture is in the track's matrix`(turn: (Orientation, String?), container: FilmContainer)
        throws
    {
        try Recording.withPath { path in
            let (plain, frames) = try Films.film(Films.Kind(container: container, codec: .jpeg), frames: 2)
            var description = plain
            description.orientation = turn.0
            var writer = try MovieWriter(description, file: try DescriptorMovieFile(creating: path))
            for (index, frame) in frames.enumerated() { try writer.append(frame.bytes, at: Int64(index) * 100_000) }
            _ = try writer.finish()
            let values = try Recording.probe(path)
            let said = values["streams_stream_0_side_data_list_side_data_0_rotation"]
            #expect(said.map { $0 == "180" ? "-180" : $0 } == turn.1)
        }
    }

    /// How many samples each fragment has, from its `trun`.
    private func fragments(_ path: String) throws -> [Int] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        return BoxHeader.children(of: bytes[...]).filter { $0.name == "moof" }.map { box in
            let place = Int(box.payloadStart) + 72
            return bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
