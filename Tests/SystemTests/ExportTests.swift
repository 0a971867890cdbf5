import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct ExportTests {
    @Test func `a picture that was saved again is exported into the same bag again`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let photo = try await cluster.obscura("photo", "--json").object(AssetLine.self)
            let copy = cluster.folder + "/copy.jpg"
            let read = try await cluster.obscura("library", "read", photo.url, "--output", copy)
            #expect(read.status == 0, "\(read.errors)")
            let bag = cluster.folder + "/bag"
            func export() async throws -> ExportResult {
                let outcome = try await cluster.obscura("export", "--to", bag, "--json")
                #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
                return try JSONDecoder().decode(ExportResult.self, from: Data(try #require(outcome.lines.last).utf8))
            }
            let first = try await export()
            #expect(first.copied == 1 && first.failed == 0)
            let saved = try await cluster.obscura("library", "save", copy, "--json")
            #expect(saved.status == 0, "\(saved.errors)")
            #expect(try saved.object(AssetLine.self).sha256 == photo.sha256)
            let second = try await export()
            #expect(second.copied == 1 && second.skipped == 1 && second.failed == 0)
            let third = try await export()
            #expect(third.copied == 0 && third.skipped == 2 && third.failed == 0)
            try await DemoTests.expectBag(at: bag, files: 2, in: cluster)
        }
    }

    @Test func `a changed file is renewed in its bag, and a bag that was cut short says how it is finished`()
        async throws
    {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let photo = try await cluster.obscura("photo", "--json")
            #expect(photo.status == 0, "\(photo.errors)")
            let bag = cluster.folder + "/bag"
            let first = try await cluster.obscura("export", "--to", bag, "--json")
            #expect(first.status == 0, "\(first.errors)")
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: bag + "/data").first)
            let file = try #require(FileHandle(forWritingAtPath: bag + "/data/" + name))
            try file.seekToEnd()
            try file.write(contentsOf: Data("damage".utf8))
            try file.close()
            let changed = try Data(contentsOf: URL(filePath: bag + "/data/" + name))
            #expect(try await cluster.obscura("export", "verify", bag).status == 65)
            let second = try await cluster.obscura("export", "--to", bag)
            #expect(second.status == 0, "\(second.errors)")
            #expect(second.output.contains("renewed  data/\(name)"))
            #expect(try Data(contentsOf: URL(filePath: bag + "/changed/" + name)) == changed)
            try await DemoTests.expectBag(at: bag, files: 1, in: cluster)
            #expect(try await cluster.obscura("export", "verify", bag).status == 0)

            try FileManager.default.removeItem(atPath: bag + "/manifest-sha256.txt")
            let unfinished = try await cluster.obscura("export", "verify", bag)
            #expect(unfinished.status == 65 && unfinished.errors.contains("Run the same export again to finish it"))
        }
    }

    @Test(arguments: ["export", "library"])
    func `an export that is denied ends with 77, whoever writes it, and leaves nothing`(resource: String) async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let photo = try await cluster.obscura("photo", "--json")
            #expect(photo.status == 0, "\(photo.errors)")
            let denied = try await cluster.obscura("permissions", "deny", "--resource", resource, "--json")
            #expect(denied.status == 0, "\(denied.errors)")
            let bag = cluster.folder + "/new/bag"
            let own = try await cluster.obscura("export", "--to", bag, "--json")
            #expect(own.status == 77, "\(own.errors)")
            #expect(!FileManager.default.fileExists(atPath: cluster.folder + "/new"))
            let service = try await cluster.obscura("export", "--service", "--to", "trip", "--json")
            #expect(service.status == 77, "\(service.errors)")
            let kept = try await Cluster.run(["/usr/bin/find", cluster.folder, "-name", "trip"], in: cluster)
            #expect(kept.lines.isEmpty, "\(kept.output)")
        }
    }
}
