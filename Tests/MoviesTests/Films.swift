import Foundation
import Media
import Movies
import Testing

/// Films of every kind that is written, from real pictures.
enum Films {
    /// What a film is of and in.
    struct Kind: Hashable, Sendable, CustomTestStringConvertible {
        let container: FilmContainer
        let codec: FilmCodec
        var hasSound = false

        var testDescription: String { "\(codec) in \(container)" + (hasSound ? " with sound" : "") }
    }

    static let kinds = FilmContainer.allCases.flatMap { container in
        FilmCodec.allCases.map { Kind(container: container, codec: $0) }
    }

    /// The same with a track of sound each.
    static let audible = kinds.map { Kind(container: $0.container, codec: $0.codec, hasSound: true) }

    /// One picture as `MovieWriter` takes it.
    struct Frame {
        let bytes: [UInt8]
        let isKey: Bool
    }

    /// Runs a tool and gives what it wrote to its standard output; what it complained of is returned too.
    static func run(_ tool: String, _ arguments: [String], input: [UInt8] = []) throws -> (
        output: [UInt8], words: String
    ) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/" + tool)
        process.arguments = arguments
        let output = Pipe()
        let words = FileManager.default.temporaryDirectory.appending(path: "obscura-words-" + UUID().uuidString)
        _ = FileManager.default.createFile(atPath: words.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: words) }
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: words)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return ([UInt8](data), String(decoding: try Data(contentsOf: words), as: UTF8.self))
    }

    /// An H.264 stream that FFmpeg made, with a delimiter before each picture and a key each `keys` pictures.
    static func stream(
        _ count: Int,
        size: String = "64x48",
        keys: Int = 5,
        options: [String] = ["-bf", "0"]
    ) throws -> [UInt8] {
        let made = try run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=\(size):rate=10", "-frames:v", "\(count)"]
                + ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"] + options
                + ["-x264-params", "aud=1:keyint=\(keys):min-keyint=\(keys):scenecut=0:repeat-headers=1"]
                + ["-f", "h264", "-"]
        )
        try #require(made.words == "")
        return made.output
    }

    /// A stream's pictures, told apart by their delimiters.
    static func units(_ stream: [UInt8]) -> [[UInt8]] {
        var pictures: [[[UInt8]]] = []
        for range in AnnexB.units(of: stream) {
            if stream[range.lowerBound] & 0x1F == 9 { pictures.append([]) }
            if !pictures.isEmpty { pictures[pictures.count - 1].append(Array(stream[range])) }
        }
        return pictures.map { AnnexB.stream(of: $0) }
    }

    /// A description, and frames that go with it.
    static func film(
        _ kind: Kind,
        frames count: Int,
        keys: Int = 5,
        options: [String] = []
    ) throws -> (MovieDescription, [Frame]) {
        var description = Recording.description
        description.container = kind.container
        if kind.hasSound { description.sound = try Sounds.description(kind.container) }
        switch kind.codec {
        case .jpeg:
            return (description, try Recording.frames(count).map { Frame(bytes: $0, isKey: true) })
        case .h264:
            let stream = try stream(count, keys: keys, options: ["-bf", "0"] + options)
            let units = try units(stream).map { try #require(H264AccessUnit(annexB: $0)) }
            description.pictures = .h264(try #require(units.first?.configuration))
            return (description, units.map { Frame(bytes: $0.sample, isKey: $0.isKey) })
        }
    }

    /// A film in memory of ten frames a second, in fragments of half a second.
    static func written(_ kind: Kind, frames count: Int, finishing: Bool) throws -> [UInt8] {
        let (description, frames) = try film(kind, frames: count)
        var sounds = try kind.hasSound ? Sounds.packets(kind.container, frames: count) : []
        var writer = try MovieWriter(description, file: MemoryMovieFile(), fragmentMicroseconds: 500_000)
        for (index, frame) in frames.enumerated() {
            try writer.append(frame.bytes, at: Int64(index) * 100_000, isKey: frame.isKey)
            if !sounds.isEmpty { try writer.append(sound: sounds.removeFirst()) }
        }
        if finishing { _ = try writer.finish() }
        return writer.file.bytes
    }

    /// What FFmpeg complains of when it decodes the whole film.
    static func complaints(_ path: String) throws -> String {
        let words = try run("ffmpeg", ["-v", "warning", "-xerror", "-i", path, "-map", "0", "-f", "null", "-"]).words
        // PCM in QuickTime says how many channels it has and not which; FFmpeg remarks on that.
        return words.split(separator: "\n").filter { !$0.hasPrefix("Guessed Channel Layout") }.joined(separator: "\n")
    }

    /// The flags of the packets, one a line: `K_` for a key.
    static func flags(_ path: String) throws -> [String] {
        let text = try run(
            "ffprobe",
            ["-v", "error", "-select_streams", "v", "-show_entries", "packet=flags", "-of", "csv=p=0", path]
        ).output
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map { String($0.prefix(2)) }
    }
}
