import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct DemoTests {
    @Test func `the demonstration ends with a bag that sha256sum accepts`() async throws {
        try await Cluster.with { cluster in
            let outcome = try await cluster.obscura("demo", "--yes", "--json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let last = try #require(outcome.lines.last)
            let result = try JSONDecoder().decode(ExportResult.self, from: Data(last.utf8))
            #expect(result.verified == result.files)
            #expect(result.failed == 0)
            #expect(result.files >= 2, "a photo and a film")
            try await Self.expectBag(at: result.destination, files: result.files, in: cluster)
        }
    }

    @Test func `the demonstration starts a cluster of its own where there is none, and ends it`() async throws {
        try await Folder.with { folder in
            var environment = Cluster.environment(home: folder.path)
            environment["OBSCURA_RUNTIME"] = folder.path + "/run"
            environment["OBSCURA_DATA"] = folder.path + "/data"
            let outcome = try await Cluster.run(
                ["\(Executables.directory)/obscura", "demo", "--yes"],
                environment: environment,
                directory: folder.path
            )
            #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
            let status = try await Cluster.run(
                ["\(Executables.directory)/obscura", "status", "--json"],
                environment: environment,
                directory: folder.path
            )
            #expect(status.status == 69, "nothing is left running")
        }
    }

    @Test func `the demonstration twice keeps its films, and the beginning of each that the person ended`() async throws
    {
        try await Cluster.with { cluster in
            for _ in 1...2 {
                let outcome = try await cluster.obscura("demo", "--yes", "--json")
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            // It leaves no permission behind, so that looking needs one.
            try await cluster.allowEverything()
            let videos = try await cluster.obscura("library", "list", "--kind", "video", "--json")
            #expect(try videos.objects(AssetLine.self).count == 4)
        }
    }

    /// Checks a bag with coreutils alone.
    static func expectBag(at destination: String, files: Int, in cluster: Cluster) async throws {
        let check = try await Cluster.run(
            ["/bin/sh", "-c", "cd \"$0\" && sha256sum --check --strict manifest-sha256.txt", destination],
            in: cluster
        )
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.lines.count == files)
        #expect(check.lines.allSatisfy { $0.hasSuffix(": OK") })
        #expect(FileManager.default.fileExists(atPath: destination + "/bagit.txt"))
        let listed = try await Cluster.run(["/usr/bin/find", destination + "/data", "-type", "f"], in: cluster)
        #expect(listed.lines.count == files, "the manifest names every file")
    }
}
