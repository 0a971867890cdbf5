import ExporterService
import Foundation
import Media
import MessageSchema
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct `A job of the exporter` {
    private static func with(_ body: (World, Exporter) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            let world = World(in: path)
            world.add("IMG.JPG", "first content", number: 1)
            let exporter = try world.exporter()
            do {
                try await body(world, exporter)
            } catch {
                await exporter.stop()
                throw error
            }
            await exporter.stop()
        }
    }

    private static func export(_ exporter: Exporter, to destination: String = "trip") async throws -> ExportJob {
        let request = StartExport(selection: ExportSelection(), destination: destination)
        return try await exporter.end(of: try await exporter.start(request, for: World.asker()).job)
    }

    @Test func `renews what was changed in its bag, and says where the changed bytes are`() async throws {
        try await Self.with { world, exporter in
            _ = try await Self.export(exporter)
            try Data("an edit".utf8).write(to: URL(filePath: world.bag() + "/data/IMG.JPG"))
            let done = try await Self.export(exporter)
            #expect(done.state == .done && done.copied == 1 && done.skipped == 0)
            #expect(done.repaired == [ExportRepair(path: "data/IMG.JPG", kept: "changed/IMG.JPG")])
            #expect(done.damaged == nil)
            #expect(try world.payload() == ["IMG.JPG"])
            #expect(try world.isValid())
            #expect(try await exporter.jobs(of: nil, id: done.job) == [done])
        }
    }

    @Test func `says what in its bag is no export's, what is gone, and what is missing for a hidden picture`()
        async throws
    {
        try await Self.with { world, exporter in
            world.add("gone.jpg", "gone!", number: 2)
            _ = try await Self.export(exporter)
            try Data("hi".utf8).write(to: URL(filePath: world.bag() + "/data/mine.txt"))
            try FileManager.default.removeItem(atPath: world.bag() + "/data/gone.jpg")
            world.state.withLock { $0.assets[1].sha256 = nil }
            let done = try await Self.export(exporter)
            #expect(done.unlisted == ["data/mine.txt"] && done.missing == ["data/gone.jpg"])
            #expect(done.failed.map(\.reason).first?.hasSuffix("location; obscura permissions reset") == true)
            #expect(try await exporter.jobs(of: nil, id: done.job) == [done])
        }
    }

    @Test func `says what it renewed also when it fails after that`() async throws {
        try await Self.with { world, exporter in
            world.add("other.jpg", "other", number: 2)
            _ = try await Self.export(exporter)
            for name in ["IMG.JPG", "other.jpg"] {
                try Data("an edit".utf8).write(to: URL(filePath: world.bag() + "/data/" + name))
            }
            world.state.withLock { state in
                state.beforeRead = { name in
                    if name == "other.jpg" { throw ErrorReply(.accessDenied, "No") }
                }
            }
            let failed = try await Self.export(exporter)
            #expect(failed.state == .failed && failed.error?.code == .accessDenied)
            #expect(failed.repaired == [ExportRepair(path: "data/IMG.JPG", kept: "changed/IMG.JPG")])
            #expect(try Data(contentsOf: URL(filePath: world.bag() + "/data/other.jpg")) == Data("an edit".utf8))
        }
    }

    @Test func `that writes nothing leaves no folder, and goes on from nothing`() async throws {
        try await Self.with { world, exporter in
            world.state.withLock { $0.isRevoked = true }
            let failed = try await Self.export(exporter, to: "a/b")
            #expect(failed.state == .failed && failed.error?.code == .revoked)
            #expect(!FileManager.default.fileExists(atPath: world.bag("a")))
            world.state.withLock { $0.isRevoked = false }
            _ = try await exporter.control(
                ControlExport(.resume, job: failed.job),
                for: World.asker(),
                mayControlAll: false
            )
            #expect(try await exporter.end(of: failed.job).state == .done)
            #expect(try world.isValid("a/b"))
        }
    }

    @Test func `that is refused when it is there already leaves the folders that were there`() async throws {
        try await Self.with { world, exporter in
            try FileManager.default.createDirectory(atPath: world.bag("a"), withIntermediateDirectories: true)
            world.state.withLock { $0.isRevoked = true }
            _ = try await Self.export(exporter, to: "a/b/c")
            #expect(try FileManager.default.contentsOfDirectory(atPath: world.bag("a")) == [])
        }
    }

    @Test func `keeps what it failed with, also for another process`() async throws {
        try await Self.with { world, exporter in
            world.state.withLock { $0.beforeRead = { _ in throw ErrorReply(.accessDenied, "No") } }
            let failed = try await Self.export(exporter)
            #expect(failed.error?.code == .accessDenied)
            await exporter.stop()
            let store = try ExportStore(in: world.folder)
            #expect(try await store.record(failed.job)?.job.error == failed.error)
            await store.close()
        }
    }
}
