import Foundation
import ObscuraClient
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct CookbookTests {
    private func obscura(_ cluster: Cluster) throws -> ObscuraCluster {
        try ObscuraCluster(runtimeDirectory: cluster.runtime, options: .init(timeout: .seconds(20)))
    }

    @Test func `recipe 13_1 reports what the machine can do, in the book's words`() async throws {
        try await Cluster.with(.init(arguments: ["--built-in-cameras", "always"])) { cluster in
            let camera = Camera(of: try obscura(cluster))
            let lines = await Recipes.reportOfTheMachine(camera)
            #expect(lines.first == "Camera is available.")
            #expect(lines.contains("The front camera is available."))
            #expect(lines.contains("The rear camera is available."))
            #expect(lines.contains { $0.hasSuffix("is equipped with a flash") })
            #expect(lines.suffix(2) == ["The camera supports taking photos.", "The camera supports shooting videos."])
            #expect(try await camera.report() == lines)
            let empty = await camera.answer(supports: MediaType(rawValue: ""), from: .camera)
            #expect(empty == CameraAnswer(isTrue: false, reason: "mediaTypeEmpty"))
        }
    }

    @Test func `recipe 13_1 reports a machine without a camera, and asks no flash of it`() async throws {
        try await Cluster.with(.init(arguments: ["--built-in-cameras", "never"])) { cluster in
            let camera = Camera(of: try obscura(cluster))
            // On a machine with real cameras there is nothing to report their absence.
            guard try await camera.all().isEmpty else { return }
            let expected = [
                "Camera is not available.", "The front camera is not available.", "The rear camera is not available.",
                "The camera does not support taking photos", "The camera does not support shooting videos.",
            ]
            #expect(await Recipes.reportOfTheMachine(camera) == expected)
            #expect(await camera.answer(hasFlash: .front) == CameraAnswer(isTrue: false, reason: "cameraAbsent"))
        }
    }

    @Test func `recipe 13_5 saves a video, and meets the book's error for what is none`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let folder = Folder(path: cluster.folder)
            let library = AssetsLibrary(of: try obscura(cluster))
            let film = try await Pictures.movie("sample.mov", in: folder)
            let saved = try await Recipes.saveVideo(at: film, in: library)
            let url = try #require(saved.url, "\(String(describing: saved.error))")
            let form = /assets-library:\/\/asset\/asset\.MOV\?id=[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}&ext=MOV/
            #expect(url.wholeMatch(of: form) != nil, "\(url)")
            #expect(try await library.asset(for: url)?.type == .video)

            let text = try folder.write("words.mov", Array("these are words and no film".utf8))
            for path in [text, cluster.folder + "/nothing.mov", "/nonexistent/a.mov"] {
                let error = try #require(try await Recipes.saveVideo(at: path, in: library).error, "\(path)")
                #expect(error.domain == "ALAssetsLibraryErrorDomain")
                #expect(error.number == -3302)
                #expect(error.localizedDescription == "Invalid data")
                #expect(
                    error.failureReason == "There was a problem writing this asset because the data is invalid and "
                        + "cannot be viewed or played."
                )
                #expect(error.recoverySuggestion == "Try with different data")
            }
        }
    }

    @Test func `recipe 13_5 gets a valid error when the person said no, and can not change it`() async throws {
        try await Cluster.with { cluster in
            let film = try await Pictures.movie("sample.mov", in: Folder(path: cluster.folder))
            let library = AssetsLibrary(of: try obscura(cluster))
            #expect(try await library.authorizationStatus(for: .add) == .notDetermined)
            let denied = try await cluster.obscura("permissions", "deny", "--resource", "library", "--json")
            #expect(denied.status == 0, "\(denied.errors)")
            for _ in 1...2 {
                let error = try #require(try await Recipes.saveVideo(at: film, in: library).error)
                #expect(error.number == -3310)
                #expect(error.cause == "accessDenied")
                #expect(error.isDenial)
            }
            #expect(try await library.requestAuthorization(for: .add) == .denied)
            #expect(try await library.authorizationStatus(for: .add) == .denied)
        }
    }

    @Test func `recipe 13_7 finds the first photo and writes the first video to a file`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let folder = Folder(path: cluster.folder)
            let library = AssetsLibrary(of: try obscura(cluster))
            #expect(try await Recipes.firstPhoto(in: library) == nil)
            let picture = try await Pictures.jpeg("a.jpg", in: folder)
            let film = try await Pictures.movie("b.mov", in: folder)
            _ = try await library.savePhoto(at: URL(fileURLWithPath: picture))
            _ = try await library.saveVideo(at: URL(fileURLWithPath: film))

            let photo = try #require(try await Recipes.firstPhoto(in: library))
            #expect(photo.line == "This is a photo asset")
            #expect(photo.bytes == Array(try Data(contentsOf: URL(fileURLWithPath: picture))))
            #expect(photo.orientation == .up)

            // What an earlier and longer film has left must not show.
            try folder.write("Temp.MOV", [UInt8](repeating: 0, count: 4 << 20))
            let video = try #require(try await Recipes.firstVideo(in: library, to: cluster.folder))
            #expect(video.line == "This is a video asset")
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: video.path)) == Data(contentsOf: URL(fileURLWithPath: film))
            )
            #expect(video.asset.duration.map { abs($0 - 1) < 0.2 } == true)
        }
    }
}
