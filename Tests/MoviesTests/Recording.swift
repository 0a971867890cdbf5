import Foundation
import Imaging
import Media
import Movies

/// A short film made on the spot.
enum Recording {
    static var description: MovieDescription {
        MovieDescription(
            width: 64,
            height: 48,
            orientation: .right,
            time: CaptureTime(microsecondsSince1970: 1_796_003_100_123_456, offsetMinutes: 120),
            make: "Obscura",
            model: "Pattern camera, back",
            software: "obscura-capture"
        )
    }

    /// JPEG pictures that differ, and so do their sizes.
    static func frames(_ count: Int) throws -> [[UInt8]] {
        let encoder = try JPEGEncoder()
        return try (0..<count).map { index in
            let picture = (0..<64 * 48).map { UInt8(($0 * (index + 1)) % 251) }
            return try encoder.encode(picture, shape: PictureShape(layout: .grey, width: 64, height: 48), quality: 50)
        }
    }

    /// Frames that only look like JPEG, of a few bytes.
    static func tinyFrames(_ count: Int) -> [[UInt8]] {
        (0..<count).map { [0xFF, 0xD8] + [UInt8](repeating: UInt8($0), count: 1 + $0 % 3) + [0xFF, 0xD9] }
    }

    /// What ffprobe says, flat: `key=value` lines.
    static func probe(_ path: String) throws -> [String: String] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ffprobe")
        process.arguments = [
            "-v", "error", "-count_frames", "-show_streams", "-show_format", "-of", "flat=s=_", path,
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        var values: [String: String] = [:]
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            values[String(parts[0])] = parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        }
        return values
    }

    static let hasProbe = FileManager.default.isExecutableFile(atPath: "/usr/bin/ffprobe")

    /// Runs the body with a path in a folder of its own, which goes afterwards.
    static func withPath(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "obscura-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appending(path: "film.mov").path)
    }
}
