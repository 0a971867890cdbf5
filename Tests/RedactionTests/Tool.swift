import Foundation

/// Programs of the system that tests compare with or make files with.
enum Tool {
    static func isInstalled(_ name: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
    }

    /// What the program prints; an empty text when it fails.
    static func run(_ name: String, _ arguments: [String], in directory: String) throws -> Data {
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

    /// The bytes of a film or picture that ffmpeg makes from its own test pattern.
    static func pattern(_ name: String, _ arguments: [String], size: String = "64x48", seconds: String = "1") throws
        -> [UInt8]
    {
        let place = FileManager.default.temporaryDirectory.appending(path: "obscura-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        // What can not be removed is left for the system's own cleaning.
        defer { try? FileManager.default.removeItem(at: place) }
        let source = ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=\(size):rate=10:duration=\(seconds)"]
        _ = try run("ffmpeg", source + arguments + [name], in: place.path)
        return Array(try Data(contentsOf: place.appending(path: name)))
    }
}

/// The real pictures and films that `Tests/Corpus/fetch` brings.
enum Corpus {
    static let directory: String = {
        var place = URL(filePath: #filePath)
        for _ in 0..<3 { place.deleteLastPathComponent() }
        return place.appending(path: ".build/corpus/exiftool").path
    }()

    static var isThere: Bool {
        FileManager.default.fileExists(atPath: directory + "/.complete") && Tool.isInstalled("exiftool")
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: directory).appending(path: name)))
    }

    static var names: [String] {
        // Without the corpus there is nothing to go through.
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }
}
