import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CrashTests {
    static let services = ["coordinator", "probe", "capture", "library", "exporter"]

    @Test(arguments: services)
    func `a killed service comes back and nothing acknowledged is lost`(name: String) async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            var acknowledged: [String] = []
            func note(_ photo: Outcome) throws {
                if photo.status == 0 {
                    acknowledged.append(try photo.object(AssetLine.self).url)
                } else {
                    // Refused in words while the service is away, never half done.
                    #expect([69, 75].contains(photo.status), "\(photo.errors)")
                }
            }
            try note(try await cluster.obscura("photo", "--json"))
            #expect(acknowledged.count == 1)
            for _ in 1...3 {
                let victim = try #require(try await cluster.services().first { $0.name == name }?.pid)
                let photo = try cluster.start("photo", "--json")
                kill(victim, SIGKILL)
                try note(await photo.outcome())
                try await eventually("\(name) with another pid") {
                    let service = try await cluster.services().first { $0.name == name }
                    return service?.pid != nil && service?.pid != victim
                }
                let status = try await cluster.obscura("status", "--wait", "15", "--json")
                #expect(status.status == 0, "\(status.output) \(status.errors)")
                try note(try await cluster.obscura("photo", "--json"))
            }
            let list = try await cluster.obscura("library", "list", "--json")
            #expect(list.status == 0, "\(list.errors)")
            let listed = try list.objects(AssetLine.self)
            #expect(Set(acknowledged).subtracting(listed.map(\.url)).isEmpty)
            #expect(listed.allSatisfy { $0.state == "ok" })
            let verify = try await cluster.obscura("library", "verify", "--json")
            #expect(verify.status == 0, "\(verify.output) \(verify.errors)")
            let verified = try verify.object(VerifyLine.self)
            #expect(verified.checked >= acknowledged.count)
            #expect(verified.missing == 0)
            #expect(verified.damaged.isEmpty)
        }
    }

    @Test func `services are killed in turn while the demonstration goes round`() async throws {
        try await Cluster.with { cluster in
            for name in Self.services {
                let demo = try cluster.start("demo", "--yes", "--json")
                try await eventually("the demonstration's first line") {
                    let size = try FileManager.default.attributesOfItem(atPath: demo.output)[.size] as? Int
                    return (size ?? 0) > 0 || !demo.isRunning
                }
                if let pid = try await cluster.services().first(where: { $0.name == name })?.pid { kill(pid, SIGKILL) }
                let outcome = await demo.outcome()
                #expect([0, 69, 74, 75, 77].contains(outcome.status), "\(name): \(outcome.errors)")
                let status = try await cluster.obscura("status", "--wait", "15", "--json")
                #expect(status.status == 0, "\(name): \(status.output)")
            }
            let audit = try await cluster.obscura("audit", "verify", "--json")
            #expect(audit.status == 0, "\(audit.output) \(audit.errors)")
            // Cut short or not, it has left nothing decided.
            let decided = try await cluster.obscura("permissions", "list", "--json")
            #expect(decided.status == 0 && decided.lines.isEmpty, "\(decided.output)")
            let after = try await cluster.obscura("demo", "--yes", "--json")
            #expect(after.status == 0, "\(after.errors)")
            let verify = try await cluster.obscura("library", "verify", "--json")
            #expect(verify.status == 0, "\(verify.output)")
            #expect(try verify.object(VerifyLine.self).damaged.isEmpty)
        }
    }

    @Test func `a second library on the same runtime directory is refused and harms nobody`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let photo = try await cluster.obscura("photo", "--json").object(AssetLine.self)
            let second = try await Cluster.run(
                ["\(Executables.directory)/obscura-library", "--runtime", cluster.runtime, "--data", cluster.data],
                in: cluster
            )
            #expect(second.status == 75, "\(second.errors)")
            #expect(
                second.errors.contains("alreadyRunning") || second.errors.contains("It is process"),
                "\(second.errors)"
            )
            let show = try await cluster.obscura("library", "show", photo.url, "--json")
            #expect(show.status == 0, "\(show.errors)")
            #expect(try show.object(AssetLine.self).sha256 == photo.sha256)
        }
    }

    @Test func `a second supervisor on the same runtime directory is refused and harms nobody`() async throws {
        try await Cluster.with { cluster in
            let before = try await cluster.services()
            let second = try await Cluster.run(
                ["\(Executables.directory)/obscura", "up", "--runtime", cluster.runtime, "--data", cluster.data],
                in: cluster
            )
            #expect(second.status == 75, "\(second.errors)")
            #expect(second.errors.contains("alreadyRunning"), "\(second.errors)")
            let after = try await cluster.services()
            #expect(before.map(\.pid) == after.map(\.pid))
        }
    }

    @Test func `a camera service that is killed while it films leaves the film once, and it plays`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let film = try cluster.start("record", "--duration", "120s", "--json", "--progress")
            try await cluster.filmed(2, by: film)
            func capture() async throws -> Int32? { try await cluster.services().first { $0.name == "capture" }?.pid }
            func films() async throws -> [AssetLine] {
                try await cluster.obscura("library", "list", "--kind", "video", "--json").objects()
            }
            let victim = try #require(try await capture())
            kill(victim, SIGKILL)
            let outcome = await film.outcome()
            #expect([69, 75].contains(outcome.status), "\(outcome.status): \(outcome.errors)")
            try await eventually("the film in the library") { try await !films().isEmpty }
            let asset = try #require(try await films().first)
            #expect(asset.state == "ok")
            #expect(try await cluster.framesPlayed(of: asset.url) > 10)
            // It is delivered once, and nothing is left to deliver at the next start.
            let spool = Folder(path: cluster.data)
            try await eventually("an empty spool") { spool.files(below: "capture/spool").isEmpty }
            let successor = try #require(try await capture())
            #expect(successor != victim)
            kill(successor, SIGKILL)
            try await eventually("capture with another pid") {
                let pid = try await capture()
                return pid != nil && pid != successor
            }
            #expect(try await cluster.obscura("status", "--wait", "15", "--json").status == 0)
            #expect(try await cluster.obscura("photo", "--json").status == 0)
            #expect(try await films().map(\.url) == [asset.url])
        }
    }

    @Test func `a program that is killed while it films leaves a film that plays and a free camera`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let film = try cluster.start("record", "--duration", "120s", "--json", "--progress")
            try await eventually("progress of the film") {
                try String(contentsOfFile: film.output, encoding: .utf8).contains("\"progress\"")
            }
            film.send(SIGKILL)
            _ = await film.outcome()
            var kept: [AssetLine] = []
            try await eventually("the film in the library") {
                kept = try await cluster.obscura("library", "list", "--kind", "video", "--json").objects()
                return !kept.isEmpty
            }
            let asset = try #require(kept.first)
            #expect(kept.count == 1)
            #expect(asset.state == "ok")
            #expect(try await cluster.framesPlayed(of: asset.url) > 0)
            let again = try await cluster.obscura("photo", "--json")
            #expect(again.status == 0, "\(again.errors)")
        }
    }

    @Test func `Ctrl-C ends all processes`() async throws {
        try await Folder.with { folder in
            var options = Cluster.Options()
            options.data = folder.path + "/data"
            let pids = try await Cluster.with(options) { cluster in
                let pids = try await cluster.services().compactMap(\.pid)
                let outcome = await cluster.end()
                #expect(outcome.status == 0 || outcome.status == 130)
                return pids
            }
            #expect(pids.count == Self.services.count)
            for pid in pids { #expect(kill(pid, 0) != 0, "\(pid) lives") }
        }
    }
}
