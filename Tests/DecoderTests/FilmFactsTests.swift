import Containers
import DecoderService
import Foundation
import Media
import TestSupport
import Testing

/// Films that others have made and marked, against `exiftool -json`: date, rotation and place.
@Suite(.enabled(if: Tool.isInstalled("ffmpeg") && Tool.isInstalled("exiftool")), .timeLimit(.minutes(3)))
struct `The facts about films` {
    /// What exiftool says about a film.
    private struct Facts: Decodable {
        var created: String?
        var keysCreated: String?
        var contentCreated: String?
        var itemCreated: String?
        var rotation: Double?
        var latitude: Double?
        var longitude: Double?
        var altitude: Double?
        /// 1 for below the sea.
        var altitudeReference: Double?

        private enum CodingKeys: String, CodingKey {
            case created = "QuickTime:CreateDate"
            case keysCreated = "Keys:CreationDate"
            case contentCreated = "UserData:ContentCreateDate"
            case itemCreated = "ItemList:ContentCreateDate"
            case rotation = "Composite:Rotation"
            case latitude = "Composite:GPSLatitude"
            case longitude = "Composite:GPSLongitude"
            case altitude = "Composite:GPSAltitude"
            case altitudeReference = "Composite:GPSAltitudeRef"
        }

        /// The film's date as it is told: the key's, else the user data's, else the container's in UTC.
        var date: String? { keysCreated ?? itemCreated ?? contentCreated ?? created.map { $0 + "Z" } }
    }

    /// A film marked by exiftool, what that tool says about it, and what is said here.
    private func compare(_ name: String, _ marks: [String]) throws -> (Facts, InspectionReport) {
        let place = FileManager.default.temporaryDirectory.appending(path: "obscura-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        // What can not be removed is left for the system's own cleaning.
        defer { try? FileManager.default.removeItem(at: place) }
        let film = place.appending(path: name)
        try Data(Tool.pattern(name, ["-c:v", "mjpeg"], seconds: "0.3")).write(to: film)
        if !marks.isEmpty {
            _ = try Tool.run("exiftool", ["-q", "-n", "-overwrite_original"] + marks + [name], in: place.path)
        }
        let output = try Tool.run("exiftool", ["-json", "-n", "-G1", name], in: place.path)
        let facts = try #require(try JSONDecoder().decode([Facts].self, from: output).first)
        let bytes = Array(try Data(contentsOf: film))
        return (facts, Inspector(headersOnly: true).inspect(RandomAccessBytes(bytes)))
    }

    private func expectSameDate(_ facts: Facts, _ found: InspectionReport) throws {
        let text = try #require(facts.date)
        let expected = try #require(WallClock.read(text))
        #expect(found.date?.local == expected.clock.text)
        #expect(found.date?.offsetMinutes == expected.offsetMinutes)
        #expect(found.date?.utc == expected.offsetMinutes.flatMap { expected.clock.utc(offsetMinutes: $0) })
    }

    @Test(arguments: ["a.mov", "a.mp4"], [0, 90, 180, 270])
    func `have the rotation that exiftool finds`(name: String, degrees: Int) throws {
        let (facts, found) = try compare(name, ["-Rotation=\(degrees)"])
        #expect(facts.rotation == Double(degrees))
        #expect(found.orientation == [0: .up, 90: .right, 180: .down, 270: .left][degrees])
    }

    @Test(arguments: ["a.mov", "a.mp4"])
    func `have the container's date in UTC when there is no other`(name: String) throws {
        let (facts, found) = try compare(name, ["-QuickTime:CreateDate=2024:05:06 05:08:09"])
        #expect(facts.created == "2024:05:06 05:08:09")
        try expectSameDate(facts, found)
        #expect(found.date?.offsetSource == .container)
    }

    @Test func `have no date where exiftool finds none`() throws {
        let (facts, found) = try compare("a.mov", [])
        #expect(facts.created == "0000:00:00 00:00:00")
        #expect(found.date == nil)
    }

    @Test(arguments: [
        "-Keys:CreationDate=2024:05:06 07:08:09+02:00", "-Keys:CreationDate=2023:12:31 23:59:59-09:30",
        "-UserData:ContentCreateDate=2024:05:06 07:08:09+05:45",
        "-ItemList:ContentCreateDate=2024:05:06 07:08:09+01:00",
    ])
    func `have the date with its offset that their maker wrote`(mark: String) throws {
        for name in ["a.mov", "a.mp4"] {
            let (facts, found) = try compare(name, [mark, "-QuickTime:CreateDate=2024:05:06 05:08:09"])
            #expect(facts.date?.hasSuffix("Z") == false, "\(name) \(mark)")
            try expectSameDate(facts, found)
            #expect(found.date?.offsetSource == .tag)
        }
    }

    @Test(arguments: [
        "-Keys:GPSCoordinates=47.1234 9.5678 431.5", "-Keys:GPSCoordinates=-33.865 151.2094 -5",
        "-UserData:GPSCoordinates=47.1234 -9.5678 431.5", "-ItemList:GPSCoordinates=0 9.5 0",
    ])
    func `have the place that exiftool finds`(mark: String) throws {
        for name in ["a.mov", "a.mp4"] {
            let (facts, found) = try compare(name, [mark])
            let latitude = try #require(facts.latitude)
            let longitude = try #require(facts.longitude)
            let location = try #require(found.location, "\(name) \(mark)")
            #expect(abs(location.latitude - latitude) < 1e-4)
            #expect(abs(location.longitude - longitude) < 1e-4)
            let altitude = try #require(facts.altitude) * (facts.altitudeReference == 1 ? -1 : 1)
            #expect(abs(try #require(location.altitude) - altitude) < 1e-2)
            #expect(found.mayHoldPlace == true)
        }
    }
}
