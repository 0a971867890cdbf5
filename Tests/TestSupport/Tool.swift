package import Foundation

/// Programs of the system that tests compare with or make files with.
package enum Tool {
    /// Whether the system has it.
    package static func isInstalled(_ name: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
    }

    /// What the program prints; nothing when it fails at once.
    package static func run(_ name: String, _ arguments: [String], in directory: String = "/") throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/\(name)")
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: directory)
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return output
    }

    /// What the program prints, as text.
    package static func text(_ name: String, _ arguments: [String]) throws -> String {
        String(decoding: try run(name, arguments), as: UTF8.self)
    }

    /// What the program prints about a file of these bytes, which is named between the arguments.
    package static func run(
        _ name: String,
        _ before: [String],
        file bytes: [UInt8],
        _ after: [String] = []
    ) throws -> Data {
        try inTemporaryDirectory { folder in
            // exiftool holds a file with the name of a TIFF to baseline TIFF alone.
            let file = folder.appending(path: "file.jpg")
            try Data(bytes).write(to: file)
            return try run(name, before + [file.path] + after)
        }
    }

    /// What the program prints about a file of these bytes, as text.
    package static func text(_ name: String, _ arguments: [String], file bytes: [UInt8]) throws -> String {
        String(decoding: try run(name, arguments, file: bytes), as: UTF8.self)
    }

    /// The pixels of a picture in any format, as FFmpeg decodes it.
    package static func raw(_ picture: [UInt8], as format: String) throws -> [UInt8] {
        let after = ["-f", "rawvideo", "-pix_fmt", format, "-"]
        return Array(try run("ffmpeg", ["-v", "error", "-i"], file: picture, after))
    }

    /// The bytes of a film or picture that ffmpeg makes from its own test pattern.
    package static func pattern(
        _ name: String,
        _ arguments: [String],
        size: String = "64x48",
        seconds: String = "1"
    ) throws -> [UInt8] {
        try inTemporaryDirectory { folder in
            let source = ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=\(size):rate=10:duration=\(seconds)"]
            _ = try run("ffmpeg", source + arguments + [name], in: folder.path)
            return Array(try Data(contentsOf: folder.appending(path: name)))
        }
    }

    /// Runs the body with a new directory.
    package static func inTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "obscura-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // What can not be removed is left for the system's own cleaning.
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}

/// The real pictures and films that `Tests/Corpus/fetch` brings.
package enum Corpus {
    /// Where they lie.
    package static let directory: String = {
        var place = URL(filePath: #filePath)
        for _ in 0..<3 { place.deleteLastPathComponent() }
        return place.appending(path: ".build/corpus/exiftool").path
    }()

    /// Whether all of them are there, and the program that tests compare with.
    package static var isThere: Bool {
        FileManager.default.fileExists(atPath: directory + "/.complete") && Tool.isInstalled("exiftool")
    }

    /// One of them.
    package static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: directory).appending(path: name)))
    }

    /// All of them, in order.
    package static var names: [String] {
        // Without the corpus there is nothing to go through.
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }
}
