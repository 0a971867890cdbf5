import Foundation
import Glibc
import Testing

/// The deployment in which consent holds against other users' programs: three users, and what the program tries.
@Suite(
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: getuid() == 0, "only root can start a system deployment"),
    SharedDeployment()
)
struct SystemDeploymentTests {
    @Test func `services run as their own user and nobody else can read what they keep`() async throws {
        let cluster = try SystemDeployment.lent().cluster
        let status = try await cluster.obscura("status", "--json").object(StatusLine.self)
        #expect(status.deployment == "system")
        let user = try #require(unsafe getpwnam("obscura")?.pointee.pw_uid)
        for service in status.services {
            let pid = try #require(service.pid)
            let attributes = try FileManager.default.attributesOfItem(atPath: "/proc/\(pid)")
            #expect(attributes[.ownerAccountID] as? UInt32 == user, "\(service.name)")
        }
        let read = try await Cluster.run(
            ["/bin/sh", "-c", "ls \"$0\" || cat \"$0\"/*", cluster.data],
            user: SystemDeployment.program,
            in: cluster
        )
        #expect(read.status != 0)
        #expect(read.output.isEmpty)
        let take = try await Cluster.run(
            ["/bin/sh", "-c", "rm -f \"$0\"/*.sock; touch \"$0/mine\"; ls \"$0\"/keys", cluster.runtime],
            user: SystemDeployment.program,
            in: cluster
        )
        #expect(take.status != 0)
        #expect(try await cluster.obscura("status", "--json").object(StatusLine.self).ready)
    }

    @Test func `a program can not decide for the person`() async throws {
        let cluster = try SystemDeployment.lent().cluster
        let me = "uid:\(SystemDeployment.program)"
        let tries = [
            ["permissions", "grant", "--principal", me, "--resource", "camera/*"],
            ["permissions", "reset", "--principal", me, "--resource", "camera/*"],
            ["permissions", "revoke", "--principal", me, "--resource", "camera/*"],
            ["permissions", "prompts"],
            ["library", "import", "/etc/hostname"],
            ["library", "verify"],
        ]
        try await SystemDeployment.lent().expectOperatorRequired(tries)
        let photo = try await cluster.obscura(["photo", "--no-prompt", "--json"], user: SystemDeployment.program)
        #expect(photo.status == 77 || photo.status == 75)
    }

    @Test func `the operator answers the program's prompt and the program can not`() async throws {
        let cluster = try SystemDeployment.lent().cluster
        // Whoever follows prompts is there to be asked; without one the answer is `dismissed`, cause `noPrompter`.
        let alone = try await cluster.obscura(["photo", "--json"], user: SystemDeployment.program)
        #expect(alone.status == 75)
        #expect(try alone.error().cause == "noPrompter")
        let panel = try cluster.start("permissions", "prompts", "--follow", "--json", user: SystemDeployment.person)
        defer { panel.send(SIGINT) }
        var photo = try cluster.start("photo", "--timeout", "60", "--json", user: SystemDeployment.program)
        var prompts: [PromptLine] = []
        try await eventually("the prompt") {
            prompts = try await cluster.obscura(["permissions", "prompts", "--json"], user: SystemDeployment.person)
                .objects()
            // It was asked before the panel was there.
            if prompts.isEmpty, !photo.isRunning {
                photo = try cluster.start("photo", "--timeout", "60", "--json", user: SystemDeployment.program)
            }
            return !prompts.isEmpty
        }
        let prompt = try #require(prompts.first)
        #expect(prompt.principal == "uid:\(SystemDeployment.program)")
        let answer = ["permissions", "answer", prompt.prompt, "allow", "--json"]
        let own = try await cluster.obscura(answer, user: SystemDeployment.program)
        #expect(own.status == 77)
        #expect(try own.error().code == "operatorRequired")
        let given = try await cluster.obscura(answer, user: SystemDeployment.person)
        #expect(given.status == 0, "\(given.errors)")
        let outcome = await photo.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        // What the program took is its own: somebody else has to ask for the library.
        let url = try outcome.object(AssetLine.self).url
        let stranger = try await cluster.obscura(["library", "show", url, "--no-prompt", "--json"], user: 61_004)
        #expect(stranger.status == 77 || stranger.status == 75)
    }

    @Test func `a program can not pass for a service`() async throws {
        let deployment = try SystemDeployment.lent()
        let mark = deployment.logged()
        let outcome = try await deployment.script("impostor.py")
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(deployment.hasLogged("roleRequired", "uid:\(SystemDeployment.program)", since: mark))
    }
}

struct PromptLine: Decodable {
    var prompt: String
    var principal: String
    var resource: String
    var access: String
}
