import Consent
import EventLoop
import Glibc
import Logging
import MessageSchema
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import Messaging

@Suite("Requests", .timeLimit(.minutes(1)))
struct RequestTests {
    private func startedCluster(_ configure: (inout ServerConfiguration) -> Void = { _ in }) async throws -> Cluster {
        let cluster = try Cluster(configure: configure) { error in
            error is TestError ? ErrorReply(.invalidArgument, "mapped") : nil
        }
        let server = cluster.server
        await server.register(Add.self) { request, _ in Add.Reply(sum: request.left + request.right) }
        await server.register(Hang.self) { _, _ in
            try await Task.sleep(for: .seconds(3_600))
            return Empty()
        }
        await server.register(Fail.self) { request, _ in
            switch request.how {
            case "reply": throw ErrorReply(.diskFull, "full", parameters: ["bytesNeeded": "7"])
            case "mapped": throw TestError()
            default: throw SecretError()
            }
        }
        await server.registerWithAttachments(Echo.self) { _, call in Answer(Empty(), attachments: call.attachments) }
        try await server.start()
        return cluster
    }

    private struct TestError: Error {}
    private struct SecretError: Error { let secret = "swordfish" }

    @Test func `a request gets its reply`() async throws {
        let cluster = try await startedCluster()
        let client = try cluster.client()
        for number in 0..<100 {
            #expect(try await client.call(Add(left: number, right: 1)).sum == number + 1)
        }
        let statistics = await cluster.server.statistics()
        #expect(statistics.requests == 100)
        #expect(statistics.exchanges == 0)
        #expect(statistics.connections == 0)
    }

    @Test func `a handler starts on the socket loop, and comes back to it`() async throws {
        let cluster = try Cluster()
        let loop = cluster.loop
        await cluster.server.register(Add.self) { request, _ in
            var onLoop = loop.isCurrent ? 1 : 0
            try? await Task.sleep(for: .milliseconds(1))
            onLoop += loop.isCurrent ? 1 : 0
            return Add.Reply(sum: onLoop)
        }
        try await cluster.server.start()
        #expect(try await cluster.client().call(Add(left: 1, right: 2)).sum == 2)
    }

