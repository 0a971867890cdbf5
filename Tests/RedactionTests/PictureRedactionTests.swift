import Containers
import Imaging
import MessageSchema
import Redaction
import TestSupport
import Testing

/// Pictures that ffmpeg made and exiftool wrote everything into.
@Suite(
    .enabled(if: Tool.isInstalled("ffmpeg") && Tool.isInstalled("exiftool")),
    .timeLimit(.minutes(2))
)
struct `A picture without metadata` {
    private static let everything = [
        "-GPSLatitude=47.1", "-GPSLatitudeRef=N", "-GPSLongitude=9.5", "-GPSLongitudeRef=E", "-Make=Maker",
        "-Model=Model", "-Orientation#=6", "-Artist=Somebody", "-DateTimeOriginal=2024:05:06 07:08:09",
        "-SerialNumber=12345", "-XMP-exif:GPSLatitude=47.1", "-XMP-photoshop:City=Vaduz", "-XMP-dc:Title=Title",
    ]
    private static let jpegOnly = ["-IPTC:City=Vaduz", "-Comment=at home", "-Photoshop:CopyrightFlag=true"]

    private func tagged(_ name: String) throws -> [UInt8] {
        let more = name.hasSuffix("jpg") ? Self.jpegOnly : []
        return try Tool.tagged(name, Tool.pattern(name, ["-frames:v", "1"]), Self.everything + more)
    }

    @Test(arguments: ["a.jpg", "a.png", "a.tiff", "a.webp", "a.avif"])
    func `of the profile location keeps date, camera, owner and orientation, and no place`(name: String) throws {
        let file = try Cleaned(name, tagged(name), .location)
        let before = try #require(try Tool.tags(of: [(name, file.original)])[name])
        try #require(!before.places.isEmpty)
        let tags = try #require(try Tool.tags(of: [(name, file.bytes)])[name])
        #expect(tags.places.isEmpty, "\(tags.places)")
        #expect(!tags.keys.contains { $0.hasPrefix("XMP") || $0.hasPrefix("IPTC") || $0.hasPrefix("GPS") })
        #expect(tags["IFD0:Model"] == "Model")
        #expect(tags["IFD0:Artist"] == "Somebody")
        #expect(tags["IFD0:Orientation"] == "Rotate 90 CW")
        #expect(tags["ExifIFD:DateTimeOriginal"] == "2024:05:06 07:08:09")
        #expect(tags["ExifIFD:SerialNumber"] == "12345")
        #expect(tags["ExifTool:Warning"] == nil, "\(tags)")
        let frames = try Tool.frames(name, file.original)
        #expect(try frames != nil && Tool.frames(name, file.bytes) == frames)
    }

    @Test(arguments: ["a.jpg", "a.png", "a.tiff", "a.webp", "a.avif"])
    func `of the profile all keeps the orientation alone`(name: String) throws {
        let file = try Cleaned(name, tagged(name), .all)
        let before = try #require(try Tool.tags(of: [(name, file.original)])[name])
        try #require(!before.traces.isEmpty)
        let tags = try #require(try Tool.tags(of: [(name, file.bytes)])[name])
        #expect(tags.places.isEmpty && tags.traces.isEmpty, "\(tags.places) \(tags.traces)")
        #expect(tags["IFD0:Orientation"] == "Rotate 90 CW")
        #expect(tags["ExifTool:Warning"] == nil, "\(tags)")
        let frames = try Tool.frames(name, file.original)
        #expect(try frames != nil && Tool.frames(name, file.bytes) == frames)
    }

    @Test func `has no words in any form that were in it`() throws {
        for name in ["a.jpg", "a.png", "a.tiff", "a.webp", "a.avif"] {
            let file = try Cleaned(name, tagged(name), .all)
            let text = String(decoding: file.bytes, as: Unicode.ASCII.self)
            for word in ["Vaduz", "Somebody", "12345", "at home", "2024:05:06", "Maker"] {
                #expect(!text.contains(word), "\(name): \(word)")
            }
        }
    }

