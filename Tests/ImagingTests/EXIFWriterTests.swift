import Imaging
import Media
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EXIFWriterTests {
    static var fields: EXIFFields {
        var fields = EXIFFields(
            // 2026-11-30T01:45:00.123456Z
            time: CaptureTime(microsecondsSince1970: 1_796_003_100_123_456, offsetMinutes: 120),
            make: "Obscura",
            model: "Pattern camera, back",
            software: "obscura-capture",
            orientation: .right,
            width: 64,
            height: 48
        )
        fields.exposureMicroseconds = 10_000
        fields.isoSpeed = 200
        fields.flashFired = true
        return fields
    }

    @Test func `the scan is not touched, byte for byte`() throws {
        let jpeg = try Pictures.jpeg()
        let written = try EXIFWriter.written(Self.fields, into: jpeg)
        let before = try #require(try JPEGSegments(jpeg).scanStart)
        let after = try #require(try JPEGSegments(written).scanStart)
        #expect(written[after...] == jpeg[before...])
        #expect(try JPEGDecoder().decode(written) == JPEGDecoder().decode(jpeg))
    }

    @Test func `writing twice leaves one Exif segment`() throws {
        let once = try EXIFWriter.written(Self.fields, into: try Pictures.jpeg())
        let twice = try EXIFWriter.written(Self.fields, into: once)
        #expect(twice == once)
        #expect(try JPEGSegments(twice).segments.filter { $0.marker == 0xE1 }.count == 1)
    }

    @Test func `the AVI1 segment of a motion-JPEG frame is replaced and a comment is kept`() throws {
        let jpeg = try Pictures.jpeg()
        let avi: [UInt8] = [0xFF, 0xE0, 0, 8] + Array("AVI1".utf8) + [0, 0]
        let comment: [UInt8] = [0xFF, 0xFE, 0, 7] + Array("hello".utf8)
        let frame = Array(jpeg[..<2]) + avi + comment + Array(jpeg[2...])
        let segments = try JPEGSegments(try EXIFWriter.written(Self.fields, into: frame)).segments
        #expect(!segments.contains { $0.marker == 0xE0 })
        #expect(segments.first?.marker == 0xE1)
        #expect(segments.contains { $0.marker == 0xFE })
    }

    @Test func `texts longer than a segment are refused`() throws {
        var fields = Self.fields
        fields.model = String(repeating: "x", count: 70_000)
        let error = #expect(throws: JPEGError.self) { try EXIFWriter.written(fields, into: Pictures.jpeg()) }
        #expect(error?.code == .segmentTooLong)
    }

    @Test(.enabled(if: Tool.isInstalled("exiftool")))
    func `exiftool reads every field back`() throws {
        var fields = Self.fields
        fields.location = Location(latitude: -33.8567844, longitude: 151.2152967, altitude: -5.5)
        let written = try EXIFWriter.written(fields, into: try Pictures.jpeg())
        let tags = [
            "DateTimeOriginal", "SubSecTimeOriginal", "OffsetTimeOriginal", "ModifyDate", "Make", "Model", "Software",
            "Orientation", "ExifImageWidth", "ExifImageHeight", "ExposureTime", "ISO", "Flash", "GPSLatitude",
            "GPSLongitude", "GPSAltitude", "Warning",
        ]
        let lines = try Tool.text("exiftool", ["-n", "-s3", "-f"] + tags.map { "-\($0)" }, file: written)
        let values = lines.split(separator: "\n").map(String.init)
        #expect(
            values == [
                "2026:11:30 03:45:00", "123456", "+02:00", "2026:11:30 03:45:00", "Obscura", "Pattern camera, back",
                "obscura-capture", "6", "64", "48", "0.01", "200", "1", "-33.8567844", "151.2152967", "-5.5",
                "-",
            ]
        )
    }

    @Test(.enabled(if: Tool.isInstalled("exiftool")))
    func `no location is written unless it is given`() throws {
        let written = try EXIFWriter.written(Self.fields, into: try Pictures.jpeg())
        let lines = try Tool.text("exiftool", ["-G1", "-s", "-validate", "-warning", "-a"], file: written)
        #expect(!lines.contains("GPS"))
        #expect(lines.contains("OK"))
    }
}