    @Test func `many requests go side by side`() async throws {
        let cluster = try await startedCluster()
        let client = try cluster.client()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask { try await client.call(Add(left: number, right: number)).sum == 2 * number }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test func `attachments go both ways, small and large`() async throws {
        let cluster = try await startedCluster()
        let client = try cluster.client()
        let sent = [0, 1, 4_096, 100_000, 4 << 20].map { count in
            Attachment([UInt8]((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
        }
        let answer = try await client.answer(Echo(), CallOptions(attachments: sent))
        #expect(answer.attachments.map(\.bytes) == sent.map(\.bytes))
    }

    @Test func `a typed error arrives as it was thrown`() async throws {
        let cluster = try await startedCluster()
        let client = try cluster.client()
        await #expect(throws: ErrorReply(.diskFull, "full", parameters: ["bytesNeeded": "7"])) {
            try await client.call(Fail(how: "reply"))
        }
        #expect(await code { try await client.call(Fail(how: "mapped")) } == "invalidArgument")
    }

    enum Way: CaseIterable {
        case request, attachments, stream, upload
    }

    @Test(arguments: Way.allCases)
    func `a senseless value is refused before a handler sees it, however it comes`(way: Way) async throws {
        let cluster = try Cluster()
        let seen = Mutex(0)
        let note: @Sendable () -> Void = { seen.withLock { $0 += 1 } }
        let server = cluster.server
        switch way {
        case .request:
            await server.register(Positive.self) { _, _ in
                note()
                return Empty()
            }
        case .attachments:
            await server.registerWithAttachments(Positive.self) { _, _ in
                note()
                return Answer(Empty())
            }
        case .stream:
            await server.registerStream(Positive.self) { _, _, _ in
                note()
                return Empty()
            }
        case .upload:
            await server.registerUpload(Positive.self) { _, _, _ in
                note()
                return Empty()
            }
        }
        try await server.start()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"1","name":"test.positive"}"#, #"{"number":-1}"#)
        let answer = try #require(try await peer.answer())
        #expect(answer.header == #"{"kind":"error","id":"1"}"#)
        #expect(answer.body.contains(#""parameter":"number""#) && answer.body.contains("invalidArgument"))
        #expect(seen.withLock { $0 } == 0)
    }

    @Test func `an error that nobody mapped leaks nothing`() async throws {
        let cluster = try await startedCluster()
        let client = try cluster.client()
        do {
            _ = try await client.call(Fail(how: "secret"))
            Issue.record("no error")
        } catch let error as ErrorReply {
            #expect(error.code == .internalFault)
            #expect(!"\(error)".contains("swordfish"))
        }
    }

    @Test func `an unknown name is an unknown request`() async throws {
        let cluster = try await startedCluster()
        let client = try cluster.client()
        #expect(await code { try await client.call(Who()) } == "unknownRequest")
    }

    @Test func `a body that does not fit says which field`() async throws {
        let cluster = try await startedCluster()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"1","name":"test.add"}"#, #"{"left":1,"right":"x"}"#)
        let answer = try #require(try await peer.answer())
        #expect(answer.header == #"{"kind":"error","id":"1"}"#)
        #expect(answer.body.contains("badMessage") && answer.body.contains("right"))
    }

    @Test func `a request whose time has passed has no effect`() async throws {
        let cluster = try Cluster()
        let calls = Mutex(0)
        await cluster.server.register(Add.self) { _, _ in
            calls.withLock { $0 += 1 }
            return Add.Reply(sum: 0)
        }
        try await cluster.server.start()
        let peer = try cluster.rawPeer()
        let past = BootInstant.now().milliseconds - 1
        for fields in [
            #""expiresAt":\#(past)"#, #""deadline":0"#, #""deadline":-5"#, #""expiresAt":\#(past),"deadline":9999"#,
        ] {
            try await peer.send(#"{"kind":"request","id":"1","name":"test.add",\#(fields)}"#, #"{"left":1,"right":2}"#)
            #expect(try await peer.answer()?.body.contains("deadlineExceeded") == true)
        }
        #expect(calls.withLock(\.self) == 0)
    }

    @Test func `work that is running at its deadline is ended`() async throws {
        let ended = Mutex<EndReason?>(nil)
        let cluster = try Cluster()
        await cluster.server.register(Hang.self) { _, call in
            do { try await Task.sleep(for: .seconds(3_600)) } catch { ended.withLock { $0 = call.ended } }
            return Empty()
        }
        try await cluster.server.start()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"1","name":"test.hang","deadline":20}"#)
        #expect(try await peer.answer()?.body.contains("deadlineExceeded") == true)
        while await cluster.server.statistics().exchanges > 0 { try await turn() }
        #expect(ended.withLock(\.self) == .deadlineExceeded)
    }

    @Test func `cancelling the calling task cancels the work`() async throws {
        let cluster = try await startedCluster()
        let client = try cluster.client()
        let calling = Task { await code { try await client.call(Hang()) } }
        while await cluster.server.statistics().exchanges == 0 { try await turn() }
        calling.cancel()
        #expect(await calling.value == "cancelled")
        while await cluster.server.statistics().exchanges > 0 { try await turn() }
    }

    @Test func `cancel is answered by the error cancelled, and a late one by nothing`() async throws {
        let cluster = try await startedCluster()
        let peer = try cluster.rawPeer()
        try await peer.send(#"{"kind":"request","id":"h","name":"test.hang"}"#)
        try await peer.send(#"{"kind":"cancel","id":"h"}"#)
        let answer = try #require(try await peer.answer())
        #expect(answer.header == #"{"kind":"error","id":"h"}"#)
        #expect(answer.body.contains(#""code":"cancelled""#))
        for late in ["cancel", "credit", "ping", "item", "end"] {
            try await peer.send(#"{"kind":"\#(late)","id":"h"}"#)
        }
        try await peer.send(#"{"kind":"request","id":"2","name":"test.add"}"#, #"{"left":1,"right":2}"#)
        #expect(try await peer.answer()?.header == #"{"kind":"reply","id":"2"}"#)
    }

    @Test func `without a service a call says so when its time is over`() async throws {
        let cluster = try Cluster()
        let client = try cluster.client()
        do {
            _ = try await client.call(Add(left: 1, right: 2), CallOptions(timeout: .milliseconds(30)))
            Issue.record("no error")
        } catch let error as ErrorReply {
            #expect(error.code == .serviceUnavailable)
            #expect(error.parameters == ["service": "library"])
            #expect(error.recoverySuggestion?.contains("obscura up") == true)
        }
    }

    @Test func `a call made before the service starts is answered when it has`() async throws {
        let cluster = try Cluster()
        let client = try cluster.client()
        async let reply = client.call(Add(left: 1, right: 2))
        await cluster.server.register(Add.self) { request, _ in Add.Reply(sum: request.left + request.right) }
        try await cluster.server.start()
        #expect(try await reply.sum == 3)
    }

    @Test func `a request that makes the service fail again and again does not fill the log`() async throws {
        let cluster = try await startedCluster()
        let client = try cluster.client()
        for _ in 0..<100 { #expect(await code { try await client.call(Fail(how: "secret")) } == "internalFault") }
        // The rest is a count, ten seconds after.
        #expect(cluster.log.lines.count { $0.contains("handler failed") } == 1)
        await cluster.server.stop()
    }

    @Test func `losing the service fails what is open, and the next call finds the new one`() async throws {
        let cluster = try await startedCluster()
        let client = try cluster.client()
        let hanging = Task { await code { try await client.call(Hang()) } }
        while await cluster.server.statistics().exchanges == 0 { try await turn() }
        await cluster.server.stop()
        let first = await hanging.value
        #expect(first == "serviceUnavailable" || first == "shuttingDown")
        let next = try await startedSuccessor(of: cluster)
        // Where the loss is noticed only now, this call went to the service that ended; its caller asks again.
        let call = { try await client.call(Add(left: 3, right: 4)).sum }
        do {
            #expect(try await call() == 7)
        } catch let error as ErrorReply where error.cause == "connectionLost" {
            #expect(try await call() == 7)
        }
        await next.stop()
    }

    @Test func `one connection can not open more than its share`() async throws {
        let cluster = try await startedCluster { $0.exchangesPerConnection = 3 }
        let peer = try cluster.rawPeer()
        for id in 0..<4 { try await peer.send(#"{"kind":"request","id":"\#(id)","name":"test.hang"}"#) }
        let answer = try #require(try await peer.answer())
        #expect(answer.header == #"{"kind":"error","id":"3"}"#)
        #expect(answer.body.contains("tooManyRequests") && answer.body.contains("retryAfter"))
        #expect(try await cluster.client().call(Add(left: 1, right: 1)).sum == 2)
    }

    @Test func `draining refuses new work and lets running work finish`() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let cluster = try Cluster()
        await cluster.server.register(Hang.self) { _, _ in
            for await _ in gate.stream { break }
            return Empty()
        }
        try await cluster.server.start()
        let client = try cluster.client()
        let running = Task { await code { try await client.call(Hang()) } }
        while await cluster.server.statistics().exchanges == 0 { try await turn() }
        let draining = Task { await cluster.server.drain(within: .seconds(60)) }
        while await code({ try await client.call(Add(left: 1, right: 1)) }) != "shuttingDown" {}
        gate.continuation.yield()
        #expect(await running.value == "no error")
        await draining.value
    }

    @Test func `draining ends what does not finish in time`() async throws {
        let cluster = try await startedCluster()
        let client = try cluster.client()
        let running = Task { await code { try await client.call(Hang()) } }
        while await cluster.server.statistics().exchanges == 0 { try await turn() }
        await cluster.server.drain(within: .milliseconds(10))
        #expect(await running.value == "shuttingDown")
    }

    @Test func `a request with hours to go does not wait hours for a service that is not there`() async throws {
        let cluster = try Cluster()
        let client = try cluster.client { $0.connectLimit = .milliseconds(10) }
        #expect(
            await code { try await client.call(Hang(), CallOptions(timeout: .seconds(6 * 3600))) }
                == "serviceUnavailable"
        )
    }

    @Test func `an answer that comes together with the end of its service is an answer`() async throws {
        for _ in 0..<10 {
            let cluster = try await startedCluster()
            let client = try cluster.client()
            let running = Task { await code { try await client.call(Hang()) } }
            while await cluster.server.statistics().exchanges == 0 { try await turn() }
            let (block, release) = (Block(), Block())
            let blocked = Task { await client.hold(announcing: block, until: release) }
            block.wait()
            await cluster.server.drain(within: .zero)
            // What the client finds is all there now: the answer, the end, and a new service.
            let next = try await startedSuccessor(of: cluster)
            while await next.statistics().identities == 0 { try await turn() }
            release.signal()
            await blocked.value
            #expect(await running.value == "shuttingDown")
            #expect(try await client.call(Add(left: 3, right: 4)).sum == 7)
            await next.stop()
        }
    }
}

/// The service that comes after the cluster's own has ended: at the same place, and it adds.
private func startedSuccessor(of cluster: Cluster) async throws -> MessageServer {
    let next = MessageServer(
        ServerConfiguration(endpoint: cluster.endpoint, identity: Cluster.rules(.personal)),
        context: try MessagingContext(),
        loop: cluster.loop,
        log: .init(service: "library", sink: cluster.log.sink)
    )
    await next.register(Add.self) { request, _ in Add.Reply(sum: request.left + request.right) }
    try await next.start()
    return next
}

/// One thread waits for another, so that a loop stands still.
private final class Block: Sendable {
    private let isOpen = Mutex(false)

    func signal() { isOpen.withLock { $0 = true } }

    func wait() { while !isOpen.withLock(\.self) { sched_yield() } }
}

extension MessageClient {
    /// Keeps the client's loop from everything else.
    fileprivate func hold(announcing start: Block, until end: Block) {
        start.signal()
        end.wait()
    }
}
