import Containers
import Foundation
import Media
import Movies
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct MovieSamplesTests {
    @Test(arguments: Films.kinds)
    func `a film is read with the bytes, times and keys it was written with`(kind: Films.Kind) throws {
        let (description, frames) = try Films.film(kind, frames: 23)
        var writer = try MovieWriter(description, file: MemoryMovieFile())
        var times: [Int64] = []
        var time: Int64 = 7_000_000
        for (index, frame) in frames.enumerated() {
            try writer.append(frame.bytes, at: time, isKey: frame.isKey)
            times.append(time - 7_000_000)
            time += index % 3 == 0 ? 100_000 : 200_000
        }
        _ = try writer.finish()
        let bytes = writer.file.bytes
        let film = try MovieSamples(RandomAccessBytes(bytes))
        #expect(film.width == 64 && film.height == 48)
        #expect(film.pictures == description.pictures)
        #expect(film.samples.map(\.microseconds) == times)
        #expect(film.samples.map(\.isKey) == frames.map(\.isKey))
        #expect(film.samples.map { Array(bytes[Int($0.offset)...].prefix($0.byteCount)) } == frames.map(\.bytes))
        #expect(film.durationMicroseconds == times[22] + 200_000)
    }

    static let foreign: [([String], MovieSamples.Refusal?)] = [
        (["-c:v", "mjpeg", "film.mov"], nil), (["-c:v", "mjpeg", "film.mp4"], nil),
        (["-c:v", "libx264", "-bf", "0", "film.mp4"], nil), (["-c:v", "libx264", "-bf", "0", "film.mov"], nil),
        // Pictures out of order, fragments, other codecs.
        (["-c:v", "libx264", "-bf", "2", "-b_strategy", "0", "film.mp4"], .outOfOrder),
        (["-c:v", "libx264", "-bf", "0", "-movflags", "frag_keyframe+empty_moov", "film.mp4"], .fragments),
        (["-c:v", "mpeg4", "film.mp4"], .codec("mp4v")), (["-c:v", "png", "film.mov"], .codec("png ")),
        (["-c:v", "mjpeg", "-f", "matroska", "film.mkv"], .noMovie),
    ]

    @Test(.enabled(if: Recording.hasProbe), arguments: foreign)
    func `films of FFmpeg are read, or refused`(arguments: [String], refusal: MovieSamples.Refusal?) throws {
        try Recording.withPath { path in
            let file = path.replacing("film.mov", with: arguments.last ?? "")
            let source = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25", "-frames:v", "10"]
            let pixels = [
                "-pix_fmt", arguments.contains("png") ? "rgb24" : arguments.contains("mjpeg") ? "yuvj420p" : "yuv420p",
            ]
            let made = try Films.run("ffmpeg", source + pixels + arguments.dropLast() + [file])
            #expect(made.words == "")
            let bytes = RandomAccessBytes([UInt8](try Data(contentsOf: URL(filePath: file))))
            if let refusal {
                #expect(throws: refusal) { try MovieSamples(bytes) }
                return
            }
            let film = try MovieSamples(bytes)
            #expect(film.samples.map(\.microseconds) == (0..<10).map { Int64($0) * 40_000 })
            #expect(film.width == 96 && film.durationMicroseconds == 400_000)
        }
    }

    @Test(arguments: Films.kinds)
    func `single bytes changed anywhere never trap`(kind: Films.Kind) throws {
        let whole = try Films.written(kind, frames: 7, finishing: true)
        // The index lies at the end.
        for index in TestExtent.indices(max(0, whole.count - 1_200)...whole.count - 1, every: 13) {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var bytes = whole
                bytes[index] = value
                _ = try? MovieSamples(RandomAccessBytes(bytes))
            }
        }
    }
}
