import Foundation
import Glibc
import Testing

/// Everything that a program of another user may not do in a system deployment.
///
/// Each try is refused, and is logged by the service that refused it. What the kernel refuses before a service hears of it
/// can be in no log of ours.
@Suite(
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: getuid() == 0, "only root can start a system deployment"),
    SharedDeployment()
)
struct IntrusionTests {
    static let me = "uid:\(SystemDeployment.program)"
    static let victim = "uid:\(SystemDeployment.person)"

    @Test func `a program can not answer a prompt, nor learn of one`() async throws {
        try await SystemDeployment.lent().expectRefused(
            [
                .init(name: "permissions.answer", body: ["prompt": "1", "answer": "allow"]),
                .init(name: "permissions.prompts"),
                .init(name: "permissions.prompts.follow", stream: true),
            ],
            ["operatorRequired"]
        )
    }

    @Test func `a program can not stop a use, turn the switch, read the audit log, or record consents`() async throws {
        let record: [String: SystemDeployment.Value] = ["record": "c0123456789abcdef0123456789abcdef"]
        try await SystemDeployment.lent().expectRefused(
            [
                .init(name: "permissions.stop", body: ["use": "capture-1-1"]),
                .init(name: "permissions.switch", body: ["resource": "camera/*"]),
                .init(name: "consent.withdraw", body: record), .init(name: "consent.show", body: record),
                .init(name: "consent.receipt", body: record), .init(name: "consent.list"),
                .init(name: "audit.list"), .init(name: "audit.checkpoints"), .init(name: "audit.seal"),
            ],
            ["operatorRequired"]
        )
    }

    @Test func `a program can not change a decision`() async throws {
        let deployment = try SystemDeployment.lent()
        let person = SystemDeployment.person
        let deny = [
            "permissions", "deny", "--principal", Self.me, "--resource", "location", "--access", "read", "--json",
        ]
        try #require(try await deployment.cluster.obscura(deny, user: person).status == 0)
        try await deployment.expectOperatorRequired(
            ["grant", "deny", "revoke", "reset"].map { verb in
                ["permissions", verb, "--principal", Self.me, "--resource", "location", "--access", "read"]
            }
        )
        let list = ["permissions", "list", "--json"]
        let mine = try await deployment.cluster.obscura(list, user: SystemDeployment.program)
        let decisions = try mine.objects(PermissionLine.self).filter { $0.resource == "location" }
        #expect(decisions.map(\.status) == ["denied"], "\(mine.output)")
        let change: SystemDeployment.Value = ["principal": "\(Self.me)", "resource": "export", "access": "use"]
        try await deployment.expectRefused(
            ["grant", "deny", "revoke", "reset"].map { .init(name: "permissions.\($0)", body: ["change": change]) },
            ["operatorRequired"]
        )
    }

    @Test func `a program learns no decision about another`() async throws {
        let deployment = try SystemDeployment.lent()
        let need: SystemDeployment.Value = [["resource": "library", "access": "read"]]
        try await deployment.expectRefused(
            [
                .init(name: "permissions.list", body: ["principal": "\(Self.victim)"]),
                .init(name: "permissions.status", body: ["principal": "\(Self.victim)", "needs": need]),
            ],
            ["operatorRequired"]
        )
    }

    @Test func `a program can not reach a service's process, sockets or data`() async throws {
        let deployment = try SystemDeployment.lent()
        let before = try await deployment.cluster.services()
        let pids = before.compactMap(\.pid)
        try #require(pids.count == 5)
        let outcome = try await deployment.script(
            "neighbour.py",
            [deployment.cluster.data] + pids.map { String($0) }
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!outcome.output.contains("succeeded"), "\(outcome.output)")
        #expect(outcome.output.contains("tried"))
        let status = try await deployment.cluster.obscura("status", "--wait", "10", "--json")
        #expect(try status.object(StatusLine.self).ready)
        #expect(try await deployment.cluster.services().map(\.pid) == before.map(\.pid))
    }

    @Test func `no key but the right one opens a service's own door, not even for root`() async throws {
        let deployment = try SystemDeployment.lent()
        // The program is stopped by the kernel: the doors are open to the services' user alone.
        let program = try await deployment.script("doors.py")
        #expect(program.status == 0 && !program.output.contains("let in"), "\(program.output)\(program.errors)")
        let mark = deployment.logged()
        let root = try await deployment.script("doors.py", user: 0)
        #expect(root.status == 0 && !root.output.contains("let in"), "\(root.output)\(root.errors)")
        #expect(root.output.contains("knocked at 5 doors"), "\(root.output)")
        for service in ["coordinator", "probe", "capture", "library", "exporter"] {
            let domain = "\(service).roles"
            for reason in ["the role's key is wrong", "no such role"] {
                let isLogged = deployment.hasLogged("connection refused", domain, reason, since: mark)
                #expect(isLogged, "\(domain): \(reason)")
            }
        }
    }

    @Test func `a program can not register as a service, redeem a grant or follow the decisions`() async throws {
        let deployment = try SystemDeployment.lent()
        let redeem: [String: SystemDeployment.Value] = ["grant": "1", "principal": "uid:0"]
        try await deployment.expectRefused(
            [
                .init(name: "services.register", body: ["service": ["name": "library"]]),
                .init(name: "permissions.redeem", body: redeem),
                .init(name: "permissions.release", body: redeem),
                .init(name: "permissions.uses.report", body: ["uses": []]),
                .init(name: "replica.follow", service: "coordinator", stream: true),
            ],
            ["roleRequired"]
        )
        #expect(try await deployment.cluster.obscura("status", "--json").object(StatusLine.self).services.count == 5)
    }

    @Test func `a program can not act on behalf of another`() async throws {
        let victim = SystemDeployment.Try.Delegation(principal: Self.victim, grant: "1")
        let settings: [String: SystemDeployment.Value] = ["settings": ["camera": "pattern-back"]]
        let selection: SystemDeployment.Value = ["query": [:]]
        var tries: [SystemDeployment.Try] = [
            .init(name: "library.groups"), .init(name: "library.assets", body: ["query": [:]], stream: true),
            .init(name: "library.events", stream: true), .init(name: "camera.photo", body: settings),
            .init(name: "library.save", body: ["mediaType": "public.image", "filename": "a.jpg"], upload: "x"),
            .init(name: "camera.record", body: settings, stream: true), .init(name: "export.status"),
            .init(name: "export.start", body: ["selection": selection, "destination": "a"]),
            .init(name: "permissions.request", body: ["needs": [["resource": "library", "access": "read"]]]),
            .init(name: "cameras.list"), .init(name: "services.list"),
        ]
        for index in tries.indices { tries[index].onBehalfOf = victim }
        try await SystemDeployment.lent().expectRefused(tries, ["roleRequired"])
    }
}
