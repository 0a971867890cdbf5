import Containers
import Foundation
import Media
import MessageSchema
import Movies
import Redaction
import TestSupport
import Testing

/// Films that ffmpeg and exiftool made.
@Suite(
    .enabled(if: Tool.isInstalled("ffmpeg") && Tool.isInstalled("exiftool")),
    .timeLimit(.minutes(2))
)
struct `A film without metadata` {
    private static let facts = [
        "-metadata", "location=+47.1000+009.5000/", "-metadata", "creation_time=2024-05-06T07:08:09Z", "-metadata",
        "make=Maker", "-metadata", "model=Model", "-metadata", "comment=at home", "-metadata", "title=Vaduz",
    ]
    private static let sound = ["-f", "lavfi", "-i", "sine=duration=1"]

    private func film(_ name: String, _ more: [String] = []) throws -> [UInt8] {
        try Tool.pattern(name, Self.sound + ["-c:v", "mjpeg", "-c:a", "aac"] + Self.facts + more)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: Unicode.ASCII.self) }

    static let kinds: [(String, [String])] = [
        ("a.mov", []), ("a.mp4", []), ("a.mov", ["-movflags", "use_metadata_tags"]),
        ("a.mp4", ["-movflags", "use_metadata_tags"]), ("a.mp4", ["-movflags", "faststart"]),
        ("a.mp4", ["-movflags", "frag_keyframe+empty_moov"]), ("a.mov", ["-movflags", "frag_keyframe+empty_moov"]),
        ("a.mp4", ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]),
        ("a.mp4", ["-movflags", "empty_moov", "-frag_duration", "500000"]),
        ("a.mp4", ["-movflags", "empty_moov+omit_tfhd_offset", "-frag_duration", "500000"]),
        ("a.mov", ["-timecode", "01:02:03:04"]),
        ("a.mov", ["-c:a", "pcm_s16le"]), ("a.mov", ["-c:a", "pcm_u8"]), ("a.3gp", ["-c:v", "h263", "-s", "176x144"]),
    ]

    @Test(arguments: kinds)
    func `of the profile location says no place, and plays the same`(name: String, more: [String]) throws {
        let file = try Cleaned(name, film(name, more), .location)
        #expect(file.bytes.count == file.original.count)
        let tags = try #require(try Tool.tags(of: [(name, file.bytes)])[name])
        #expect(tags.places.isEmpty, "\(tags.places)")
        #expect(tags["ExifTool:Warning"] == nil, "\(tags["ExifTool:Warning"] ?? "")")
        #expect(!text(file.bytes).contains("+47.1") && !text(file.bytes).contains("Vaduz"))
        let frames = try Tool.frames(name, file.original)
        #expect(try frames != nil && Tool.frames(name, file.bytes) == frames)
        #expect(MovieReader.read(RandomAccessBytes(file.bytes))?.location == nil)
    }

    @Test(arguments: kinds)
    func `of the profile all says nothing, and plays the same`(name: String, more: [String]) throws {
        let file = try Cleaned(name, film(name, more), .all)
        let tags = try #require(try Tool.tags(of: [(name, file.bytes)])[name])
        #expect(tags.places.isEmpty && tags.traces.isEmpty, "\(tags.places) \(tags.traces)")
        for word in ["+47.1", "Vaduz", "at home", "Maker"] { #expect(!text(file.bytes).contains(word)) }
        let frames = try Tool.frames(name, file.original)
        #expect(try frames != nil && Tool.frames(name, file.bytes) == frames)
    }

    @Test func `keeps date, maker and model with the profile location`() throws {
        let keys = [
            "-movflags", "use_metadata_tags", "-metadata", "com.apple.quicktime.make=Maker", "-metadata",
            "com.apple.quicktime.creationdate=2024-05-06T09:08:09+0200", "-metadata",
            "com.apple.quicktime.location.ISO6709=+47.1000+009.5000/",
        ]
        let file = try Cleaned("a.mov", film("a.mov", keys), .location)
        let found = try #require(MovieReader.read(RandomAccessBytes(file.bytes)))
        #expect(MovieReader.read(RandomAccessBytes(file.original))?.location != nil)
        #expect(found.location == nil)
        #expect(found.cameraMake == "Maker")
        #expect(found.date?.raw == "2024-05-06T09:08:09+0200")
        #expect(!text(file.bytes).contains("+47.1"))
    }

    @Test func `has no sample of a track that is neither picture nor sound`() throws {
        // Subtitles of some drones say where each frame was filmed.
        let words = try Tool.inTemporaryDirectory { place in
            let lines = "1\n00:00:00,000 --> 00:00:01,000\nGPS(9.5,47.1)\n"
            try Data(lines.utf8).write(to: place.appending(path: "a.srt"))
            let arguments = [
                "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1", "-i", "a.srt", "-c:v",
                "mjpeg", "-c:s", "mov_text", "a.mov",
            ]
            _ = try Tool.run("ffmpeg", arguments, in: place.path)
            return Array(try Data(contentsOf: place.appending(path: "a.mov")))
        }
        try #require(text(words).contains("GPS(9.5,47.1)"))
        let file = try Cleaned("a.mov", words, .location)
        #expect(!text(file.bytes).contains("GPS(9.5,47.1)"))
        #expect(try Tool.frames("a.mov", file.bytes) == Tool.frames("a.mov", words))
    }

    @Test func `has nothing in boxes and bytes that no player needs`() throws {
        let film = try film("a.mov")
        let secret = Array("GPS 47.1 9.5".utf8)
        let size: [UInt8] = [0, 0, 0, UInt8(8 + secret.count)]
        for name in ["uuid", "free", "skip", "gps ", "mdat"] {
            let file = try Cleaned("a.mov", film + size + Array(name.utf8) + secret, .location)
            #expect(file.bytes.count == film.count + 8 + secret.count)
            #expect(!text(file.bytes).contains("GPS 47.1"), "\(name)")
            #expect(try Tool.frames("a.mov", file.bytes) == Tool.frames("a.mov", film), "\(name)")
        }
    }

    @Test func `is refused when it ends too early, or its samples lie elsewhere`() throws {
        for name in ["a.mov", "a.mp4"] {
            let film = try film(name)
            for count in stride(from: 8, to: film.count - 8, by: max(1, film.count / 97)) {
                #expect(throws: RedactionError.self, "\(name) of \(count)") {
                    _ = try Redactor.redaction(
                        of: RandomAccessBytes(Array(film.prefix(count))),
                        type: .quickTime,
                        profile: .location
                    )
                }
            }
        }
        #expect(throws: RedactionError.self) { _ = try Cleaned("a.mkv", film("a.mkv"), .location) }
    }
}
