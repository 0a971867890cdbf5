import Foundation
import Testing

/// Films of every kind, taken by the real services from cameras that need no hardware.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FilmTests {
    private struct Granted: Decodable {
        var container: String?
        var codec: String?
    }

    private struct FilmLine: Decodable {
        var url: String
        var uti: String?
        var filename: String?
        var width: Int?
        var frames: Int
        var camera: String
        var granted: Granted
        var state: String
    }

    /// Makes a film of two seconds for a camera to replay.
    private static func footage(_ codec: [String], _ name: String, in folder: Folder) async throws -> String {
        let path = folder.path + "/" + name
        let source = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=20", "-t", "2"]
        let made = try await Cluster.run(
            ["/usr/bin/ffmpeg"] + source + codec + [path],
            environment: [:],
            directory: folder.path
        )
        guard made.status == 0 else { throw Missing(what: "a film to replay: \(made.errors)") }
        return path
    }

    @Test func `pattern and file cameras film in both containers and both ways, and what was granted is told`()
        async throws
    {
        let folder = try Folder()
        defer { folder.remove() }
        let camera = try await Self.footage(
            ["-c:v", "libx264", "-bf", "0", "-g", "10", "-pix_fmt", "yuv420p"],
            "camera.mp4",
            in: folder
        )
        let webcam = try await Self.footage(["-c:v", "mjpeg", "-pix_fmt", "yuvj422p"], "webcam.mov", in: folder)
        var options = Cluster.Options()
        options.arguments = ["--built-in-cameras", "always", "--file-cameras", "\(camera),\(webcam)"]
        try await Cluster.with(options) { cluster in
            try await cluster.allowEverything()
            let wishes: [(camera: String, asked: [String], container: String, codec: String)] = [
                ("pattern-back", ["--container", "mp4"], "mp4", "h264"),
                ("pattern-back", ["--codec", "h264"], "mov", "h264"),
                ("file-camera", [], "mov", "h264"),
                ("file-camera", ["--container", "mp4", "--codec", "jpeg"], "mp4", "h264"),
                ("file-webcam", ["--container", "mp4"], "mp4", "jpeg"),
                ("file-webcam", [], "mov", "jpeg"),
            ]
            for wish in wishes {
                let words = ["record", "--camera", wish.camera, "--duration", "1.5s", "--json"] + wish.asked
                let outcome = try await cluster.obscura(words)
                #expect(outcome.status == 0, "\(outcome.errors)")
                let film = try outcome.object(FilmLine.self)
                #expect(film.granted.container == wish.container && film.granted.codec == wish.codec)
                #expect(film.uti == (wish.container == "mov" ? "com.apple.quicktime-movie" : "public.mpeg-4"))
                #expect(film.state == "ok" && film.frames > 5)
                #expect(try await cluster.framesPlayed(of: film.url) == film.frames)
            }
            // A camera that gives JPEG gives photos too; one of H.264 has none.
            #expect(try await cluster.obscura("photo", "--camera", "file-webcam", "--json").status == 0)
            for words in [["photo"], ["preview", "--frames", "1"]] {
                let refused = try await cluster.obscura(words + ["--camera", "file-camera", "--json"])
                let error = try refused.error()
                #expect(refused.status != 0 && error.code == "invalidArgument")
                #expect(error.cause == "mediaTypeUnavailable" && error.parameters?["camera"] == "file-camera")
            }
        }
    }

    @Test func `a film ends before it is larger than it may be`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let outcome = try await cluster.obscura(
                "record",
                "--quality",
                "1280x720",
                "--maximum-bytes",
                "1000000",
                "--duration",
                "60s",
                "--json"
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            let asset = try #require(try await cluster.onlyAsset())
            #expect(asset.bytes <= 1_000_000)
        }
    }
}
