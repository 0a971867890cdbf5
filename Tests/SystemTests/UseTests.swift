import Foundation
import Glibc
import Testing

/// What a person sees and ends while it goes on, and lifespans that end by themselves.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct UseTests {
    private struct UseLine: Decodable {
        var use: String
        var service: String
        var needs: [NeedLine]
    }

    private struct NeedLine: Decodable {
        var resource: String
        var access: String
    }

    private struct DecisionLine: Decodable {
        var resource: String
        var status: String
        var lifespan: String?
    }

    private func filming(_ cluster: Cluster) async throws -> UseLine? {
        let uses = try await cluster.obscura("permissions", "uses", "--json").objects(UseLine.self)
        return uses.first { $0.service == "capture" && $0.needs.contains { $0.resource.hasPrefix("camera/") } }
    }

    @Test func `a film is seen while it goes on, and can be stopped without changing a decision`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let film = try cluster.start("record", "--duration", "60s", "--json", "--progress")
            try await cluster.filmed(1, by: film)
            let use = try #require(try await filming(cluster))
            let stop = try await cluster.obscura("permissions", "stop", use.use, "--json")
            #expect(stop.status == 0, "\(stop.errors)")
            let outcome = await film.outcome()
            #expect(outcome.status == 77)
            let error = try outcome.error()
            #expect(error.code == "revoked" && error.cause == "stopped", "\(outcome.errors)")
            let kept = try #require(try await cluster.onlyAsset())
            #expect(kept.kind == "video" && kept.state == "ok")
            let photo = try await cluster.obscura("photo", "--no-prompt", "--json")
            #expect(photo.status == 0, "what was decided stands: \(photo.errors)")
            try await eventually("nothing in use") { try await filming(cluster) == nil }
            let again = try await cluster.obscura("permissions", "stop", use.use, "--json")
            #expect(again.status == 66)
        }
    }

    @Test func `a grant for a session lasts as long as what rests on it, and ten seconds more`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let words = ["permissions", "grant", "--resource", "camera/*", "--lifespan", "session", "--json"]
            #expect(try await cluster.obscura(words).status == 0)
            let session = try cluster.start("permissions", "session")
            let film = try cluster.start("record", "--duration", "12s", "--json", "--progress")
            let outcome = await film.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try await cluster.obscura("photo", "--no-prompt", "--json").status == 0)
            session.send(SIGINT)
            #expect(await session.outcome().status == 130)
            try await eventually("the end of the session") {
                try await cluster.obscura("permissions", "list", "--json").objects(DecisionLine.self)
                    .allSatisfy { $0.lifespan != "session" }
            }
            #expect(try await cluster.obscura("photo", "--no-prompt", "--json").status == 75)
        }
    }

    @Test func `the switch ends a film at once, and gives back what was decided`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let film = try cluster.start("record", "--duration", "60s", "--json", "--progress")
            try await cluster.filmed(1, by: film)
            #expect(try await cluster.obscura("permissions", "switch", "camera/*", "off", "--json").status == 0)
            let outcome = await film.outcome()
            #expect(outcome.status == 77)
            #expect(try outcome.error().cause == "restricted", "\(outcome.errors)")
            let photo = try await cluster.obscura("photo", "--json")
            #expect(photo.status == 77)
            let error = try photo.error()
            #expect(error.code == "accessRestricted" && error.cause == "switch")
            #expect(error.recoverySuggestion?.contains("obscura permissions switch 'camera/*' on") == true)
            let cameras = try await cluster.obscura("cameras", "list", "--json").objects(CameraLine.self)
            #expect(!cameras.isEmpty && cameras.allSatisfy { $0.availability.state == "disabled" }, "\(cameras)")
            #expect(cameras.first?.availability.reason?.contains("switched it off") == true)
            let microphones = try await cluster.obscura("microphones", "list", "--json").output
            #expect(microphones.contains("available"), "\(microphones)")
            #expect(try await cluster.obscura("permissions", "switch", "camera/*", "on", "--json").status == 0)
            #expect(try await cluster.obscura("photo", "--json").status == 0)
            // Where none was named, the camera that can be used is taken.
            let off = try await cluster.obscura("permissions", "switch", "camera/pattern-back", "off", "--json")
            #expect(off.status == 0)
            let front = try await cluster.obscura("photo", "--json")
            #expect(front.status == 0 && front.output.contains(#""camera":"pattern-front""#), "\(front.output)")
            #expect(try await cluster.obscura("photo", "--camera", "pattern-back", "--json").status == 77)
            #expect(
                try await cluster.obscura("permissions", "switch", "camera/pattern-back", "on", "--json").status == 0
            )
        }
    }

    @Test func `a policy file allows without a question, and ends a film by itself when it is written`() async throws {
        try await Folder.with { folder in
            let path = folder.path + "/policy.json"
            let us = "uid:\(getuid())"
            let granting = Data(#"{"granted": ["camera/* use for \#(us)", "library addOnly for \#(us)"]}"#.utf8)
            try granting.write(to: URL(filePath: path))
            var options = Cluster.Options()
            options.arguments = ["--policy", path]
            try await Cluster.with(options) { cluster in
                let film = try cluster.start("record", "--duration", "60s", "--no-prompt", "--json", "--progress")
                try await cluster.filmed(1, by: film)
                try Data(#"{"restricted": ["camera/*"]}"#.utf8).write(to: URL(filePath: path), options: .atomic)
                let outcome = await film.outcome()
                #expect(outcome.status == 77)
                #expect(try outcome.error().cause == "restricted", "\(outcome.errors)")
                try Data("{".utf8).write(to: URL(filePath: path))
                try await eventually("the fault is told") {
                    try await cluster.obscura("status", "--json").output.contains("stays in force")
                }
                #expect(
                    try await cluster.obscura("photo", "--no-prompt", "--json").status == 77,
                    "the policy before holds"
                )
                try FileManager.default.removeItem(atPath: path)
                try granting.write(to: URL(filePath: path))
                try await eventually("a photo") {
                    try await cluster.obscura("photo", "--no-prompt", "--json").status == 0
                }
            }
        }
    }

    @Test func `a receipt of the cluster is verified by its key, and a changed one is not`() async throws {
        try await Cluster.with { cluster in
            let notice = cluster.folder + "/notice.json"
            let example = try await cluster.obscura("consent", "notice")
            try Data(example.output.utf8).write(to: URL(filePath: notice))
            let file = cluster.folder + "/receipt.json"
            let give = ["consent", "give", "--subject", "guest-17", "--notice", notice, "--output", file, "--json"]
            let given = try await cluster.obscura(give)
            #expect(given.status == 0, "\(given.errors)")
            let key = try await cluster.obscura("consent", "key").output.trimmingCharacters(in: .newlines)
            let verified = try await cluster.obscura("consent", "verify", file, "--key", key, "--json")
            #expect(verified.status == 0, "\(verified.errors)")
            var changed = try String(contentsOfFile: file, encoding: .utf8)
            changed = changed.replacingOccurrences(of: "guest-17", with: "guest-18")
            try Data(changed.utf8).write(to: URL(filePath: file))
            #expect(try await cluster.obscura("consent", "verify", file).status == 65)
        }
    }
}
