import Bags
import Consent
import EventLoop
import ExporterService
import Files
import Foundation
import Glibc
import Hashing
import Logging
import Media
import MessageSchema
import Messaging
import Synchronization
import TestSupport
import Testing

/// An exporter and a library on real sockets; the library's assets and the gate are the world's.
private final class Wire: Sendable {
    static let key = "e4904e"

    let world: World
    let context: MessagingContext
    let library: MessageServer
    let server: MessageServer
    let exporter: Exporter
    private let directory: String
    private let streamer: ExportStreamer
    let isOperator = Mutex(false)
    let delegations = Mutex<[Delegation?]>([])

    init(_ world: World) throws {
        self.world = world
        directory = world.folder
        context = try MessagingContext()
        let loop = EventLoop(name: "sockets")
        let log = Logger(service: "exporter", level: .error)
        func server(_ name: String, _ context: MessagingContext) -> MessageServer {
            MessageServer(
                ServerConfiguration(
                    endpoint: ServiceEndpoint(service: name, runtimeDirectory: world.folder),
                    identity: IdentityRules(
                        deployment: .personal,
                        roleVerifiers: [.exporter: SHA256Digest(hashing: Self.key)],
                        serviceUser: geteuid()
                    )
                ),
                context: context,
                loop: loop,
                log: log
            )
        }
        library = server("library", try MessagingContext())
        self.server = server("exporter", context)
        let client = try MessageClient(
            ServiceEndpoint(service: "library", runtimeDirectory: world.folder),
            as: .role(.exporter, key: Self.key),
            context: context,
            loop: loop
        )
        let source = ExportSource(library: client)
        streamer = ExportStreamer(source: source, permission: world.permission)
        let surroundings = Exporter.Surroundings(
            store: try ExportStore(in: world.folder),
            roots: ExportRoots([world.folder + "/exports"]),
            source: source,
            permission: world.permission,
            disk: EventLoop(name: "disk"),
            log: log
        )
        exporter = Exporter(surroundings, loop: loop)
    }

    func start() async throws {
        let (world, delegations) = (world, self)
        await library.register(FindAsset.self, access: .anyRole) { request, call in
            delegations.delegations.withLock { $0.append(call.onBehalfOf) }
            return FindAsset.Reply(
                asset: world.state.withLock { $0.assets.first { $0.url.id == request.url.id } }
            )
        }
        await library.registerStream(ListAssets.self, access: .anyRole) { _, call, sink in
            delegations.delegations.withLock { $0.append(call.onBehalfOf) }
            let assets = world.state.withLock(\.assets)
            for asset in assets { try await sink.send(ListAssets.Item(assets: [asset])) }
            return ListAssets.Summary(count: assets.count)
        }
        await library.registerStream(ReadAsset.self, access: .anyRole) { request, call, sink in
            delegations.delegations.withLock { $0.append(call.onBehalfOf) }
            guard let bytes = world.state.withLock({ $0.contents[request.url.id] }) else {
                throw ErrorReply(.noSuchAsset, "It is gone")
            }
            var count = 0
            for start in stride(from: 0, to: bytes.count, by: 1000) {
                let chunk = Array(bytes[start..<min(start + 1000, bytes.count)])
                try await sink.send(Empty(), attachments: [Attachment(chunk)])
                count += 1
            }
            return ReadAsset.Summary(
                count: count,
                bytes: Int64(bytes.count),
                sha256: SHA256Digest(hashing: bytes).description,
                size: Int64(bytes.count)
            )
        }
        await ExporterMessages(exporter, streamer: streamer) { _ in self.isOperator.withLock { $0 } }
            .register(on: server)
        try await library.start()
        try await server.start()
    }

    func stop() async {
        await exporter.stop()
        await server.stop()
        await library.stop()
    }

    func program() throws -> MessageClient {
        try MessageClient(
            ServiceEndpoint(service: "exporter", runtimeDirectory: directory),
            context: MessagingContext(),
            loop: EventLoop(name: "program")
        )
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The exporter's messages` {
    private func withWire(_ body: (Wire) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            let world = World(in: path)
            world.add("a.jpg", String(repeating: "abc", count: 20_000), number: 1)
            world.add("b.jpg", "b", number: 2)
            let wire = try Wire(world)
            try await wire.start()
            do {
                try await body(wire)
            } catch {
                await wire.stop()
                throw error
            }
            await wire.stop()
        }
    }

    @Test func `start a job, follow it to its end and list it`() async throws {
        try await withWire { wire in
            let program = try wire.program()
            let begun = try await program.call(World.everything)
            let stream = try await program.stream(FollowExport(job: begun.job))
            while try await stream.next() != nil {}
            let done = try #require(stream.summary)
            #expect(done.state == .done && done.copied == 2 && done.failed.isEmpty)
            let listed = try await program.call(ListExports()).jobs
            #expect(listed == [done])
            #expect(try wire.world.isValid())
            let delegations = wire.delegations.withLock { $0 }
            #expect(!delegations.isEmpty)
            #expect(delegations.allSatisfy { $0?.principal == .user(geteuid()) && $0?.grant == "1" })
        }
    }

    @Test func `stream the chunks of every file to a caller that writes its own bag`() async throws {
        try await withWire { wire in
            let stream = try await wire.program().stream(StreamExport(selection: ExportSelection()))
            var received: [String: [UInt8]] = [:]
            var name = ""
            while let item = try await stream.next() {
                if let file = item.value.file { name = file.asset.filename }
                for chunk in item.attachments { received[name, default: []] += chunk.bytes }
            }
            #expect(stream.summary?.files == 2 && stream.summary?.bytes == 60_001)
            let expected = wire.world.state.withLock { state in
                Dictionary(uniqueKeysWithValues: state.assets.map { ($0.filename, state.contents[$0.url.id] ?? []) })
            }
            #expect(received == expected)
        }
    }

    @Test func `name an asset that does not exist`() async throws {
        try await withWire { wire in
            let nobody = AssetURL(id: "FFFFFFFF-0000-4000-8000-000000000000", fileExtension: "JPG")
            let stream = try await wire.program().stream(StreamExport(selection: ExportSelection(assets: [nobody])))
            let error = await #expect(throws: ErrorReply.self) { _ = try await stream.next() }
            #expect(error?.code == .noSuchAsset)
        }
    }

    @Test func `refuse places outside and jobs that are not there`() async throws {
        try await withWire { wire in
            let program = try wire.program()
            let outside = await #expect(throws: ErrorReply.self) {
                _ = try await program.call(StartExport(selection: ExportSelection(), destination: "/tmp/x"))
            }
            #expect(outside?.code == .destinationRefused)
            let absent = await #expect(throws: ErrorReply.self) {
                _ = try await program.call(ControlExport(.pause, job: "absent"))
            }
            #expect(absent?.code == .noSuchJob)
        }
    }
}
