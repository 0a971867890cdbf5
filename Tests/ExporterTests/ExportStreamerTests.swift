import ExporterService
import Hashing
import Media
import MessageSchema
import Messaging
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `An export stream` {
    /// What was sent: a file's name, its bytes, an end, or a failure.
    private final class Received: Sendable {
        let lines = Mutex<[String]>([])
        let files = Mutex<[StreamExport.File]>([])

        func serve(_ request: StreamExport, _ world: World, present: [Messaging.Attachment] = []) async throws
            -> StreamExport.Summary
        {
            let streamer = ExportStreamer(source: world.source, permission: world.permission)
            return try await streamer.serve(request, for: World.asker(), job: "j", present: present) {
                item,
                chunks,
                admitting in
                try admitting()
                var line = ""
                if let file = item.file { self.files.withLock { $0.append(file) } }
                if let file = item.file { line += "file \(file.asset.filename)\(file.isPresent ? " present" : "")" }
                if let bytes = item.bytesToCome { line += " of \(bytes)" }
                line += chunks.map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
                if item.last == true { line += " last" }
                if let failed = item.failed { line += "failed \(failed.reason)" }
                self.lines.withLock { $0.append(line) }
            }
        }
    }

    private static func with(_ body: (World, Received) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            let world = World(in: path)
            world.add("a.jpg", "12345", number: 1)
            world.add("empty.jpg", "", number: 2)
            try await body(world, Received())
        }
    }

    @Test func `has each file, its chunks in order, and says which is the last`() async throws {
        try await Self.with { world, received in
            let summary = try await received.serve(StreamExport(selection: ExportSelection()), world)
            #expect(
                received.lines.withLock { $0 } == ["file a.jpg of 5", "12", "34", "5 last", "file empty.jpg", " last"]
            )
            #expect(summary == StreamExport.Summary(job: "j", files: 2, bytes: 5))
            #expect(world.state.withLock(\.ended) == 1)
        }
    }

    @Test func `leaves out the bytes of what the caller has`() async throws {
        try await Self.with { world, received in
            let digest = SHA256Digest(hashing: "12345")
            let present = [Messaging.Attachment(SHA256Digest(hashing: "another").bytes + digest.bytes)]
            _ = try await received.serve(StreamExport(selection: ExportSelection()), world, present: present)
            #expect(received.lines.withLock { $0 } == ["file a.jpg present of 0", "file empty.jpg", " last"])
        }
    }

    @Test func `that is only planned names each file as it would go out, and reads none`() async throws {
        try await Self.with { world, received in
            world.state.withLock { state in
                state.contents[state.assets[0].url.id] = Array("1[me]2".utf8)
                state.contents[state.assets[1].url.id] = Array("12!".utf8)
            }
            let request = StreamExport(selection: ExportSelection(), privacy: .all, planOnly: true)
            let summary = try await received.serve(request, world)
            #expect(
                received.lines.withLock { $0 }
                    == ["file photo-00000001.jpg", "failed It can not be cleaned: It has a part"]
            )
            #expect(summary == StreamExport.Summary(job: "j", files: 1, bytes: 0))
            #expect(world.state.withLock { $0.reads.isEmpty && $0.ended == 1 })
        }
    }

    @Test func `takes no part of a hash`() async throws {
        try await Self.with { world, received in
            let error = await #expect(throws: ErrorReply.self) {
                try await received.serve(
                    StreamExport(selection: ExportSelection()),
                    world,
                    present: [Messaging.Attachment([UInt8](repeating: 7, count: 33))]
                )
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func `names a file whose bytes are wrong or gone, and goes on`() async throws {
        try await Self.with { world, received in
            world.state.withLock { state in
                state.wrong[state.assets[0].url.id] = Array("123".utf8)
                state.contents[state.assets[1].url.id] = nil
            }
            _ = try await received.serve(StreamExport(selection: ExportSelection()), world)
            let lines = received.lines.withLock { $0 }
            #expect(lines.filter { $0.hasPrefix("failed") }.count == 2)
            #expect(!lines.contains { $0.hasSuffix("last") })
        }
    }

    @Test func `gives a picture that is hidden without its place, and says so`() async throws {
        try await Self.with { world, received in
            world.state.withLock { state in
                state.contents[state.assets[0].url.id] = Array("1[place]2".utf8)
                state.assets[0].sha256 = nil
            }
            _ = try await received.serve(StreamExport(selection: ExportSelection()), world)
            let lines = received.lines.withLock { $0 }
            #expect(lines.prefix(2) == ["file a.jpg", "12 last"], "\(lines)")
            let file = try #require(received.files.withLock { $0 }.first)
            #expect(file.asset.privacy == .location && file.bytes == 2)
            #expect(file.sha256 == SHA256Digest(hashing: Array("12".utf8)).description)
        }
    }

    @Test func `says of a hidden picture that can not be cleaned what is missing, and how to change it`() async throws {
        try await Self.with { world, received in
            world.state.withLock { state in
                state.contents[state.assets[0].url.id] = Array("12!".utf8)
                state.assets[0].sha256 = nil
            }
            _ = try await received.serve(StreamExport(selection: ExportSelection()), world)
            #expect(
                received.lines.withLock { $0 }.first
                    == "failed It can not be cleaned: It has a part; It may say where it was taken. "
                    + "Access denied: The user has denied the application location; obscura permissions reset"
            )
        }
    }

    @Test func `with the profile all gives neither name nor time, and refuses what can not be cleaned`() async throws {
        try await Self.with { world, received in
            world.state.withLock { state in
                state.contents[state.assets[0].url.id] = Array("1[me]2".utf8)
                state.contents[state.assets[1].url.id] = Array("12!".utf8)
                state.assets[0].cameraMake = "Maker"
            }
            _ = try await received.serve(StreamExport(selection: ExportSelection(), privacy: .all), world)
            let lines = received.lines.withLock { $0 }
            #expect(lines.prefix(2) == ["file photo-00000001.jpg", "12 last"], "\(lines)")
            #expect(lines.contains("failed It can not be cleaned: It has a part"), "\(lines)")
            let asset = try #require(received.files.withLock { $0 }.first).asset
            #expect(asset.privacy == .all && asset.cameraMake == nil && asset.representations.isEmpty)
        }
    }

    @Test func `gives nothing more after a revocation`() async throws {
        try await Self.with { world, received in
            world.state.withLock { state in
                state.beforeChunk = { count in
                    if count == 3 { world.state.withLock { $0.isRevoked = true } }
                }
            }
            let error = await #expect(throws: ErrorReply.self) {
                try await received.serve(StreamExport(selection: ExportSelection()), world)
            }
            #expect(error?.code == .revoked)
            #expect(received.lines.withLock { $0 } == ["file a.jpg of 5", "12"])
            #expect(world.state.withLock(\.ended) == 1)
        }
    }
}
