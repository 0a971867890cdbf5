import Cameras
import Files
import Foundation
import Imaging
import Media
import Movies
import Testing

/// Folders and films for file cameras, made on the spot.
enum Footage: String, CaseIterable, Sendable {
    case pictures, film, h264

    /// Frames of each, 0.1 s apart but for the third of a film, which is shown for 0.3 s.
    static let count = 6

    /// Runs the body with the path of the footage.
    func with<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let place = try TemporaryDirectory(prefix: "obscura-footage")
        let folder = place.path
        let path: String
        switch self {
        case .pictures:
            path = folder + "/pictures"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            for (index, picture) in try Self.jpegs().enumerated() {
                try Data(picture).write(to: URL(filePath: "\(path)/\(index).jpg"))
            }
            try Data("no picture".utf8).write(to: URL(filePath: path + "/notes.txt"))
        case .film:
            path = folder + "/film.mov"
            try Self.write(path, .motionJPEG, try Self.jpegs().map { ($0, true) })
        case .h264:
            path = folder + "/film.mp4"
            let units = try Self.units()
            let configuration = try #require(units.first?.configuration)
            try Self.write(path, .h264(configuration), units.map { ($0.sample, $0.isKey) })
        }
        let result = try await body(path)
        _ = consume place
        return result
    }

    /// JPEG pictures whose top left block is brighter from one to the next.
    static func jpegs() throws -> [[UInt8]] {
        let encoder = try JPEGEncoder()
        return try (0..<count).map { index in
            let shape = PictureShape(layout: .grey, width: 64, height: 48, isFullRange: true)
            return try encoder.encode(
                [UInt8](repeating: UInt8(20 + 30 * index), count: 64 * 48),
                shape: shape,
                quality: 90
            )
        }
    }

    /// Pictures of H.264, of which each third is a key.
    static func units() throws -> [H264AccessUnit] {
        let stream = try ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10", "-frames:v", "\(count)", "-c:v", "libx264", "-preset",
            "ultrafast", "-bf", "0", "-pix_fmt", "yuv420p", "-x264-params",
            "aud=1:keyint=3:min-keyint=3:scenecut=0:repeat-headers=1", "-f", "h264", "-",
        ])
        var pictures: [[[UInt8]]] = []
        for range in AnnexB.units(of: stream) {
            if stream[range.lowerBound] & 0x1F == 9 { pictures.append([]) }
            if !pictures.isEmpty { pictures[pictures.count - 1].append(Array(stream[range])) }
        }
        return try pictures.map { try #require(H264AccessUnit(annexB: AnnexB.stream(of: $0))) }
    }

    /// What ffmpeg writes to its standard output.
    @discardableResult
    static func ffmpeg(_ words: [String]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        process.arguments = ["-v", "error"] + words
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let written = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        return written
    }

    /// Milliseconds at which a film's frames start, and its length.
    static let starts: [Int64] = [0, 100, 200, 500, 600, 700]
    static let length: Int64 = 800

    private static func write(_ path: String, _ pictures: MoviePictures, _ frames: [([UInt8], Bool)]) throws {
        var description = MovieDescription(
            width: 64,
            height: 48,
            time: CaptureTime(microsecondsSince1970: 1_796_003_100_000_000, offsetMinutes: 0),
            make: "Test",
            model: "Test",
            software: "Test"
        )
        description.pictures = pictures
        var writer = try MovieWriter(description, file: DescriptorMovieFile(creating: path))
        for (index, (bytes, isKey)) in frames.enumerated() {
            try writer.append(bytes, at: starts[index] * 1_000, isKey: isKey)
        }
        _ = try writer.finish()
    }
}
