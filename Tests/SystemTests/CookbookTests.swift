import Foundation
import Testing

/// The recipes of `Cookbook`, run as a program runs.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CookbookTests {
    private func recipe(_ arguments: String..., in cluster: Cluster) async throws -> Outcome {
        try await Cluster.run([Executables.cookbook] + arguments, in: cluster)
    }

    @Test func `recipe 13_1 reports what the machine can do, in the book's words`() async throws {
        try await Cluster.with(.init(arguments: ["--built-in-cameras", "always"])) { cluster in
            let report = try await recipe("13.1", in: cluster)
            #expect(report.status == 0, "\(report.errors)")
            let lines = report.lines
            #expect(lines.first == "Camera is available.")
            #expect(lines.contains("The front camera is available."))
            #expect(lines.contains("The rear camera is available."))
            #expect(lines.contains { $0.hasSuffix("is equipped with a flash") })
            #expect(lines.suffix(2) == ["The camera supports taking photos.", "The camera supports shooting videos."])
            let own = try await cluster.obscura("cameras", "report")
            #expect(own.lines == lines)
            #expect(try await recipe("13.1", "", in: cluster).lines == ["Media type is empty.", "no"])
            #expect(try await recipe("13.1", "public.image", in: cluster).lines == ["yes"])
            // Compared exactly.
            #expect(try await recipe("13.1", "public.Image", in: cluster).lines == ["no"])
        }
    }

    @Test(.enabled(if: !FileManager.default.fileExists(atPath: "/dev/video0"), "this machine has a camera"))
    func `recipe 13_1 reports a machine without a camera, and asks no flash of it`() async throws {
        try await Cluster.with(.init(arguments: ["--built-in-cameras", "never"])) { cluster in
            let expected = [
                "Camera is not available.", "The front camera is not available.",
                "The rear camera is not available.", "The camera does not support taking photos",
                "The camera does not support shooting videos.",
            ]
            let report = try await recipe("13.1", in: cluster)
            #expect(report.lines == expected)
        }
    }

    @Test func `recipe 13_5 saves a video, and meets the book's error for what is none`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let folder = Folder(path: cluster.folder)
            let film = try await Pictures.movie("sample.mov", in: folder)
            let saved = try await recipe("13.5", film, in: cluster)
            #expect(saved.status == 0, "\(saved.errors)")
            let form =
                /Video URL = (assets-library:\/\/asset\/asset\.MOV\?id=[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}&ext=MOV)/
            let url = try #require(saved.lines.first?.wholeMatch(of: form)?.1, "\(saved.output)")
            #expect(try await cluster.obscura("library", "show", String(url)).status == 0)

            let text = try folder.write("words.mov", Array("these are words and no film".utf8))
            for path in [text, cluster.folder + "/nothing.mov", "/nonexistent/a.mov"] {
                let refused = try await recipe("13.5", path, in: cluster)
                #expect(refused.status == 1)
                #expect(
                    refused.lines == [
                        "Description = Invalid data",
                        "Reason = There was a problem writing this asset because the data is invalid and cannot be "
                            + "viewed or played.",
                        "Suggestion = Try with different data",
                    ]
                )
                #expect(refused.errors.hasPrefix("Error Domain=ALAssetsLibraryErrorDomain Code=-3302 "))
            }
        }
    }

    @Test func `recipe 13_5 gets a valid error when the person said no, and can not change it`() async throws {
        try await Cluster.with { cluster in
            let film = try await Pictures.movie("sample.mov", in: Folder(path: cluster.folder))
            let denied = try await cluster.obscura("permissions", "deny", "--resource", "library", "--json")
            #expect(denied.status == 0, "\(denied.errors)")
            for _ in 1...2 {
                let refused = try await recipe("13.5", film, in: cluster)
                #expect(refused.status == 1)
                #expect(refused.errors.hasPrefix("Error Domain=ALAssetsLibraryErrorDomain Code=-3310 "))
            }
            let status = try await cluster.obscura("permissions", "status", "--resource", "library", "--json")
            #expect(status.output.contains("\"denied\""), "\(status.output)")
        }
    }

    @Test func `recipe 13_7 finds the first photo and writes the first video to a file`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let folder = Folder(path: cluster.folder)
            let none = try await recipe("13.7", cluster.folder, in: cluster)
            #expect(none.status == 0 && none.lines.isEmpty, "\(none.output)\(none.errors)")
            let picture = try await Pictures.jpeg("a.jpg", in: folder)
            let film = try await Pictures.movie("b.mov", in: folder)
            for file in [picture, film] {
                let saved = try await cluster.obscura("library", "save", file)
                #expect(saved.status == 0, "\(saved.errors)")
            }

            let sources = try await cluster.obscura("sources", "--json")
            for line in sources.lines where line.contains("photoLibrary") || line.contains("savedPhotosAlbum") {
                #expect(line.contains(#""available":true"#) && line.contains("public.image"), "\(line)")
                #expect(line.contains("public.movie"), "\(line)")
            }
            #expect(sources.lines.count == 3)

            // What an earlier and longer film has left must not show.
            try folder.write("Temp.MOV", [UInt8](repeating: 0, count: 4 << 20))
            let found = try await recipe("13.7", cluster.folder, in: cluster)
            #expect(found.status == 0, "\(found.errors)")
            let size = try Data(contentsOf: URL(fileURLWithPath: picture)).count
            let lines = found.lines
            try #require(lines.count == 4, "\(found.output)")
            #expect(lines[0] == "This is a photo asset")
            #expect(lines[1].hasPrefix("Image = \(size) bytes, "))
            #expect(lines[1].hasSuffix(", scale 1.0, orientation up"))
            #expect(lines[2] == "This is a video asset")
            #expect(lines[3] == "Video URL = \(cluster.folder)/Temp.MOV")
            let written = try Data(contentsOf: URL(fileURLWithPath: cluster.folder + "/Temp.MOV"))
            #expect(try written == Data(contentsOf: URL(fileURLWithPath: film)))
        }
    }

    @Test func `recipe 13_7 says that it failed when the person said no`() async throws {
        try await Cluster.with { cluster in
            let denied = try await cluster.obscura("permissions", "deny", "--resource", "library", "--json")
            #expect(denied.status == 0, "\(denied.errors)")
            let refused = try await recipe("13.7", cluster.folder, in: cluster)
            #expect(refused.status == 1)
            #expect(refused.lines == ["Failed to enumerate the asset groups."])
            #expect(refused.errors.hasPrefix("Error Domain=ALAssetsLibraryErrorDomain Code=-3311 "))
        }
    }

    @Test func `a recipe that is not known is usage`() async throws {
        try await Cluster.with { cluster in
            for arguments: [String] in [[], ["13.4"], ["13.5"], ["13.1", "a", "b"]] {
                let outcome = try await Cluster.run([Executables.cookbook] + arguments, in: cluster)
                #expect(outcome.status == 64)
            }
        }
    }
}
