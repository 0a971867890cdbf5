import Foundation
import Testing

/// The pictures and movies of many makers, from Debian's source package of ExifTool.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CorpusTests {
    static let corpus = ProcessInfo.processInfo.environment["OBSCURA_CORPUS"].map { $0 + "/exiftool" }

    private static func importAll(_ cluster: Cluster, from corpus: String) async throws -> ImportLine {
        let outcome = try await cluster.obscura("library", "import", corpus, "--json")
        #expect([0, 65].contains(outcome.status), "\(outcome.errors)")
        let last = try #require(outcome.lines.last)
        let result = try JSONDecoder().decode(ImportLine.self, from: Data(last.utf8))
        #expect(outcome.status == (result.failed.isEmpty ? 0 : 65))
        let sum = result.imported + result.duplicates + result.skipped.count + result.failed.count
        #expect(result.found == sum)
        #expect((result.skipped + result.failed).allSatisfy { !$0.reason.isEmpty })
        return result
    }

    @Test(.enabled(if: corpus != nil, "OBSCURA_CORPUS names no folder; deploy/test sets it"))
    func `every file is accounted for, the same in two fresh libraries, and duplicates the second time`() async throws {
        let corpus = try #require(Self.corpus)
        let first = try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let first = try await Self.importAll(cluster, from: corpus)
            #expect(first.found > 100)
            #expect(first.imported > 50)
            let services = try await cluster.services()
            let again = try await Self.importAll(cluster, from: corpus)
            #expect(again.imported == 0)
            #expect(again.found == first.found)
            #expect(again.duplicates == first.imported + first.duplicates)
            #expect(Set(again.skipped) == Set(first.skipped))
            let library = services.first { $0.name == "library" }?.pid
            #expect(try await cluster.services().first { $0.name == "library" }?.pid == library, "the service lived")
            try await Self.compareWithExifTool(cluster, corpus: corpus)
            return first
        }
        let second = try await Cluster.with { cluster in try await Self.importAll(cluster, from: corpus) }
        #expect(first.imported == second.imported)
        #expect(first.duplicates == second.duplicates)
        #expect(Set(first.skipped) == Set(second.skipped))
        #expect(Set(first.failed) == Set(second.failed))
    }

    /// What ExifTool says about a file; numbers as numbers.
    private struct Witness: Decodable {
        var SourceFile: String
        var FileType: String?
        var DateTimeOriginal: String?
        /// Of a film, in UTC.
        var CreateDate: String?
        /// Of a film, in degrees with the clock.
        var Rotation: Int?
        var Orientation: Int?
        var GPSLatitude: Double?
        var GPSLongitude: Double?

        enum CodingKeys: String, CodingKey {
            case SourceFile, FileType, DateTimeOriginal, CreateDate, Rotation, Orientation, GPSLatitude, GPSLongitude
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            SourceFile = try values.decode(String.self, forKey: .SourceFile)
            FileType = try? values.decode(String.self, forKey: .FileType)
            // ExifTool prints some of them as words where the file is odd: then there is nothing to compare.
            DateTimeOriginal = try? values.decode(String.self, forKey: .DateTimeOriginal)
            CreateDate = try? values.decode(String.self, forKey: .CreateDate)
            Rotation = try? values.decode(Int.self, forKey: .Rotation)
            Orientation = try? values.decode(Int.self, forKey: .Orientation)
            GPSLatitude = try? values.decode(Double.self, forKey: .GPSLatitude)
            GPSLongitude = try? values.decode(Double.self, forKey: .GPSLongitude)
        }
    }

    private static func compareWithExifTool(_ cluster: Cluster, corpus: String) async throws {
        let tool = try await Cluster.run(
            [
                "/usr/bin/exiftool", "-json", "-n", "-q", "-r", "-FileType", "-EXIF:DateTimeOriginal",
                "-QuickTime:CreateDate", "-Composite:Rotation", "-IFD0:Orientation", "-EXIF:GPSLatitude",
                "-EXIF:GPSLongitude", "-Composite:GPSLatitude",
                "-Composite:GPSLongitude", corpus,
            ],
            in: cluster
        )
        let witnesses = try JSONDecoder().decode([Witness].self, from: Data(tool.output.utf8))
        let list = try await cluster.obscura("library", "list", "--json")
        #expect(list.status == 0, "\(list.errors)")
        let assets = Dictionary(
            try list.objects(AssetLine.self).compactMap { asset in asset.filename.map { ($0, asset) } },
            uniquingKeysWith: { first, _ in first }
        )
        var compared = 0
        for witness in witnesses where witness.FileType == "JPEG" || witness.FileType == "MOV" {
            let name = URL(fileURLWithPath: witness.SourceFile).lastPathComponent
            guard let asset = assets[name], asset.state == "ok" else { continue }
            compared += 1
            // Zeros stand for a date that is not known.
            if let date = witness.DateTimeOriginal, !date.hasPrefix("0000") {
                let raw = try #require(asset.date?.raw, "\(name)")
                #expect(raw.prefix(19) == date.prefix(19), "\(name)")
            }
            if let date = witness.CreateDate, witness.FileType == "MOV", !date.hasPrefix("0000") {
                let digits = date.prefix(19).filter(\.isNumber)
                #expect(asset.date?.utc?.prefix(19).filter(\.isNumber) == digits, "\(name)")
            }
            if let degrees = witness.Rotation, witness.FileType == "MOV" {
                #expect(asset.orientation == [0: 1, 90: 6, 180: 3, 270: 8][degrees], "\(name)")
            }
            if let orientation = witness.Orientation, (1...8).contains(orientation) {
                #expect(asset.orientation == orientation, "\(name)")
            }
            if let latitude = witness.GPSLatitude, let longitude = witness.GPSLongitude {
                let location = try #require(asset.location, "\(name)")
                #expect(abs(location.latitude - latitude) < 1e-4, "\(name)")
                #expect(abs(location.longitude - longitude) < 1e-4, "\(name)")
            }
        }
        #expect(compared > 20)
    }
}
