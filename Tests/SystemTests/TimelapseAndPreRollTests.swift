import Foundation
import Testing

/// Films of less, and of more, than the time in which they are taken; and their light.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TimelapseAndPreRollTests {
    private struct FilmLine: Decodable {
        struct Granted: Decodable {
            var interval: Double?
            var playbackFramesPerSecond: Double?
            var maximumDuration: Double?
            var flash: String?
            var flashFired: Bool?
        }

        var url: String
        var duration: Double?
        var frames: Int
        var missedPictures: Int?
        var preRoll: Double?
        var granted: Granted
        var state: String
    }

    private struct Progress: Decodable {
        var type: String
        var recording: String?
        var frames: Int?
        var paused: Bool?
    }

    private static var patterns: Cluster.Options {
        var options = Cluster.Options()
        options.arguments = ["--built-in-cameras", "always"]
        return options
    }

    private static func progress(of film: Program) throws -> [Progress] {
        try String(contentsOfFile: film.output, encoding: .utf8).split(separator: "\n").compactMap { line in
            // The last line may be half written.
            try? JSONDecoder().decode(Progress.self, from: Data(line.utf8))
        }
    }

    /// A film that waits for the wish to begin, and its name.
    private static func armedFilm(on cluster: Cluster) async throws -> (film: Program, recording: String) {
        let words = ["record", "--camera", "pattern-back", "--pre-roll", "1s", "--json", "--progress"]
        let film = try cluster.start(words)
        try await eventually("an armed film") { try progress(of: film).contains { $0.paused == true } }
        return (film, try #require(try progress(of: film).first?.recording))
    }

    @Test(arguments: ["mov", "mp4"])
    func `a timelapse plays its pictures evenly, and its maximum is time of filming`(container: String) async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let words = ["--interval", "250ms", "--playback-fps", "10", "--duration", "2s", "--container", container]
            let outcome = try await cluster.obscura(["record", "--camera", "pattern-back", "--json"] + words)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let film = try outcome.object(FilmLine.self)
            // Eight are due; a machine that is busy may miss some, and says so.
            #expect((1...8).contains(film.frames) && film.frames + (film.missedPictures ?? 9) <= 8)
            #expect(abs((film.duration ?? 0) - Double(film.frames) / 10) < 0.01)
            #expect(film.granted.interval == 0.25 && film.granted.playbackFramesPerSecond == 10)
            #expect(film.granted.maximumDuration == 2)
            #expect(try await cluster.framesPlayed(of: film.url) == film.frames)
        }
    }

    @Test func `a film with pre-roll waits for another command, and begins before it`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let (film, name) = try await Self.armedFilm(on: cluster)
            // It is a use of the camera as any other.
            #expect(try Self.progress(of: film).allSatisfy { $0.frames == 0 })
            #expect(try await cluster.obscura("record", "resume", name).status == 0)
            try await cluster.filmed(1, by: film)
            #expect(try await cluster.obscura("record", "stop", name).status == 0)
            let outcome = await film.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            let result = try JSONDecoder().decode(FilmLine.self, from: Data(try #require(outcome.lines.last).utf8))
            #expect(result.state == "ok" && result.frames > 0)
            #expect((0...1).contains(try #require(result.preRoll)))
            #expect(try await cluster.framesPlayed(of: result.url) == result.frames)
            #expect(try await cluster.obscura("record", "stop", name).status != 0)
        }
    }

    @Test func `an armed film that is revoked, or stopped before it has begun, leaves nothing`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            for isRevoked in [false, true] {
                let (film, name) = try await Self.armedFilm(on: cluster)
                let words =
                    isRevoked
                    ? ["permissions", "revoke", "--resource", "camera/pattern-back"] : ["record", "stop", name]
                #expect(try await cluster.obscura(words).status == 0)
                let outcome = await film.outcome()
                #expect(outcome.status == (isRevoked ? 77 : 130), "\(outcome.errors)")
            }
            #expect(try await cluster.obscura("library", "list", "--json").lines.isEmpty)
        }
    }

    @Test func `the light of a film is what was asked, where there is one`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            for (camera, flash, fired) in [("pattern-back", "on", true), ("pattern-front", "off", nil)]
                as [(
                    String, String, Bool?
                )]
            {
                let outcome = try await cluster.obscura(
                    "record",
                    "--camera",
                    camera,
                    "--flash",
                    "on",
                    "--duration",
                    "500ms",
                    "--json"
                )
                #expect(outcome.status == 0, "\(outcome.errors)")
                let film = try outcome.object(FilmLine.self)
                #expect(film.granted.flash == flash && film.granted.flashFired == fired)
            }
        }
    }
}
