import Foundation

/// Pictures for the tests, made by FFmpeg, which no part of what is tested for JPEG uses.
enum Pictures {
    /// A JPEG of a test pattern, without the comment that FFmpeg writes otherwise: words may say where it was made.
    static func jpeg(_ name: String, seed: Int = 0, in folder: Folder) async throws -> String {
        try await make(
            name,
            [
                "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=1,hue=h=\(seed * 30)", "-frames:v", "1", "-q:v", "3",
                "-flags", "+bitexact",
            ],
            in: folder
        )
    }

    /// A second of motion JPEG in MOV.
    static func movie(_ name: String, in folder: Folder) async throws -> String {
        try await make(
            name,
            ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10", "-t", "1", "-c:v", "mjpeg", "-q:v", "5"],
            in: folder
        )
    }

    private static func make(_ name: String, _ arguments: [String], in folder: Folder) async throws -> String {
        let file = "\(folder.path)/\(name)"
        let outcome = try await Cluster.run(
            ["/usr/bin/ffmpeg", "-nostdin", "-loglevel", "error", "-y"] + arguments + [file],
            environment: Cluster.environment(home: folder.path),
            directory: folder.path
        )
        guard outcome.status == 0 else { throw Missing(what: "a picture by ffmpeg: \(outcome.errors)") }
        return file
    }
}
