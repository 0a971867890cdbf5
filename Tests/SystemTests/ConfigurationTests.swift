import Foundation
import Testing

/// One file of settings for all services of a cluster.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ConfigurationTests {
    @Test func `a file of settings reaches each service, and exports go where it says`() async throws {
        try await Folder.with { folder in
            let roots = ["one", "two"].map { "\(folder.path)/\($0)" }
            for root in roots {
                try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
            }
            let text =
                #"{"export-roots": ["\#(roots[0])", "\#(roots[1])"], "built-in-cameras": "never", "decoders": 1}"#
            let file = try folder.write("settings.json", text.utf8)
            var options = Cluster.Options()
            options.arguments = ["--config", file]
            try await Cluster.with(options) { cluster in
                try await cluster.allowEverything()
                let cameras = try await cluster.obscura("cameras", "list", "--json").objects(CameraLine.self)
                #expect(cameras.filter(\.builtIn).isEmpty)
                let picture = try await Pictures.jpeg("a.jpg", in: folder)
                let save = try await cluster.obscura("library", "save", picture, "--json")
                #expect(save.status == 0, "\(save.errors)")
                let export = try await cluster.obscura("export", "--service", "--to", roots[1] + "/bag", "--json")
                #expect(export.status == 0, "\(export.errors)")
                #expect(folder.files(below: "two/bag").contains("manifest-sha256.txt"))
            }
        }
    }

    @Test func `a setting that no service has ends the start, with its name`() async throws {
        try await Folder.with { folder in
            let file = try folder.write("settings.json", #"{"export-rots": "/srv"}"#.utf8)
            let outcome = try await Cluster.run(
                [
                    "\(Executables.directory)/obscura", "up", "--config", file, "--runtime", folder.path + "/run",
                    "--data",
                    folder.path + "/data",
                ],
                environment: Cluster.environment(home: folder.path),
                directory: folder.path
            )
            #expect(outcome.status == 65, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.errors.contains("export-rots") && outcome.errors.contains(file), "\(outcome.errors)")
        }
    }
}
