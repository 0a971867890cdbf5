import Foundation
import Glibc
import Testing

/// What a person allows once is for one living request.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct OnceTests {
    private struct PromptLine: Decodable {
        var prompt: String
        var resource: String
    }

    /// What no test here films with.
    private static let nothing = "camera/pattern-front"

    private static var patterns: Cluster.Options {
        var options = Cluster.Options()
        options.arguments = ["--built-in-cameras", "always"]
        return options
    }

    @Test(arguments: [SIGKILL, SIGHUP])
    func `a question whose command is gone is answered for the next one, once`(signal: Int32) async throws {
        try await Cluster.with(Self.patterns) { cluster in
            let person = try await follow(cluster)
            defer { person.send(SIGINT) }
            let dead = try cluster.start("photo", "--json")
            try await eventually("a question") { try await !prompts(cluster).isEmpty }
            dead.send(signal)
            _ = await dead.outcome()
            let living = try cluster.start("photo", "--json")
            let answers = try await allowOnce(cluster, while: living)
            let photo = await living.outcome()
            #expect(photo.status == 0, "\(photo.errors)")
            #expect(answers == 1, "the person is asked once")
            try await eventually("no grant left") { try await decisions(cluster).isEmpty }
            try await cluster.allowEverything()
            _ = try #require(try await cluster.onlyAsset())
        }
    }

    @Test func `what was allowed once for an export is over with it`() async throws {
        try await Cluster.with(Self.patterns) { cluster in
            let person = try await follow(cluster)
            defer { person.send(SIGINT) }
            for (resource, access) in [("camera/*", "use"), ("library", "addOnly")] {
                let words = ["permissions", "grant", "--resource", resource, "--access", access, "--json"]
                #expect(try await cluster.obscura(words).status == 0)
            }
            #expect(try await cluster.obscura("photo", "--json").status == 0)
            let export = try cluster.start("export", "--to", cluster.folder + "/bag", "--json")
            #expect(try await allowOnce(cluster, while: export) == 1)
            let outcome = await export.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            try await eventually("no grant for once left") {
                try await decisions(cluster).allSatisfy { $0.lifespan != "once" }
            }
        }
    }

    /// Makes somebody there to ask.
    private func follow(_ cluster: Cluster) async throws -> Program {
        let person = try cluster.start("permissions", "prompts", "--follow", "--json")
        try await eventually("somebody to ask") {
            let words = ["permissions", "request", "--resource", Self.nothing, "--timeout", "1", "--json"]
            _ = try await cluster.obscura(words)
            return FileManager.default.contents(atPath: person.output)?.isEmpty == false
        }
        return person
    }

    private func prompts(_ cluster: Cluster) async throws -> [PromptLine] {
        let all = try await cluster.obscura("permissions", "prompts", "--json").objects(PromptLine.self)
        return all.filter { $0.resource != Self.nothing }
    }

    private func decisions(_ cluster: Cluster) async throws -> [PermissionLine] {
        try await cluster.obscura("permissions", "list", "--json").objects()
    }

    /// Answers what is asked while a program runs; a question that is over meanwhile is no answer.
    private func allowOnce(_ cluster: Cluster, while program: Program) async throws -> Int {
        var answers = 0
        try await eventually("the end of the program") {
            for line in try await prompts(cluster) {
                let words = ["permissions", "answer", line.prompt, "allow", "--lifespan", "once", "--json"]
                if try await cluster.obscura(words).status == 0 { answers += 1 }
            }
            return !program.isRunning
        }
        return answers
    }
}
