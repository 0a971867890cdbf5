import Foundation
import Glibc
import Testing

/// Films with sound, taken by the real services with the built-in camera and microphone.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SoundTests {
    private struct Progress: Decodable {
        var recording: String?
        var paused: Bool?
    }

    private struct FilmLine: Decodable {
        struct Granted: Decodable { var microphone: String? }
        struct Sound: Decodable {
            struct End: Decodable {
                var at: Double
                var reason: String
            }

            var microphone: String
            var rate: Int
            var gaps: Int
            var ended: End?
        }

        var url: String
        var frames: Int
        var preRoll: Double?
        var granted: Granted
        var sound: Sound?
    }

    private static var patterns: Cluster.Options {
        var options = Cluster.Options()
        options.arguments = ["--built-in-cameras", "always"]
        return options
    }

    private static let words = [
        "record", "--camera", "pattern-back", "--quality", "low", "--microphone", "pattern-microphone", "--json",
    ]

    /// The film's tracks' durations, and what is heard.
    private static func play(_ url: String, _ cluster: Cluster) async throws -> (durations: [Double], heard: [Int16]) {
        let copy = "\(cluster.folder)/film-\(UInt32.random(in: 0...UInt32.max))"
        let read = try await cluster.obscura("library", "read", url, "--output", copy)
        guard read.status == 0 else { throw Missing(what: "the film \(url): \(read.errors)") }
        let probe = ["/usr/bin/ffprobe", "-v", "error", "-show_entries", "stream=duration", "-of", "csv=p=0", copy]
        let durations = try await Cluster.run(probe, in: cluster).lines.compactMap { Double($0.prefix { $0 != "," }) }
        let raw = copy + ".raw"
        let decode = ["/usr/bin/ffmpeg", "-v", "error", "-i", copy, "-map", "0:a", "-f", "s16le", raw]
        let decoded = try await Cluster.run(decode, in: cluster)
        guard decoded.status == 0, decoded.errors.isEmpty else { throw Missing(what: "sound: \(decoded.errors)") }
        let bytes = [UInt8](FileManager.default.contents(atPath: raw) ?? Data())
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
        return (durations, samples)
    }

    /// Hertz, by how often it crosses zero.
    private static func frequency(_ samples: ArraySlice<Int16>) -> Double {
        let crossings = zip(samples, samples.dropFirst()).filter { ($0 < 0) != ($1 < 0) }.count
        return Double(crossings) / 2 / (Double(samples.count) / 48_000)
    }

    @Test(arguments: ["mov", "mp4"])
    func `a film has the microphone's sound, and both tracks are as long, to a frame`(container: String) async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let more = ["--container", container, "--codec", "jpeg", "--duration", "3s"]
            let outcome = try await cluster.obscura(Self.words + more)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let film = try outcome.object(FilmLine.self)
            #expect(film.granted.microphone == "pattern-microphone")
            #expect(film.sound?.rate == 48_000 && film.sound?.ended == nil)
            let (durations, heard) = try await Self.play(film.url, cluster)
            #expect(durations.count == 2)
            #expect(abs((durations.first ?? 0) - (durations.last ?? 0)) < 0.034, "\(durations)")
            let middle = heard[heard.count / 4..<heard.count * 3 / 4]
            #expect(abs(Self.frequency(middle) - 440) < 4)
            // A film that does not ask for sound has none.
            let silent = try await cluster.obscura("record", "--duration", "1s", "--json").object(FilmLine.self)
            #expect(silent.sound == nil && silent.granted.microphone == nil)
        }
    }

    @Test func `the person takes the microphone back, and the film goes on without it`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let film = try cluster.start(Self.words + ["--progress", "--duration", "60s"])
            try await cluster.filmed(2, by: film)
            let revoke = ["permissions", "revoke", "--resource", "microphone/*", "--json"]
            #expect(try await cluster.obscura(revoke).status == 0)
            try await eventually("a film that tells of its end of sound") {
                try String(contentsOfFile: film.output, encoding: .utf8).contains(#""reason":"revoked""#)
            }
            let now = try await cluster.obscura(Self.words + ["--no-prompt"])
            #expect(now.status != 0)
            let error = try now.error()
            #expect(error.code == "dismissed" || error.code == "accessDenied")
            film.send(SIGINT)
            let outcome = await film.outcome()
            #expect(outcome.status == 130, "\(outcome.errors)")
            let last = try #require(outcome.lines.last)
            let line = try JSONDecoder().decode(FilmLine.self, from: Data(last.utf8))
            #expect(line.sound?.ended?.reason == "revoked")
            let (durations, heard) = try await Self.play(line.url, cluster)
            #expect(abs((durations.first ?? 0) - (durations.last ?? 0)) < 0.034, "\(durations)")
            let tail = heard.reversed().prefix { $0 == 0 }.count
            #expect(tail > 1_000 && tail < heard.count - 48_000)
        }
    }

    @Test func `a film with pre-roll is heard from its first picture on, also after it has waited again`() async throws
    {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let film = try cluster.start(Self.words + ["--progress", "--pre-roll", "1s", "--flash", "on"])
            func told() throws -> [Progress] {
                try String(contentsOfFile: film.output, encoding: .utf8).split(separator: "\n").compactMap { line in
                    // The last line may be half written.
                    try? JSONDecoder().decode(Progress.self, from: Data(line.utf8))
                }
            }
            try await eventually("an armed film") { try told().contains { $0.paused == true } }
            let name = try #require(try told().first?.recording)
            #expect(try await cluster.obscura("record", "resume", name).status == 0)
            try await cluster.filmed(1, by: film)
            #expect(try await cluster.obscura("record", "pause", name).status == 0)
            try await eventually("a film that waits again") { try told().last?.paused == true }
            #expect(try await cluster.obscura("record", "resume", name).status == 0)
            try await cluster.filmed(2.5, by: film)
            #expect(try await cluster.obscura("record", "stop", name).status == 0)
            let outcome = await film.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            let line = try JSONDecoder().decode(FilmLine.self, from: Data(try #require(outcome.lines.last).utf8))
            #expect(line.preRoll != nil && line.sound?.ended == nil && line.sound?.rate == 48_000)
            let (durations, heard) = try await Self.play(line.url, cluster)
            #expect(durations.count == 2)
            #expect(abs((durations.first ?? 0) - (durations.last ?? 0)) < 0.034, "\(durations)")
            // A tone from the first picture on: half a period of 440 Hz is 55 samples.
            #expect(heard.prefix(200).contains { abs(Int($0)) > 1_000 })
            #expect(abs(Self.frequency(heard[heard.count / 4..<heard.count * 3 / 4]) - 440) < 8)
        }
    }

    @Test(arguments: ["mov", "mp4"])
    func `a film over which the camera service dies is finished with both tracks`(container: String) async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let more = ["--container", container, "--codec", "jpeg", "--progress", "--duration", "120s"]
            let film = try cluster.start(Self.words + more)
            try await cluster.filmed(3, by: film)
            let victim = try #require(try await cluster.services().first { $0.name == "capture" }?.pid)
            kill(victim, SIGKILL)
            _ = await film.outcome()
            var kept: [AssetLine] = []
            try await eventually("the film in the library") {
                kept = try await cluster.obscura("library", "list", "--kind", "video", "--json").objects()
                return !kept.isEmpty
            }
            let asset = try #require(kept.first)
            #expect(kept.count == 1 && asset.state == "ok")
            let (durations, heard) = try await Self.play(asset.url, cluster)
            // A second may be lost of each, and the sound may come a fragment later than its pictures.
            #expect(durations.count == 2 && durations.allSatisfy { $0 > 1 }, "\(durations)")
            #expect(abs((durations.first ?? 0) - (durations.last ?? 0)) < 1.1, "\(durations)")
            #expect(abs(Self.frequency(heard[heard.count / 4..<heard.count * 3 / 4]) - 440) < 8)
        }
    }

    @Test func `a timelapse has no sound, which is said before anybody is asked`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            let refused = try await cluster.obscura(Self.words + ["--interval", "1s", "--duration", "2s"])
            #expect(refused.status == 64, "\(refused.output)\(refused.errors)")
            #expect(try refused.error().code == "invalidArgument")
            #expect(refused.errors.contains("timelapse") || refused.output.contains("timelapse"))
        }
    }

    @Test func `nothing is filmed where the microphone is refused, and the person is asked for all at once`()
        async throws
    {
        try await Cluster.with(Self.patterns) { cluster in
            for (resource, access) in [("camera/*", "use"), ("library", "addOnly")] {
                let words = ["permissions", "grant", "--resource", resource, "--access", access, "--json"]
                #expect(try await cluster.obscura(words).status == 0)
            }
            let deny = ["permissions", "deny", "--resource", "microphone/*", "--json"]
            #expect(try await cluster.obscura(deny).status == 0)
            let refused = try await cluster.obscura(Self.words + ["--duration", "1s"])
            #expect(refused.status == 77, "\(refused.output)")
            #expect(try refused.error().code == "accessDenied")
            let silent = try await cluster.obscura("record", "--camera", "pattern-back", "--duration", "1s", "--json")
            #expect(silent.status == 0, "\(silent.errors)")
            let missing = try await cluster.obscura("record", "--microphone", "none", "--duration", "1s", "--json")
            #expect(try missing.error().code == "microphoneAbsent")
        }
    }
}
