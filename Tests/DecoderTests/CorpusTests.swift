import Containers
import DecoderService
import Foundation
import Media
import Movies
import TestSupport
import Testing

/// Real files against `exiftool -json`: nothing here is made by our own writers.
@Suite(.enabled(if: Corpus.isThere), .timeLimit(.minutes(2)))
struct `The corpus of real files` {
    /// What exiftool says about a file; numbers where it prints numbers.
    private struct Facts: Decodable {
        var name: String
        var width: Double?
        var height: Double?
        var orientation: Double?
        var taken: String?
        var digitised: String?
        var changed: String?
        var latitude: Double?
        var longitude: Double?
        var altitude: Double?
        var duration: Double?
        var created: String?

        private enum CodingKeys: String, CodingKey {
            case name = "SourceFile"
            case width = "File:ImageWidth"
            case height = "File:ImageHeight"
            case orientation = "IFD0:Orientation"
            case taken = "ExifIFD:DateTimeOriginal"
            case digitised = "ExifIFD:CreateDate"
            case changed = "IFD0:ModifyDate"
            case latitude = "Composite:GPSLatitude"
            case longitude = "Composite:GPSLongitude"
            case altitude = "Composite:GPSAltitude"
            case duration = "QuickTime:Duration"
            case created = "QuickTime:CreateDate"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            // Empty texts stand where a value is not known.
            func number(_ key: CodingKeys) -> Double? { try? values.decode(Double.self, forKey: key) }
            func text(_ key: CodingKeys) -> String? { try? values.decode(String.self, forKey: key) }
            width = number(.width)
            height = number(.height)
            orientation = number(.orientation)
            taken = text(.taken)
            digitised = text(.digitised)
            changed = text(.changed)
            latitude = number(.latitude)
            longitude = number(.longitude)
            altitude = number(.altitude)
            duration = number(.duration)
            created = text(.created)
        }
    }

    private static func facts(_ pattern: String) throws -> [Facts] {
        let names = Corpus.names.filter { $0.hasSuffix(pattern) }
        let output = try Tool.run("exiftool", ["-json", "-n", "-G1"] + names, in: Corpus.directory)
        return try JSONDecoder().decode([Facts].self, from: output)
    }

    private static func report(_ name: String) throws -> InspectionReport {
        Inspector().inspect(RandomAccessBytes(try Corpus.bytes(name)))
    }

    private static func local(_ text: String?) -> String? {
        text.flatMap { WallClock.read($0)?.clock.text }
    }

    private static func isNear(_ one: Double?, _ other: Double?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return abs(one - other) < 1e-6
    }

    @Test func `agrees with exiftool about every JPEG's size, orientation, date and place`() throws {
        let all = try Self.facts(".jpg")
        #expect(all.count > 30)
        var dates = 0
        var places = 0
        for facts in all {
            let found = try Self.report(facts.name)
            #expect(found.uti == "public.jpeg", "\(facts.name)")
            #expect(found.width.map { Double($0) } == facts.width, "\(facts.name)")
            #expect(found.height.map { Double($0) } == facts.height, "\(facts.name)")
            #expect(found.orientation.map { Double($0.rawValue) } == facts.orientation, "\(facts.name)")
            let expected = Self.local(facts.taken) ?? Self.local(facts.digitised) ?? Self.local(facts.changed)
            #expect(found.date?.local?.prefix(19).description == expected?.prefix(19).description, "\(facts.name)")
            #expect(Self.isNear(found.location?.latitude, facts.latitude), "\(facts.name)")
            #expect(Self.isNear(found.location?.longitude, facts.longitude), "\(facts.name)")
            if facts.latitude != nil { #expect(Self.isNear(found.location?.altitude, facts.altitude), "\(facts.name)") }
            dates += expected == nil ? 0 : 1
            places += facts.latitude == nil ? 0 : 1
        }
        #expect(dates > 30 && places >= 4)
    }

    @Test func `agrees with exiftool about films' duration and time`() throws {
        for facts in try Self.facts(".mov") + Self.facts(".m4a") {
            let bytes = RandomAccessBytes(try Corpus.bytes(facts.name))
            let found = try #require(MovieReader.read(bytes))
            #expect(Self.isNear(found.duration, facts.duration), "\(facts.name)")
            #expect(found.containerDate?.local == Self.local(facts.created), "\(facts.name)")
        }
        let film = try Self.report("QuickTime.mov")
        #expect(film.width == 320 && film.height == 240)
        #expect(film.date?.utc == "2005-08-11T14:03:54Z")
    }

    @Test(arguments: [
        ("CanonRaw.cr2", "com.canon.cr2-raw-image", "2005-08-03T18:59:18"),
        ("Nikon.nef", "com.nikon.raw-image", "2004-06-09T16:02:35.00"),
        ("DNG.dng", "com.adobe.raw-image", "2005-08-03T18:59:18"),
        ("ExifTool.tif", "public.tiff", "2004-02-20T08:07:49"),
    ])
    func `reads pictures that are built on TIFF`(name: String, uti: String, local: String) throws {
        let found = try Self.report(name)
        #expect(found.uti == uti)
        #expect(found.date?.local == local)
        #expect(found.kind == .photo)
    }

    @Test(arguments: [
        ("QuickTime.heic", AssetKind.photo), ("RIFF.avi", .video), ("Matroska.mkv", .video), ("M2TS.mts", .video),
        ("PNG.png", .photo), ("RIFF.webp", .photo), ("GIF.gif", .photo), ("BMP.bmp", .photo),
        ("RIFF.wav", .unknown), ("MP3.mp3", .unknown), ("QuickTime.m4a", .unknown), ("PDF.pdf", .unknown),
        ("CanonRaw.cr3", .photo), ("FujiFilm.raf", .photo), ("Panasonic.rw2", .photo),
    ])
    func `tells pictures, films and the rest apart`(name: String, kind: AssetKind) throws {
        #expect(try Self.report(name).kind == kind)
    }

    @Test func `is looked at whole, and every file has a state and, unless it is whole, a reason`() throws {
        for name in Corpus.names {
            let found = try Self.report(name)
            #expect((found.state == .ok) == (found.reason == nil), "\(name)")
            #expect(found.isUsable == (found.state != .unplayable), "\(name)")
        }
    }
}
