import Consent
import Glibc
import Hashing
import Logging
import MessageSchema
import TestSupport
import Testing

@testable import Messaging

@Suite("Who is calling", .timeLimit(.minutes(1)))
struct IdentityTests {
    private func askingCluster(deployment: Deployment = .personal) async throws -> Cluster {
        let cluster = try Cluster(deployment: deployment)
        await cluster.server.register(Who.self) { _, call in Who.Reply(call) }
        await cluster.server.register(Hang.self, access: .anyRole) { _, _ in Empty() }
        await cluster.server.register(Fail.self, access: .roles(.library)) { _, _ in Empty() }
        await cluster.server.register(Echo.self, access: .admitting { _ in ErrorReply(.operatorRequired, "no") }) {
            _,
            _ in
            Empty()
        }
        try await cluster.server.start()
        return cluster
    }

    @Test func `a program is its user, with the kernel's word for it`() async throws {
        let cluster = try await askingCluster()
        let who = try await cluster.client().call(Who())
        #expect(who.uid == geteuid())
        #expect(who.pid == getpid())
        #expect(who.role == nil)
        #expect(!who.label.isEmpty)
        let proven = try #require(Principal(who.principal))
        switch proven {
        case .user(let user): #expect(user == geteuid())
        case .unit: break
        default: Issue.record("\(proven)")
        }
    }

    @Test(arguments: Deployment.allCases)
    func `a role is proven by its key`(deployment: Deployment) async throws {
        let cluster = try await askingCluster(deployment: deployment)
        let key = try #require(Cluster.keys[.capture])
        let client = try cluster.client(as: .role(.capture, key: key))
        #expect(try await client.call(Who()).role == "capture")
        _ = try await client.call(Hang())
    }

    @Test(arguments: [(Role.capture, "wrong"), (.capture, "c0ffe"), (.coordinator, "c0ffee"), (.library, "c0ffee")])
    func `a wrong key or an unknown role gets no connection`(role: Role, key: String) async throws {
        let cluster = try await askingCluster()
        let client = try cluster.client(as: .role(role, key: key))
        #expect(await code { try await client.call(Who()) } == "unprovenIdentity")
        #expect(await cluster.server.statistics().refusedConnections > 0)
        #expect(cluster.log.lines.contains { $0.contains("connection refused") && $0.contains("peer.address") })
    }

    @Test func `a client that was refused tries anew with its next call`() async throws {
        let cluster = try await askingCluster()
        let client = try cluster.client(as: .role(.capture, key: "wrong"))
        for attempt in 1...3 {
            #expect(await code { try await client.call(Who()) } == "unprovenIdentity")
            #expect(await cluster.server.statistics().refusedConnections >= attempt)
        }
    }

    @Test func `the roles' socket does not take programs, nor the other one keys`() async throws {
        let cluster = try await askingCluster()
        let program = try RawPeer(cluster.endpoint.roles)
        let key = try #require(Cluster.keys[.capture])
        let role = try RawPeer(cluster.endpoint.programs, credentials: ("capture", key))
        for peer in [program, role] {
            await peer.setSendTimeout(300)
            await #expect(throws: RawPeerError.self) {
                try await peer.send(#"{"kind":"request","id":"1","name":"test.who"}"#)
            }
        }
        #expect(try await cluster.client().call(Who()).uid == geteuid())
    }

    @Test func `in system deployment a role must be the services' user`() throws {
        var rules = Cluster.rules(.system)
        rules.serviceUser = geteuid() + 1
        let credentials = PeerCredentials(userID: geteuid(), groupID: getegid(), processID: getpid())
        #expect(throws: IdentityRefusal.wrongUser) {
            try rules.role(name: "capture", key: "c0ffee", credentials: credentials)
        }
        rules.deployment = .personal
        #expect(try rules.role(name: "capture", key: "c0ffee", credentials: credentials) == .capture)
    }

    @Test func `rules of access are obeyed and refusals are logged`() async throws {
        let cluster = try await askingCluster()
        let program = try cluster.client()
        let capture = try cluster.client(as: .role(.capture, key: "c0ffee"))
        #expect(await code { try await program.call(Hang()) } == "roleRequired")
        #expect(await code { try await program.call(Fail(how: "")) } == "roleRequired")
        #expect(await code { try await capture.call(Fail(how: "")) } == "roleRequired")
        #expect(await code { try await capture.call(Echo()) } == "operatorRequired")
        #expect(cluster.log.lines.count { $0.contains("request refused") } == 4)
    }

    @Test func `a refusal that comes again and again is a line at once and one for the rest`() async throws {
        let cluster = try Cluster { $0.complaintInterval = .milliseconds(200) }
        await cluster.server.register(Hang.self, access: .anyRole) { _, _ in Empty() }
        try await cluster.server.start()
        let program = try cluster.client()
        for _ in 0..<20 { #expect(await code { try await program.call(Hang()) } == "roleRequired") }
        while !cluster.log.lines.contains(where: { $0.contains("more requests refused") }) { try await turn() }
        #expect(cluster.log.lines.count { $0.contains(#""request refused""#) } == 1)
        let sum = try #require(cluster.log.lines.first { $0.contains("more requests refused") })
        #expect(sum.contains("test.hang") && sum.contains(#""peer.pid":\#(getpid()),"#), "\(sum)")
        await cluster.server.stop()
    }

    @Test func `only a role may speak for another`() async throws {
        let cluster = try await askingCluster()
        let delegation = Delegation(principal: .user(4_711), label: "someone", grant: "g1")
        let program = try cluster.client()
        #expect(await code { try await program.call(Who(), CallOptions(onBehalfOf: delegation)) } == "roleRequired")
        #expect(cluster.log.lines.contains { $0.contains("request refused") && $0.contains("test.who") })
        let capture = try cluster.client(as: .role(.capture, key: "c0ffee"))
        #expect(try await capture.call(Who(), CallOptions(onBehalfOf: delegation)).behalf == "uid:4711")
    }

    @Test func `the same process keeps its token, another role gets another`() async throws {
        let cluster = try await askingCluster()
        for _ in 0..<5 { _ = try await cluster.client().call(Who()) }
        #expect(await cluster.server.statistics().identities == 1)
        _ = try await cluster.client(as: .role(.capture, key: "c0ffee")).call(Who())
        #expect(await cluster.server.statistics().identities == 2)
    }
}

extension Who.Reply {
    fileprivate init(_ call: Call) {
        self.init(
            principal: call.caller.principal.description,
            role: call.caller.role?.rawValue,
            behalf: call.onBehalfOf?.principal.description,
            uid: call.caller.userID,
            pid: call.caller.processID,
            label: call.label
        )
    }
}
