import Glibc
import Logging
import MessageSchema
import TestSupport
import Testing
import Timekeeping

@testable import Messaging

@Suite("What is logged of malformed messages", .timeLimit(.minutes(1)))
struct ComplaintTests {
    private let start = BootInstant(nanoseconds: 1_000)

    @Test func `the first complaint is said, the next ones are summed up`() {
        var sieve = ComplaintSieve<Int>(interval: .seconds(10), capacity: 2)
        #expect(sieve.due == nil)
        var said = ["a", "b", "c"].map { sieve.admit(1, cause: $0, at: start) }
        #expect(said == [true, false, false])
        #expect(sieve.due == start + .seconds(10))
        var sums = sieve.takeSums(at: start + .seconds(10))
        #expect(sums == [.init(peer: 1, count: 2, cause: "c")])
        said = [sieve.admit(1, cause: "d", at: start + .seconds(11))]
        #expect(said == [false])
        sums = sieve.takeSums(at: start + .seconds(20))
        #expect(sums == [.init(peer: 1, count: 1, cause: "d")])
        sums = sieve.takeSums(at: start + .seconds(30))
        #expect(sums.isEmpty)
        #expect(sieve.due == nil)
        said = [sieve.admit(1, cause: "e", at: start + .seconds(31))]
        #expect(said == [true])
    }

    @Test func `peers beyond the capacity share one line`() {
        var sieve = ComplaintSieve<Int>(interval: .seconds(10), capacity: 2)
        var said: [Int] = []
        for peer in 0..<1_000 where sieve.admit(peer, cause: "a", at: start) { said.append(peer) }
        #expect(said == [0, 1])
        let isStrangerSaid = sieve.admit(nil, cause: "b", at: start)
        #expect(!isStrangerSaid)
        let early = sieve.takeSums(at: start + .seconds(9))
        #expect(early.isEmpty)
        let sums = sieve.takeSums(at: start + .seconds(10))
        #expect(sums == [.init(peer: nil, count: 999, cause: "b")])
    }

    @Test func `a peer that sends garbage has one line at once and one for the rest`() async throws {
        let cluster = try Cluster { $0.complaintInterval = .milliseconds(200) }
        await cluster.server.register(Add.self) { request, _ in Add.Reply(sum: request.left + request.right) }
        try await cluster.server.start()
        let peer = try cluster.rawPeer()
        for _ in 0..<50 { try await peer.send(#"{"secret":"XYZZY","kind":"request","id":"1"}"#) }
        try await peer.send(#"{"kind":"request","id":"2","name":"test.add"}"#, #"{"left":"XYZZY"}"#)
        while await cluster.server.statistics().malformed < 51 { try await turn() }
        while !cluster.log.lines.contains(where: { $0.contains("more malformed messages") }) { try await turn() }
        let first = cluster.log.lines.filter { $0.contains(#""malformed message""#) }
        #expect(first.count == 1)
        #expect(first.first?.contains(#""peer.pid":\#(getpid()),"#) == true, "\(first)")
        #expect(first.first?.contains(#""cause":"missingField""#) == true, "\(first)")
        #expect(!cluster.log.lines.contains { $0.contains("XYZZY") || $0.contains("secret") })
        await cluster.server.stop()
    }

    @Test(arguments: [#"{"kind":"reply","id":"1"}"#, #"{"kind":"item","id":"1"}"#, #"{"kind":"end","id":"1"}"#])
    func `a message that does not belong to its exchange is logged`(header: String) async throws {
        let cluster = try Cluster()
        await cluster.server.register(Hang.self) { _, _ in
            try await Task.sleep(for: .seconds(3_600))
            return Empty()
        }
        try await cluster.server.start()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"1","name":"test.hang"}"#)
        try await peer.send(header)
        #expect(try await peer.answer()?.body.contains("badMessage") == true)
        #expect(await cluster.server.statistics().malformed == 1)
        #expect(cluster.log.lines.count { $0.contains("malformed message") } == 1)
    }

    @Test func `a peer that names itself is logged with what is proven about it`() async throws {
        let cluster = try Cluster()
        try await cluster.server.start()
        let peer = try cluster.rawPeer(routingID: "me")
        try await peer.send(#"{"kind":"request","id":"1","name":"test.add"}"#)
        _ = try await peer.answer()
        let line = try #require(cluster.log.lines.first { $0.contains("malformed message") })
        #expect(line.contains(#""cause":"routingID""#) && line.contains(#""peer.pid":\#(getpid()),"#), "\(line)")
    }
}
