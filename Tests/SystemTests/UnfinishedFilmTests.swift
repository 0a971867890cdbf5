import Foundation
import Testing

/// What becomes of films that the person ends.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct UnfinishedFilmTests {
    private struct UseLine: Decodable {
        struct NeedLine: Decodable { var resource: String }

        var use: String
        var needs: [NeedLine]
    }

    private struct FilmLine: Decodable {
        var url: String
        var frames: Int
    }

    private struct Progress: Decodable {
        var recording: String?
        var paused: Bool?
    }

    private static var patterns: Cluster.Options {
        var options = Cluster.Options()
        options.arguments = ["--built-in-cameras", "always"]
        return options
    }

    private static func film(_ camera: String, _ cluster: Cluster, _ more: String...) async throws -> Program {
        let words = ["record", "--camera", camera, "--quality", "low", "--duration", "60s", "--json", "--progress"]
        let film = try cluster.start(words + more)
        try await cluster.filmed(1, by: film)
        return film
    }

    private static func progress(of film: Program) throws -> [Progress] {
        try String(contentsOfFile: film.output, encoding: .utf8).split(separator: "\n").compactMap { line in
            // The last line may be half written.
            try? JSONDecoder().decode(Progress.self, from: Data(line.utf8))
        }
    }

    /// The film has ended with what its program is told of a film that was discarded.
    private static func expectDiscarded(_ film: Program) async throws {
        let outcome = await film.outcome()
        #expect(outcome.status == 77, "\(outcome.errors)")
        let error = try outcome.error()
        #expect(error.code == "revoked" && error.parameters?["unfinished"] == "discarded")
        #expect(error.parameters?["asset"] == nil)
        #expect(error.reason?.contains("was discarded") == true, "\(outcome.errors)")
    }

    private static func spooled(_ cluster: Cluster) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: cluster.data + "/capture/spool")
    }

    @Test func `a film of which nothing is to be left is nowhere, and the others go on`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let back = try await Self.film("pattern-back", cluster)
            let front = try await Self.film("pattern-front", cluster)
            let recording = try #require(try Self.progress(of: front).compactMap(\.recording).first)
            let words = ["permissions", "revoke", "--resource", "camera/pattern-back", "--discard"]
            let revoked = try await cluster.obscura(words)
            #expect(revoked.status == 0 && revoked.errors.contains("is discarded"), "\(revoked.errors)")
            try await Self.expectDiscarded(back)
            #expect(front.isRunning)
            #expect(try await cluster.obscura("library", "list", "--json").lines.isEmpty)
            #expect(try Set(Self.spooled(cluster)) == ["\(recording).mov", "\(recording).json"])
            #expect(try await cluster.obscura("record", "stop", recording).status == 0)
            #expect(await front.outcome().status == 0)
            #expect(try await cluster.onlyAsset() != nil)
            #expect(try Self.spooled(cluster).isEmpty)
        }
    }

    @Test func `a paused film whose use is stopped is discarded, and one after it is kept`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let paused = try await Self.film("pattern-back", cluster)
            let name = try #require(try Self.progress(of: paused).compactMap(\.recording).first)
            #expect(try await cluster.obscura("record", "pause", name).status == 0)
            try await eventually("a pause") { try Self.progress(of: paused).contains { $0.paused == true } }
            let uses = try await cluster.obscura("permissions", "uses", "--json").objects(UseLine.self)
            let use = try #require(uses.first { $0.needs.contains { $0.resource == "camera/pattern-back" } })
            let stop = try await cluster.obscura("permissions", "stop", use.use, "--discard")
            #expect(stop.status == 0 && stop.output.contains("is discarded"), "\(stop.errors)")
            try await Self.expectDiscarded(paused)
            // Nothing was decided: the next one may begin, and is kept.
            let next = try await Self.film("pattern-back", cluster)
            let denied = try await cluster.obscura("permissions", "deny", "--resource", "camera/*")
            #expect(denied.status == 0, "\(denied.errors)")
            let error = try await next.outcome().error()
            #expect(error.code == "revoked" && error.parameters?["unfinished"] == "kept")
            #expect(try await cluster.onlyAsset()?.url == error.parameters?["asset"])
            #expect(try Self.spooled(cluster).isEmpty)
        }
    }

    @Test func `a microphone that is taken back with what was heard ends the film, and it is discarded`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            try await cluster.allowEverything()
            let heard = ["--resource", "microphone/pattern-microphone"]
            #expect(try await cluster.obscura(["permissions", "grant"] + heard).status == 0)
            let film = try await Self.film("pattern-back", cluster, "--microphone", "pattern-microphone")
            #expect(try await cluster.obscura(["permissions", "revoke"] + heard + ["--discard"]).status == 0)
            try await Self.expectDiscarded(film)
            #expect(try await cluster.obscura("library", "list", "--json").lines.isEmpty)
            #expect(try Self.spooled(cluster).isEmpty)
        }
    }
}
