import Consent
import Glibc
import MessageSchema
import Synchronization
import TestSupport
import Testing

@testable import Messaging

/// What a peer writes into its own handshake proves nothing.
@Suite("Forged metadata", .timeLimit(.minutes(1)))
struct ForgedMetadataTests {
    private static let request = #"{"kind":"request","id":"1","name":"test.who"}"#

    /// Both roles are connected already, so that their tokens are there to be named.
    private func askedCluster() async throws -> (Cluster, [MessageClient]) {
        let cluster = try Cluster()
        await cluster.server.register(Who.self) { _, call in
            Who.Reply(
                principal: call.caller.principal.description,
                role: call.caller.role?.rawValue,
                uid: call.caller.userID,
                pid: call.caller.processID,
                label: call.label
            )
        }
        try await cluster.server.start()
        let clients = try Cluster.keys.map { role, key in try cluster.client(as: .role(role, key: key)) }
        for client in clients { _ = try await client.call(Who()) }
        #expect(await cluster.server.statistics().identities == 3)
        return (cluster, clients)
    }

    @Test(arguments: ["p1", "p2", "p3", "p4", "", "root"])
    func `a program that names a token of another gets its own identity`(token: String) async throws {
        let (cluster, _) = try await askedCluster()
        let peer = try RawSocketPeer(path: cluster.endpoint.programsPath)
        try await peer.openAsProgram([
            ("User-Id", Array(token.utf8)), ("user-id", Array(token.utf8)), ("Identity", []),
            ("Peer-Address", Array("localhost:0:0:1".utf8)), ("X-role", Array("library".utf8)),
        ])
        let answer = try #require(try await peer.ask(Self.request))
        #expect(answer.header.contains(#""kind":"reply""#), "\(answer)")
        #expect(!answer.body.contains(#""role""#), "\(answer)")
        #expect(answer.body.contains(#""pid":\#(getpid())"#), "\(answer)")
    }

    @Test(arguments: ["p1", "p2", "p3", "p4"])
    func `a role that names a token of another stays what its key proved`(token: String) async throws {
        let (cluster, _) = try await askedCluster()
        let peer = try RawSocketPeer(path: cluster.endpoint.rolesPath)
        try await peer.openAsRole("capture", key: "c0ffee", [("User-Id", Array(token.utf8)), ("Identity", [])])
        let answer = try #require(try await peer.ask(Self.request))
        #expect(answer.body.contains(#""role":"capture""#), "\(answer)")
    }

    @Test func `a wrong key gets no further for what it says of itself`() async throws {
        let (cluster, _) = try await askedCluster()
        let peer = try RawSocketPeer(path: cluster.endpoint.rolesPath)
        await #expect(throws: RawPeerError.self) {
            try await peer.openAsRole("capture", key: "wrong", [("User-Id", Array("p1".utf8))])
        }
    }

    @Test(arguments: [Array("library".utf8), [0, 1, 2], [0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5]])
    func `a routing id of its own is refused`(identity: [UInt8]) async throws {
        let (cluster, _) = try await askedCluster()
        let peer = try RawSocketPeer(path: cluster.endpoint.programsPath)
        try await peer.openAsProgram([("Identity", identity)])
        let answer = try #require(try await peer.ask(Self.request))
        #expect(answer.header.contains(#""kind":"error""#) && answer.body.contains("routingID"), "\(answer)")
    }

    @Test func `where routing ids start is different in each process`() throws {
        // As every process starts (rand(3)), and libzmq never changes that.
        srand(1)
        let first = rand()
        srand(1)
        _ = try MessagingContext()
        #expect(rand() != first)
    }

    @Test func `a generated routing id that is in use can not be taken over`() async throws {
        let cluster = try Cluster()
        let number = Mutex<UInt32?>(nil)
        await cluster.server.register(Hang.self) { _, call in
            number.withLock { $0 = call.connection.routingID }
            try await Task.sleep(for: .seconds(3_600))
            return Empty()
        }
        await cluster.server.register(Add.self) { request, _ in Add.Reply(sum: request.left + request.right) }
        try await cluster.server.start()
        let victim = try cluster.rawPeer()
        try await victim.send(#"{"kind":"request","id":"v","name":"test.hang"}"#)
        while number.withLock({ $0 }) == nil { try await turn() }
        let taken = RoutingID.generated(try #require(number.withLock { $0 })).bytes
        let peer = try RawSocketPeer(path: cluster.endpoint.programsPath)
        try await peer.openAsProgram([("Identity", taken)])
        try await peer.say(#"{"kind":"cancel","id":"v"}"#)
        #expect(await peer.isSilent(for: 300))
        #expect(await cluster.server.statistics().exchanges == 1)
        // What is said to that id still goes to whom it belongs to.
        try await victim.send(#"{"kind":"request","id":"a","name":"test.add"}"#, #"{"left":1,"right":2}"#)
        #expect(try await victim.answer()?.header == #"{"kind":"reply","id":"a"}"#)
        await cluster.server.stop()
    }
}
