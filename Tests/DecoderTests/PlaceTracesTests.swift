import Containers
import DecoderService
import Foundation
import Imaging
import Media
import TestSupport
import Testing

private func mayHoldPlace(_ bytes: [UInt8]) -> Bool? {
    Inspector(headersOnly: true).inspect(RandomAccessBytes(bytes)).mayHoldPlace
}

/// Whether an original may be shown to somebody who may not know where it was made.
@Suite(.enabled(if: Tool.isInstalled("ffmpeg")), .timeLimit(.minutes(2)))
struct `The traces of a place` {
    /// Without the comment that FFmpeg writes otherwise.
    private static let plain = ["-frames:v", "1", "-flags", "+bitexact"]

    private func jpeg() throws -> [UInt8] { try Tool.pattern("a.jpg", Self.plain) }

    /// The picture with one more segment behind its first one.
    private func adding(_ marker: UInt8, _ payload: [UInt8], to jpeg: [UInt8]) throws -> [UInt8] {
        let first = try #require(try JPEGSegments(jpeg).segments.first)
        let length = payload.count + 2
        let segment = [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
        return Array(jpeg[..<first.end]) + segment + Array(jpeg[first.end...])
    }

    /// An EXIF block whose main directory has these entries: tag, type, count, value.
    private func exif(_ entries: [(UInt16, UInt16, UInt32, UInt32)], rest: [UInt8] = []) -> [UInt8] {
        func little(_ value: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        }
        var bytes = Array("Exif\0\0".utf8) + [0x49, 0x49, 42, 0, 8, 0, 0, 0] + little(UInt32(entries.count), 2)
        for entry in entries {
            bytes += little(UInt32(entry.0), 2) + little(UInt32(entry.1), 2) + little(entry.2, 4) + little(entry.3, 4)
        }
        return bytes + [0, 0, 0, 0] + rest
    }

    @Test(arguments: ["a.jpg", "a.png", "a.bmp", "a.tiff", "a.webp", "a.avif"])
    func `are not in a plain picture`(name: String) throws {
        #expect(mayHoldPlace(try Tool.pattern(name, Self.plain)) == false)
    }

    @Test(arguments: ["a.mov", "a.mp4"])
    func `are not in a plain film`(name: String) throws {
        let film = try Tool.pattern(name, ["-c:v", "mjpeg", "-metadata", "creation_time=2024-05-06T07:08:09Z"])
        #expect(mayHoldPlace(film) == false)
    }

    @Test func `are not in a picture with time and camera alone`() throws {
        #expect(mayHoldPlace(try adding(0xE1, exif([(0x0112, 3, 1, 6)]), to: try jpeg())) == false)
    }

    @Test func `may be wherever a GPS directory is, readable or not`() throws {
        let plain = try jpeg()
        // Coordinates without their hemispheres, none at all, a pointer to nowhere, and a pointer of an unknown type.
        let empty: [UInt8] = [1, 0, 0, 0, 1, 0, 4, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0]
        for (type, place) in [(UInt16(4), UInt32(26)), (4, 60_000), (99, 26), (4, 0)] {
            let block = exif([(0x8825, type, 1, place)], rest: empty)
            #expect(mayHoldPlace(try adding(0xE1, block, to: plain)) == true, "\(type) \(place)")
        }
        #expect(mayHoldPlace(try adding(0xE1, Array("Exif\0\0nothing".utf8), to: plain)) == true)
        #expect(mayHoldPlace(try adding(0xE1, exif([(0x8769, 4, 1, 60_000)]), to: plain)) == true)
        #expect(mayHoldPlace(try adding(0xE1, exif([(0x927C, 7, 4, 0)]), to: plain)) == true)
        #expect(mayHoldPlace(try adding(0xE1, exif([(0x02BC, 7, 4, 0)]), to: plain)) == true)
    }

    @Test func `may be in every segment that is not known to be harmless`() throws {
        let plain = try jpeg()
        let adobe = Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>".utf8)
        #expect(mayHoldPlace(try adding(0xE1, adobe, to: plain)) == true)
        #expect(mayHoldPlace(try adding(0xED, Array("Photoshop 3.0\0".utf8), to: plain)) == true)
        #expect(mayHoldPlace(try adding(0xE6, Array("GoPro\0".utf8), to: plain)) == true)
        #expect(mayHoldPlace(try adding(0xE2, Array("MPF\0".utf8), to: plain)) == true)
        #expect(mayHoldPlace(try adding(0xE2, Array("ICC_PROFILE\0\u{1}\u{1}".utf8), to: plain)) == false)
        #expect(mayHoldPlace(plain + Array("a film behind it".utf8)) == true)
        #expect(mayHoldPlace(plain + [0, 0, 0]) == false)
    }

    /// The same with a directory of EXIF below it that has one text.
    private func exif(below tag: UInt16) -> [UInt8] {
        let text: [UInt8] = [UInt8(tag & 0xFF), UInt8(tag >> 8), 2, 0, 4, 0, 0, 0] + Array("sea\0".utf8)
        return exif([(0x8769, 4, 1, 26)], rest: [1, 0] + text + [0, 0, 0, 0])
    }

    @Test func `may be in every text and number of EXIF that goes with the place, and in no other`() throws {
        let plain = try jpeg()
        // The words of Windows, private directories, and what nobody knows.
        for tag: UInt16 in [0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F, 0x8649, 0xC634, 0xEA1C, 0xFDE8] {
            #expect(mayHoldPlace(try adding(0xE1, exif([(tag, 1, 4, 0)]), to: plain)) == true, "\(tag)")
        }
        // The user's comment; temperature, humidity, pressure, depth of water, acceleration and elevation.
        for tag: UInt16 in [0x9286, 0x9400, 0x9401, 0x9402, 0x9403, 0x9404, 0x9405, 0x927C, 0xFE00] {
            #expect(mayHoldPlace(try adding(0xE1, exif(below: tag), to: plain)) == true, "\(tag)")
        }
        for tag: UInt16 in [0x9003, 0x9011, 0xA434] {
            #expect(mayHoldPlace(try adding(0xE1, exif(below: tag), to: plain)) == false, "\(tag)")
        }
        for tag: UInt16 in [0x010F, 0x0131, 0x013B] {
            #expect(mayHoldPlace(try adding(0xE1, exif([(tag, 2, 4, 0)]), to: plain)) == false, "\(tag)")
        }
    }

    @Test func `may be in comments, between scans, and in segments that nobody knows`() throws {
        let plain = try jpeg()
        let words = Array("made in Vaduz".utf8)
        for marker: UInt8 in [0xFE, 0xF0, 0xC8] {
            #expect(mayHoldPlace(try adding(marker, words, to: plain)) == true, "\(marker)")
        }
        #expect(mayHoldPlace(try adding(0xE0, Array("JFXX\0".utf8) + words, to: plain)) == true)
        #expect(mayHoldPlace(try adding(0xEE, Array("Adobe".utf8) + words, to: plain)) == true)
        let end = try #require(try JPEGSegments(plain).end)
        let comment = [0xFF, 0xFE, 0, UInt8(words.count + 2)] + words
        #expect(mayHoldPlace(Array(plain[..<(end - 2)]) + comment + [0xFF, 0xD9]) == true)
    }

    @Test func `may be in words of a PNG in a form that goes with the place`() throws {
        let png = try Tool.pattern("a.png", ["-frames:v", "1"])
        for (name, expected) in [("tEXt", false), ("zTXt", true), ("iTXt", true), ("teXt", true)] {
            let text = Array("Title\0\0\0\0\0Vaduz".utf8)
            let chunk = [0, 0, 0, UInt8(text.count)] + Array(name.utf8) + text + [0, 0, 0, 0]
            #expect(mayHoldPlace(Array(png[..<33]) + chunk + Array(png[33...])) == expected, "\(name)")
        }
    }

    /// The bytes with a name in them written over by another one.
    private func renaming(_ name: String, _ other: String, in bytes: [UInt8]) throws -> [UInt8] {
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name.utf8) })
        return Array(bytes[..<place]) + Array(other.utf8) + Array(bytes[(place + 4)...])
    }

    @Test(arguments: ["udes", "altt", "free", "gps "])
    func `may be in descriptions of a picture of HEIF`(property: String) throws {
        let avif = try Tool.pattern("a.avif", ["-frames:v", "1"])
        #expect(mayHoldPlace(avif) == false)
        #expect(mayHoldPlace(try renaming("pixi", property, in: avif)) == true)
    }

    @Test func `may be in boxes below the head of a film that are not known, and in space that is not empty`() throws {
        let film = try Tool.pattern("a.mov", ["-c:v", "mjpeg"])
        #expect(mayHoldPlace(film) == false)
        for name in ["vmhd", "stts", "mdhd"] {
            #expect(mayHoldPlace(try renaming(name, "gps ", in: film)) == true, "\(name)")
        }
        let words = Array("at home".utf8)
        for name in ["free", "skip", "wide"] {
            #expect(mayHoldPlace(film + [0, 0, 0, UInt8(words.count + 8)] + Array(name.utf8) + words) == true)
        }
    }

    @Test(arguments: [
        ("a.mov", ["-metadata", "title=Vaduz"]), ("a.mp4", ["-metadata", "title=Vaduz"]),
        ("a.mp4", ["-metadata", "comment=Vaduz"]),
        ("a.mov", ["-metadata", "location=+47.1000+009.5000/"]),
        ("a.mp4", ["-metadata", "location=+47.1000+009.5000/"]),
        ("a.mov", ["-movflags", "use_metadata_tags", "-metadata", "com.apple.quicktime.location.name=here"]),
        ("a.mov", ["-timecode", "01:02:03:04"]),
        ("a.mkv", []), ("a.avi", []), ("a.ts", ["-c:v", "libx264"]),
    ])
    func `may be in a film with a place, with other tracks or unread metadata`(name: String, more: [String]) throws {
        #expect(mayHoldPlace(try Tool.pattern(name, ["-c:v", "mjpeg"] + more)) == true)
    }

    @Test func `may be in boxes that are not known, at the top and below`() throws {
        let film = try Tool.pattern("a.mov", ["-c:v", "mjpeg"])
        #expect(mayHoldPlace(film + [0, 0, 0, 12] + Array("uuid".utf8) + [0, 0, 0, 0]) == true)
        #expect(mayHoldPlace(film + [0, 0, 0, 12] + Array("free".utf8) + [0, 0, 0, 0]) == false)
        #expect(mayHoldPlace(film + [1, 2, 3]) == true)
    }

    /// The names of what exiftool finds in a file.
    private struct Facts: Decodable {
        let name: String
        let keys: [String]

        private struct Key: CodingKey {
            let stringValue: String
            let intValue: Int? = nil

            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { return nil }
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            keys = values.allKeys.map(\.stringValue)
            guard let key = Key(stringValue: "SourceFile") else { preconditionFailure("any text is a key") }
            name = try values.decode(String.self, forKey: key)
        }
    }

    /// Groups of exiftool in which places stand; what it composes of them counts, too.
    @Test(.enabled(if: Corpus.isThere))
    func `may be in every real file in which exiftool finds a place, XMP or IPTC`() throws {
        let arguments = ["-json", "-a", "-G1", "-ee"] + Corpus.names
        let output = try Tool.run("exiftool", arguments, in: Corpus.directory)
        var found = 0
        for facts in try JSONDecoder().decode([Facts].self, from: output) {
            let name = facts.name
            let report = Inspector(headersOnly: true).inspect(RandomAccessBytes(try Corpus.bytes(name)))
            guard report.kind != .unknown else { continue }
            let keys = facts.keys.filter { key in
                ["XMP", "IPTC", "GPS"].contains { key.hasPrefix($0) } || key.contains("GPS") || key.contains("Location")
            }
            guard !keys.isEmpty else { continue }
            found += 1
            #expect(report.mayHoldPlace == true, "\(name): \(keys)")
        }
        #expect(found > 5)
    }
}