    @Test func `of GIF has no comment and no XMP, and is repeated as before`() throws {
        let gif = try Tool.tagged(
            "a.gif",
            Tool.pattern("a.gif", []),
            ["-Comment=at home", "-XMP-photoshop:City=Vaduz"]
        )
        let before = try #require(try Tool.tags(of: [("a.gif", gif)])["a.gif"])
        #expect(before.keys.contains { $0.hasSuffix(":Comment") } && !before.places.isEmpty)
        let file = try Cleaned("a.gif", gif, .location)
        let tags = try #require(try Tool.tags(of: [("a.gif", file.bytes)])["a.gif"])
        #expect(!tags.keys.contains { $0.hasSuffix(":Comment") } && tags.places.isEmpty)
        #expect(tags["GIF:AnimationIterations"] == before["GIF:AnimationIterations"])
        #expect(try Tool.frames("a.gif", file.bytes) == Tool.frames("a.gif", gif))
    }

    @Test func `of AVIF has no names of items and no words for readers`() throws {
        let avif = try Tool.pattern("a.avif", ["-frames:v", "1"])
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: Unicode.ASCII.self) }
        // What the encoder calls the picture.
        try #require(text(avif).contains("Color"))
        let file = try Cleaned("a.avif", avif, .location)
        #expect(!text(file.bytes).contains("Color"))
        #expect(try Tool.frames("a.avif", file.bytes) == Tool.frames("a.avif", avif))
        // Four bytes and the channels' depths: not zeros.
        let place = try #require(avif.indices.first { avif[$0...].starts(with: "pixi".utf8) })
        for name in ["udes", "altt", "free", "skip"] {
            var told = avif
            told.replaceSubrange(place..<place + 4, with: name.utf8)
            let size = Int(avif[place - 1])
            let cleaned = try Cleaned("a.avif", told, .location).bytes
            #expect(cleaned[(place + 4)..<(place - 4 + size)].allSatisfy { $0 == 0 }, "\(name)")
        }
    }

    @Test func `keeps its colour profile`() throws {
        let profile = [UInt8]("a profile".utf8)
        let jpeg = try Tool.pattern("a.jpg", ["-frames:v", "1"])
        let payload = Array("ICC_PROFILE\0\u{1}\u{1}".utf8) + profile
        let segment = [0xFF, 0xE2, 0, UInt8(payload.count + 2)] + payload
        let file = try Cleaned("a.jpg", Array(jpeg[..<2]) + segment + Array(jpeg[2...]), .all)
        #expect(String(decoding: file.bytes, as: Unicode.ASCII.self).contains("a profile"))
    }

    @Test func `ends with its end, whatever was behind it`() throws {
        for name in ["a.jpg", "a.png", "a.gif", "a.webp", "a.bmp"] {
            let picture = try Tool.pattern(name, ["-frames:v", "1"])
            let plain = try Cleaned(name, picture, .location).bytes
            let more = try Cleaned(name, picture + Array("a film behind it".utf8), .location).bytes
            #expect(more == plain, "\(name)")
        }
    }

    @Test(arguments: ["a.jpg", "a.png", "a.tiff", "a.webp", "a.gif", "a.avif", "a.bmp"])
    func `is refused when it ends too early`(name: String) throws {
        let picture = try Tool.pattern(name, ["-frames:v", "1"], size: "16x16")
        let type = FileType(recognising: RandomAccessBytes(picture))
        // TIFF may have a directory in front of its end, and padding behind it.
        let last = type == .tiff ? picture.count - 64 : picture.count - 1
        for count in stride(from: 0, through: last, by: 7) {
            #expect(throws: RedactionError.self, "\(name) of \(count)") {
                _ = try Redactor.redaction(
                    of: RandomAccessBytes(Array(picture.prefix(count))),
                    type: type,
                    profile: .location
                )
            }
        }
    }

    @Test func `is refused when a part is not known without which it can not be shown`() throws {
        let png = try Tool.pattern("a.png", ["-frames:v", "1"])
        let chunk: [UInt8] = [0, 0, 0, 0] + Array("ABCD".utf8) + [0, 0, 0, 0]
        #expect(throws: RedactionError(.unknownPart, "a critical chunk")) {
            _ = try Cleaned("a.png", Array(png.prefix(33)) + chunk + Array(png.dropFirst(33)), .all)
        }
        #expect(throws: RedactionError.self) { _ = try Cleaned("a.txt", Array("words".utf8), .location) }
    }
}
