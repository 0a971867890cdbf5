import Consent
import EventLoop
import Logging
import MessageSchema
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import Messaging

@Suite("What is under way when something ends", .timeLimit(.minutes(1)))
struct EndingTests {
    @Test func `a request that is ended in the turn it came in starts no work`() async throws {
        let cluster = try Cluster()
        let calls = Mutex(0)
        await cluster.server.register(Add.self) { _, _ in
            calls.withLock { $0 += 1 }
            return Add.Reply(sum: 0)
        }
        try await cluster.server.start()
        await cluster.server.openAndCancel(Add.name)
        await cluster.waitUntilIdle()
        #expect(calls.withLock(\.self) == 0)
        _ = try await cluster.client().call(Add(left: 1, right: 2))
        #expect(calls.withLock(\.self) == 1)
    }

    @Test(arguments: [(Limits.bodyBytes + 1, 0, 0), (1, 1, Limits.frameBytes + 1), (1, Limits.frames - 2, 1)])
    func `a reply that is larger than a message may be is an error`(
        characters: Int,
        parts: Int,
        bytes: Int
    ) async throws {
        let cluster = try Cluster()
        await cluster.server.registerWithAttachments(Tell.self) { _, _ in
            Answer(
                Tell.Reply(text: String(repeating: "x", count: characters)),
                attachments: Array(repeating: Attachment([UInt8](repeating: 0, count: bytes)), count: parts)
            )
        }
        try await cluster.server.start()
        let client = try cluster.client()
        #expect(await code { try await client.call(Tell()) } == "tooLarge")
    }

    @Test func `draining lets a slow peer have its last answers`() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let cluster = try Cluster {
            $0.exchangesPerConnection = 200
            $0.linger = .seconds(10)
        }
        await cluster.server.register(Tell.self) { _, _ in
            for await _ in gate.stream {}
            return Tell.Reply(text: String(repeating: "x", count: 20_000))
        }
        try await cluster.server.start()
        let peer = try cluster.rawPeer(receiveLimit: 1)
        for id in 0..<200 { try await peer.send(#"{"kind":"request","id":"\#(id)","name":"test.tell"}"#) }
        while await cluster.server.statistics().exchanges < 200 { try await turn() }
        gate.continuation.finish()
        await cluster.waitUntilIdle()
        #expect(await cluster.server.statistics().parked > 0)
        let draining = Task {
            await cluster.server.drain(within: .seconds(30))
            await cluster.server.stop()
        }
        var ids: Set<String> = []
        while ids.count < 200, let answer = try await peer.answer(within: 3_000) { ids.insert(answer.header) }
        // What the peer's libzmq has read and has no room to hand on is lost to it when the connection ends.
        #expect(ids.count >= 190)
        await draining.value
    }

    @Test func `so many connections are let in at once and no more`() async throws {
        try await ZAPFlood().run()
    }
}

struct Tell: Request {
    static let name = "test.tell"

    struct Reply: Codable, Hashable, Sendable {
        var text: String
    }
}

extension MessageServer {
    /// As if a request and its `cancel` had come in one turn of the loop.
    fileprivate func openAndCancel(_ name: String) {
        let identity = PeerIdentity(
            principal: .user(1),
            userID: 1,
            groupID: 1,
            processID: 1,
            startTime: 1,
            label: ""
        )
        let connection = ConnectionID(door: .programs, routingID: 1, token: PeerToken(number: 1_000_000))
        var header = Header(.request, id: "1")
        header.name = name
        let body = Attachment(Array(#"{"left":1,"right":2}"#.utf8))
        open(header, IncomingMessage(header: .success(header), body: body), from: connection, identity)
        for exchange in exchanges.values { end(exchange, .cancelled) }
    }
}

/// Asks an authenticator as libzmq does, twenty times at once.
private actor ZAPFlood {
    private let loop = EventLoop(name: "flood")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    func run() async throws {
        let context = try MessagingContext()
        let log = LogRecord()
        let authenticator = try Authenticator(
            rules: Cluster.rules(.personal),
            domains: Authenticator.Domains(service: "library"),
            context: context,
            log: .init(service: "library", sink: log.sink)
        )
        let asker = try SocketHandle(.dealer, in: context)
        try asker.connect(Authenticator.endpoint)
        let question = ["", "1.0", "1", "library.programs", "localhost:1:1:-1", "", "NULL"].map { Array($0.utf8) }
        for _ in 0..<20 { #expect(try asker.send(question) == .sent) }
        for expected in [8, 16, 20, 20] {
            try authenticator.answer()
            #expect(authenticator.refused == expected)
        }
        #expect(log.lines.count { $0.contains(#""connection refused""#) } == 1)
        authenticator.sumUpRefusals(at: .now() + .seconds(11))
        let sums = log.lines.filter { $0.contains("more connections refused") }
        #expect(sums.count == 1)
        #expect(sums.first?.contains(#""count":19"#) == true && sums.first?.contains(#""peer.uid":"1""#) == true)
    }
}
