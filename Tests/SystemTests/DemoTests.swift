import Foundation
import Glibc
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
            let environment = Self.environment(folder)
            let outcome = try await Cluster.run(
                ["\(Executables.directory)/obscura", "demo", "--yes"],
                environment: environment,
                directory: folder.path
            )
            #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
            #expect(outcome.output.contains("the films stay in the library in \(folder.path)"), "\(outcome.output)")
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
            let allowed = try await cluster.obscura("demo", "--yes")
            #expect(allowed.output.contains("it was allowed before, so nobody was asked"), "\(allowed.output)")
            #expect(!allowed.output.contains("the answer was yes"))
            #expect(allowed.output.contains("stay in its library"))
        }
    }

    /// Decisions that a demonstration meets: of its own program, of others by their label, and about all cameras.
    private static let decisions = [
        ["grant", "--resource", "camera/*", "--access", "use", "--lifespan", "forever"],
        ["deny", "--resource", "camera/pattern-front", "--access", "use", "--label", "booth"],
        ["grant", "--resource", "library", "--access", "read", "--lifespan", "until=2099-01-01T00:00:00Z"],
        ["deny", "--resource", "library", "--access", "readWrite", "--label", "viewer"],
        ["grant", "--resource", "export", "--access", "use", "--lifespan", "once"],
    ]

    private struct Decided: Decodable, Hashable {
        var label: String?
        var resource: String
        var access: String
        var status: String
        var lifespan: String?
    }

    private static func decide(in cluster: Cluster) async throws -> Set<Decided> {
        for words in decisions {
            let outcome = try await cluster.obscura(["permissions"] + words + ["--json"])
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        return try await decided(in: cluster)
    }

    private static func decided(in cluster: Cluster) async throws -> Set<Decided> {
        Set(try await cluster.obscura("permissions", "list", "--json").objects(Decided.self))
    }

    @Test func `the demonstration leaves every decision as it was`() async throws {
        try await Cluster.with { cluster in
            let before = try await Self.decide(in: cluster)
            #expect(before.count == Self.decisions.count)
            let outcome = try await cluster.obscura("demo", "--yes", "--json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try await Self.decided(in: cluster) == before)
        }
    }

    @Test(arguments: ["\"chapter\":2", "\"chapter\":3", "\"chapter\":6", "the person revokes the camera"])
    func `a demonstration that is interrupted leaves every decision as it was`(moment: String) async throws {
        try await Cluster.with { cluster in
            let before = try await Self.decide(in: cluster)
            let demo = try cluster.start("demo", "--yes", "--json")
            try await eventually("\(moment) of the demonstration") {
                try String(contentsOfFile: demo.output, encoding: .utf8).contains(moment) || !demo.isRunning
            }
            try #require(String(contentsOfFile: demo.output, encoding: .utf8).contains(moment))
            demo.send(SIGINT)
            let outcome = await demo.outcome()
            #expect([0, 130].contains(outcome.status), "\(outcome.errors)")
            #expect(try await Self.decided(in: cluster) == before)
        }
    }

    @Test func `without a terminal and without --yes the demonstration starts nothing`() async throws {
        try await Folder.with { folder in
            let outcome = try await Cluster.run(
                ["/usr/bin/setsid", "--wait", "\(Executables.directory)/obscura", "demo"],
                environment: Self.environment(folder),
                directory: folder.path
            )
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("--yes"), "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
        }
    }

    @Test func `a demonstration whose cluster does not get ready ends at once by Ctrl-C, or says what is missing`()
        async throws
    {
        try await Executables.with { bin in
            // A service that starts and never says that it is ready.
            let script = "#!/bin/sh\nexec sleep 600\n"
            try script.write(toFile: "\(bin)/obscura-capture", atomically: false, encoding: .utf8)
            try await Folder.with { folder in
                let environment = Self.environment(folder)
                let arguments = ["demo", "--yes", "--built-in-cameras", "always"]
                let demo = try Program(
                    "\(bin)/obscura",
                    arguments,
                    environment: environment,
                    directory: folder.path
                )
                try await eventually("the library of the demonstration's cluster") {
                    FileManager.default.fileExists(atPath: folder.path + "/run/library.sock") || !demo.isRunning
                }
                try #require(demo.isRunning)
                demo.send(SIGINT)
                let guardian = Task {
                    try await Task.sleep(for: .seconds(20))
                    demo.send(SIGKILL)
                }
                #expect(await demo.outcome().status == 130)
                guardian.cancel()
                let late = try await Cluster.run(
                    ["\(bin)/obscura"] + arguments + ["--timeout", "3s"],
                    environment: environment,
                    directory: folder.path
                )
                #expect(late.status == 69)
                #expect(late.errors.contains("within 3 seconds"), "\(late.errors)")
                #expect(late.errors.contains("capture (starting"), "\(late.errors)")
                #expect(!late.errors.contains("library ("), "\(late.errors)")
            }
        }
    }

    private static func environment(_ folder: Folder) -> [String: String] {
        var environment = Cluster.environment(home: folder.path)
        environment["OBSCURA_RUNTIME"] = folder.path + "/run"
        environment["OBSCURA_DATA"] = folder.path + "/data"
        return environment
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
