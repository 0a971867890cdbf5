import Foundation
import Testing

/// Photos of every kind through real processes, with exiftool and FFmpeg as witnesses.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PhotoTests {
    private struct Line: Decodable {
        struct Granted: Decodable {
            var format: String?
            var count: Int?
            var converged: Bool?
            var flashFired: Bool?
        }

        var url: String
        var uti: String
        var kind: String
        var state: String
        var filename: String
        var bytes: Int
        var width: Int
        var height: Int
        var granted: Granted
    }

    private static var always: Cluster.Options {
        var options = Cluster.Options()
        options.arguments = ["--built-in-cameras", "always"]
        return options
    }

    @Test(arguments: [
        ("jpeg", "public.jpeg", "JPG", "image/jpeg"), ("png", "public.png", "PNG", "image/png"),
        ("raw", "public.tiff", "TIF", "image/tiff"),
    ])
    func `a photo of each format is in the library, can be seen, and tells of its camera`(
        format: String,
        uti: String,
        ending: String,
        mime: String
    ) async throws {
        try await Cluster.with(Self.always) { cluster in
            try await cluster.allowEverything()
            let path = cluster.folder + "/copy"
            let photo = try await cluster.obscura(
                "photo",
                "--camera",
                "pattern-back",
                "--format",
                format,
                "--output",
                path,
                "--json"
            )
            #expect(photo.status == 0, "\(photo.errors)")
            let line = try photo.object(Line.self)
            #expect((line.uti, line.kind, line.state) == (uti, "photo", "ok"))
            #expect(line.granted.format == format)
            #expect(line.url.contains("ext=\(ending)"))
            #expect((line.width, line.height) == (1920, 1080))
            // YUYV: two samples a pixel, every one of which is in the file.
            if format == "raw" { #expect(line.bytes > 1920 * 1080 * 2) }
            let tags = try await Cluster.run(
                ["exiftool", "-s3", "-MIMEType", "-Model", "-ImageWidth", "-OffsetTimeOriginal", path],
                in: cluster
            )
            #expect(tags.output.hasPrefix("\(mime)\nPattern camera, back\n1920\n"), "\(tags.output)")
            let seen = try await cluster.obscura("library", "thumbnail", line.url, "--output", path + ".jpg")
            #expect(seen.status == 0, "\(seen.errors)")
            let decoded = try await Cluster.run(
                ["ffmpeg", "-v", "error", "-xerror", "-i", path, "-f", "null", "-"],
                in: cluster
            )
            #expect(decoded.status == 0, "\(decoded.errors)")
        }
    }

    @Test(arguments: ["forever", "once"])
    func `several photos in a row need one permission, also one for once`(lifespan: String) async throws {
        try await Cluster.with(Self.always) { cluster in
            for (resource, access) in [("camera/pattern-back", "use"), ("library", "addOnly")] {
                let words = ["--resource", resource, "--access", access, "--lifespan", lifespan]
                let granted = try await cluster.obscura(["permissions", "grant"] + words)
                #expect(granted.status == 0, "\(granted.errors)")
            }
            let photos = try await cluster.obscura(
                "photo",
                "--camera",
                "pattern-back",
                "--count",
                "4",
                "--no-prompt",
                "--json"
            )
            #expect(photos.status == 0, "\(photos.errors)")
            let lines = try photos.objects(Line.self)
            #expect(lines.count == 4)
            #expect(Set(lines.map(\.url)).count == 4)
            #expect(lines.allSatisfy { $0.granted.count == 4 && $0.granted.converged == true && $0.state == "ok" })
            #expect(Set(lines.map(\.filename)).count == 4)
            let another = try await cluster.obscura("photo", "--camera", "pattern-back", "--no-prompt", "--json")
            #expect(another.status == (lifespan == "once" ? 75 : 0), "\(another.errors)")
        }
    }

    @Test func `a self-timer ends with its program, and the camera is not opened`() async throws {
        try await Cluster.with(Self.always) { cluster in
            try await cluster.allowEverything()
            let photo = try cluster.start("photo", "--camera", "pattern-back", "--delay", "60s", "--json")
            let soon = try await cluster.obscura("photo", "--camera", "pattern-back", "--when-busy", "refuse", "--json")
            #expect(soon.status == 0, "a countdown keeps nobody from the camera: \(soon.errors)")
            photo.send(SIGINT)
            #expect(await photo.outcome().status == 130)
            let late = try await cluster.obscura(
                "photo",
                "--camera",
                "pattern-back",
                "--delay",
                "5s",
                "--timeout",
                "2s",
                "--json"
            )
            #expect(late.status == 64)
            #expect(try late.error().code == "invalidArgument")
        }
    }
}
