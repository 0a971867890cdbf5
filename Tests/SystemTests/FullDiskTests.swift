import Foundation
import Glibc
import Testing

/// What happens when the disk is full: it is said, the services live, and nothing that was there is lost.
@Suite(
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: getuid() == 0, "only root can mount a small disk")
)
struct FullDiskTests {
    /// Lends a cluster whose data lie on a disk of so many megabytes, and the path of that disk.
    private static func withDisk(
        megabytes: Int,
        _ body: (Cluster, String) async throws -> Void
    ) async throws {
        try await Folder.with { folder in
            let disk = folder.path + "/disk"
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
            let environment = Cluster.environment(home: folder.path)
            func run(_ command: String...) async throws -> Outcome {
                try await Cluster.run(command, environment: environment, directory: folder.path)
            }
            let mount = try await run("/bin/mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", disk)
            try #require(mount.status == 0, "\(mount.errors)")
            var options = Cluster.Options()
            options.data = disk + "/data"
            do {
                try await Cluster.with(options) { try await body($0, disk) }
            } catch {
                Issue.record(error)
            }
            _ = try await run("/bin/umount", disk)
        }
    }

    /// Fills the disk to the last byte, and gives what has to be removed to make room again.
    private static func fill(_ disk: String, _ cluster: Cluster) async throws -> String {
        let filler = disk + "/filler"
        let fill = try await Cluster.run(["/bin/sh", "-c", "cat /dev/zero > \"$0\"", filler], in: cluster)
        #expect(fill.status != 0)
        return filler
    }

    @Test func `a full disk is said, and after room is made everything is there`() async throws {
        try await Self.withDisk(megabytes: 24) { cluster, disk in
            try await cluster.allowEverything()
            let picture = try await Pictures.jpeg("a.jpg", in: Folder(path: cluster.folder))
            let first = try await cluster.obscura("photo", "--json").object(AssetLine.self)
            let filler = try await Self.fill(disk, cluster)
            for command in [["photo"], ["library", "save", picture]] {
                let full = try await cluster.obscura(command + ["--json"])
                #expect(full.status == 74, "\(full.output)\(full.errors)")
                let error = try full.error()
                #expect(error.code == "diskFull")
                #expect(error.number == -3305)
                // As df has it, and what has to stay free is part of what is needed.
                #expect(error.parameters?["bytesAvailable"] == "0")
                #expect(error.parameters?["bytesNeeded"].flatMap { Int($0) } ?? 0 >= 16 << 20)
            }
            for command in [["record", "--duration", "2s"], ["export", "--service", "--to", "full"]] {
                let full = try await cluster.obscura(command + ["--json"])
                #expect(try full.status == 74 && full.error().code == "diskFull", "\(full.output)\(full.errors)")
            }
            let readable = try await cluster.obscura("library", "show", first.url, "--json")
            #expect(readable.status == 0, "\(readable.errors)")
            // A decision that can not be kept is not given.
            let deny = try await cluster.obscura("permissions", "deny", "--resource", "export", "--json")
            #expect(deny.status == 74, "\(deny.output)\(deny.errors)")
            #expect(try await cluster.obscura("status", "--json").object(StatusLine.self).ready)
            try await eventually("a word of the full disk beside the library's state") {
                try await cluster.obscura("status", "--json").output.contains("the disk is full")
            }
            try FileManager.default.removeItem(atPath: filler)
            let again = try await cluster.obscura("photo", "--json")
            #expect(again.status == 0, "\(again.errors)")
            let verify = try await cluster.obscura("library", "verify", "--json").object(VerifyLine.self)
            #expect(verify.checked == 2 && verify.damaged.isEmpty && verify.missing == 0)
        }
    }

    @Test func `a film ends while there is still room for it in the library, and for a photo after it`() async throws {
        try await Self.withDisk(megabytes: 34) { cluster, disk in
            try await cluster.allowEverything()
            let film = try await cluster.obscura("record", "--quality", "high", "--duration", "300s", "--json")
            #expect(film.status == 74, "\(film.errors)")
            #expect(try film.error().code == "diskFull")
            let films: [AssetLine] = try await cluster.obscura("library", "list", "--kind", "video", "--json").objects()
            #expect(films.count == 1)
            #expect(try await cluster.obscura("photo", "--json").status == 0)
        }
    }

    @Test func `a disk that fills while a film with sound is taken keeps what was filmed`() async throws {
        try await Self.withDisk(megabytes: 64) { cluster, disk in
            try await cluster.allowEverything()
            let before = try await cluster.services().map(\.pid)
            let film = try cluster.start("record", "--sound", "--duration", "120s", "--json", "--progress")
            try await cluster.filmed(2, by: film)
            let filler = try await Self.fill(disk, cluster)
            let outcome = await film.outcome()
            #expect(outcome.status == 74, "\(outcome.errors)")
            #expect(try outcome.error().code == "diskFull")
            #expect(try await cluster.services().map(\.pid) == before, "no service may fall over it")
            try FileManager.default.removeItem(atPath: filler)
            #expect(try await cluster.obscura("photo", "--json").status == 0)
            func films() async throws -> [AssetLine] {
                try await cluster.obscura("library", "list", "--kind", "video", "--json").objects()
            }
            // What could not go to the library waits in the spool, and is tried again.
            try await eventually("the film in the library") { try await !films().isEmpty }
            let asset = try #require(try await films().first)
            #expect(try await films().count == 1)
            #expect(asset.state == "ok")
            #expect(try await cluster.framesPlayed(of: asset.url) > 10)
        }
    }
}
