import Foundation

/// A command-line tool of the system, used as an oracle.
enum Tool {
    static func isInstalled(_ name: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
    }

    /// Runs a tool with bytes on its standard input and returns what it prints.
    static func output(of name: String, _ arguments: [String], input: [UInt8]) throws -> String {
        String(decoding: try data(of: name, arguments, input: input), as: UTF8.self)
    }

    /// The pixels of a picture in any format, as FFmpeg decodes it.
    static func raw(_ picture: [UInt8], as format: String) throws -> [UInt8] {
        let after = ["-f", "rawvideo", "-pix_fmt", format, "-"]
        return [UInt8](try data(of: "ffmpeg", ["-v", "error", "-i"], input: picture, after: after))
    }

    private static func data(
        of name: String,
        _ arguments: [String],
        input: [UInt8],
        after: [String] = []
    ) throws -> Data {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".jpg")
        try Data(input).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/\(name)")
        process.arguments = arguments + [file.path] + after
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return data
    }
}
