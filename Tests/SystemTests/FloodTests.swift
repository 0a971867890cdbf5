import Foundation
import Glibc
import Testing

/// What libzmq can not bound: a message that never ends.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FloodTests {
    /// The library's limit of memory here, and how much is thrown at it, in MiB.
    ///
    /// The allocator reserves 64 MiB and more for each thread that has ever allocated (mallopt(3), M_ARENA_MAX), so that
    /// half of the limit can be taken from the start.
    private static let (limit, flood) = (1_536, 3_072)

    @Test func `an endless message costs its service a restart at most`() async throws {
        try await Executables.with { (executables: String) async throws -> Void in
            try Self.limitLibrary(in: executables)
            var options = Cluster.Options()
            options.bin = executables
            try await Cluster.with(options) { (cluster: Cluster) async throws -> Void in
                try await cluster.allowEverything()
                let photo = try await cluster.obscura("photo", "--json").object(AssetLine.self)
                let before = try await cluster.services()
                let script = "\(cluster.folder)/flood.py"
                let source = "\(URL(fileURLWithPath: #filePath).deletingLastPathComponent().path)/Impostor/flood.py"
                try FileManager.default.copyItem(atPath: source, toPath: script)
                let flood = try await Cluster.run(
                    ["/usr/bin/python3", "-B", script, cluster.runtime + "/library.sock", String(Self.flood)],
                    in: cluster
                )
                let sent = try #require(Int(flood.lines.first ?? ""), "\(flood.errors)")
                #expect(sent > 0 && sent < Self.flood, "\(sent): \(flood.errors)")

                let status = try await cluster.obscura("status", "--wait", "30", "--json")
                #expect(status.status == 0, "\(status.output) \(status.errors)")
                let after = try await cluster.services()
                #expect(Self.pids(before) == Self.pids(after))
                let show = try await cluster.obscura("library", "show", photo.url, "--json").object(AssetLine.self)
                #expect(show.sha256 == photo.sha256 && show.state == "ok")
                let verify = try await cluster.obscura("library", "verify", "--json").object(VerifyLine.self)
                #expect(verify.damaged.isEmpty && verify.missing == 0)
                let next = try await cluster.obscura("photo", "--json")
                #expect(next.status == 0, "\(next.errors)")
            }
        }
    }

    /// Of the services that have no reason to end.
    private static func pids(_ services: [StatusLine.Service]) -> [String: Int32] {
        Dictionary(uniqueKeysWithValues: services.filter { $0.name != "library" }.map { ($0.name, $0.pid ?? 0) })
    }

    /// Puts a script in the library's place that starts it with less memory.
    private static func limitLibrary(in folder: String) throws {
        let (place, real) = (folder + "/obscura-library", folder + "/library")
        try FileManager.default.moveItem(atPath: place, toPath: real)
        let script = "#!/bin/sh\nexec \(real) \"$@\" --address-space \(limit)\n"
        try script.write(toFile: place, atomically: false, encoding: .utf8)
        unsafe chmod(place, 0o755)
    }
}
