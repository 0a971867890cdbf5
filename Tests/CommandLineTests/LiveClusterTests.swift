import CommandLineService
import Consent
import EventLoop
import Files
import Logging
import Media
import MessageSchema
import Messaging
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The cluster over sockets` {
    @Test func `carries requests, streams and uploads, and what they are asked by`() async throws {
        let folder = try TemporaryDirectory()
        let server = MessageServer(
            ServerConfiguration(
                endpoint: ServiceEndpoint(service: "library", runtimeDirectory: folder.path),
                identity: IdentityRules(serviceUser: 0)
            ),
            context: try MessagingContext(),
            loop: EventLoop(name: "server"),
            log: Logger(service: "library", sink: .discard)
        )
        await server.register(FindAsset.self) { _, call in
            #expect(call.purpose == "to look")
            #expect(!call.mayPrompt)
            return .init(asset: Samples.asset)
        }
        await server.registerStream(ReadAsset.self) { request, _, sink in
            for number in 0..<100 { try await sink.send(Empty(), attachments: [Attachment([UInt8(number)])]) }
            return .init(count: 100, bytes: 100, sha256: "", size: 100)
        }
        await server.registerUpload(ImportAsset.self) { request, call, source in
            var count = 0
            while let chunk = try await source.next() { count += chunk.count }
            return .init(outcome: .imported, reason: "\(request.filename) \(count) \(call.idempotencyKey ?? "")")
        }
        await server.register(ListGroups.self) { _, _ in throw ErrorReply.accessDenied(recoverySuggestion: "ask") }
        try await server.start()

        let cluster = LiveCluster(at: folder.path, context: try MessagingContext(), loop: EventLoop(name: "client"))
        var rules = CallRules()
        rules.purpose = "to look"
        rules.mayPrompt = false
        #expect(try await cluster.call(FindAsset(url: Samples.url), rules).asset == Samples.asset)

        let record = OutputRecord()
        let terminal = Terminal(output: record.sink, errors: record.sink, environment: [:])
        let summary = try await cluster.stream(ReadAsset(url: Samples.url), CallRules()) { _, bytes in
            terminal.write(bytes)
        }
        #expect(summary.count == 100)
        #expect(record.bytes == (0..<100).map { UInt8($0) })

        let chunks = Chunks(3)
        var keyed = CallRules()
        keyed.idempotencyKey = "k1"
        let reply = try await cluster.upload(ImportAsset(filename: "a.jpg"), keyed) { await chunks.next() }
        #expect(reply.reason == "a.jpg 3000 k1")

        let error = await #expect(throws: ErrorReply.self) { try await cluster.call(ListGroups()) }
        #expect(error?.number == -3311)
        withExtendedLifetime(server) {}
    }

    @Test func `says at once that there is no cluster`() async throws {
        let folder = try TemporaryDirectory()
        let cluster = LiveCluster(at: folder.path, context: try MessagingContext(), loop: EventLoop(name: "client"))
        let error = await #expect(throws: ErrorReply.self) { try await cluster.call(ListCameras()) }
        #expect(error?.code == .serviceUnavailable)
        #expect(error?.parameters?["runtime"] == folder.path)
    }

    @Test func `names a runtime directory that is too long for a socket`() async throws {
        let folder = try TemporaryDirectory()
        let name = String(repeating: "x", count: 120)
        _ = try folder.open().makeDirectory(name)
        let path = folder.path + "/" + name
        let cluster = LiveCluster(at: path, context: try MessagingContext(), loop: EventLoop(name: "client"))
        let error = await #expect(throws: ErrorReply.self) { try await cluster.call(ListCameras()) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.reason?.contains("longer than 107 bytes") == true)
    }
}

private actor Chunks {
    private var left: Int

    init(_ count: Int) { left = count }

    func next() -> [UInt8]? {
        guard left > 0 else { return nil }
        left -= 1
        return [UInt8](repeating: 1, count: 1_000)
    }
}
