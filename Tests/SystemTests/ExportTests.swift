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
}
