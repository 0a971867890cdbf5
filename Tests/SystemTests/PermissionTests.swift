import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct PermissionTests {
    @Test func `a denied camera refuses the photo, and asking again does not help`() async throws {
        try await Cluster.with { cluster in
            let denied = try await cluster.obscura("permissions", "deny", "--resource", "camera/*", "--json")
            #expect(denied.status == 0, "\(denied.errors)")
            for _ in 1...2 {
                let photo = try await cluster.obscura("photo", "--json")
                #expect(photo.status == 77)
                let error = try photo.error()
                #expect(error.code == "accessDenied")
                #expect(error.number == nil, "a camera has no Assets Library number")
                #expect(error.recoverySuggestion?.contains("obscura permissions") == true)
            }
            let asked = try await cluster.obscura(
                "permissions",
                "request",
                "--resource",
                "camera/*",
                "--access",
                "use",
                "--json"
            )
            #expect(asked.status == 77)
        }
    }

    @Test func `a denied position is a denied camera`() async throws {
        var options = Cluster.Options()
        options.arguments = ["--built-in-cameras", "always"]
        try await Cluster.with(options) { cluster in
            let denied = try await cluster.obscura("permissions", "deny", "--resource", "camera/front", "--json")
            let decision = try denied.object(PermissionLine.self)
            #expect(denied.status == 0 && decision.status == "denied", "\(denied.errors)")
            #expect(decision.resource.hasPrefix("camera/") && decision.resource != "camera/front")
            let front = try await cluster.obscura("photo", "--camera", "front", "--json")
            #expect(front.status == 77, "\(front.output)")
            #expect(try front.error().code == "accessDenied")
            // Nobody decided about the other one, and nobody is there to ask.
            #expect(try await cluster.obscura("photo", "--camera", "back", "--json").status == 75)
        }
    }

    @Test func `a denied library carries the numbers of the book`() async throws {
        try await Cluster.with { cluster in
            let folder = Folder(path: cluster.folder)
            let picture = try await Pictures.jpeg("a.jpg", in: folder)
            for access in ["addOnly", "read"] {
                let denied = try await cluster.obscura(
                    "permissions",
                    "deny",
                    "--resource",
                    "library",
                    "--access",
                    access,
                    "--json"
                )
                #expect(denied.status == 0, "\(denied.errors)")
            }
            let groups = try await cluster.obscura("library", "groups", "--json")
            #expect(groups.status == 77)
            #expect(try groups.error().code == "accessDenied")
            #expect(try groups.error().number == -3311)

            let save = try await cluster.obscura("library", "save", picture, "--json")
            #expect(save.status == 77)
            let error = try save.error()
            #expect(error.code == "dataUnavailable")
            #expect(error.number == -3310)
            #expect(error.cause == "accessDenied")

            let words = try await cluster.obscura("library", "groups")
            #expect(words.errors.hasPrefix("Error Domain="), "\(words.errors)")
            #expect(words.errors.contains("Code=-3311"))
            #expect(words.errors.split(separator: "\n").count == 1)
        }
    }

    @Test func `a photo that nobody allowed in time says so, and who followed ends without a word`() async throws {
        try await Cluster.with { cluster in
            let person = try cluster.start("permissions", "prompts", "--follow")
            var unanswered: Outcome?
            try await eventually("a question that somebody could have answered") {
                let photo = try await cluster.obscura("photo", "--timeout", "1", "--json")
                guard try photo.error().cause == "unanswered" else { return false }
                unanswered = photo
                return true
            }
            let error = try #require(try unanswered?.error())
            #expect(unanswered?.status == 75 && error.code == "deadlineExceeded")
            #expect(error.reason?.contains("camera/") == true && error.reason?.contains("library addOnly") == true)
            #expect(error.recoverySuggestion?.contains("--timeout") == true)
            kill(person.pid, SIGINT)
            let outcome = await person.outcome()
            #expect(outcome.status == 130 && outcome.errors.isEmpty, "\(outcome.errors)")
            #expect(outcome.output.contains("asks to use the camera"))
        }
    }

    @Test func `a reset asks again, and nobody is there to answer`() async throws {
        try await Cluster.with { cluster in
            _ = try await cluster.obscura("permissions", "deny", "--resource", "camera/*", "--json")
            let reset = try await cluster.obscura("permissions", "reset", "--resource", "camera/*", "--json")
            #expect(reset.status == 0, "\(reset.errors)")
            let photo = try await cluster.obscura("photo", "--json")
            #expect(photo.status == 75)
            let error = try photo.error()
            #expect(error.code == "dismissed")
            #expect(error.cause == "noPrompter")
        }
    }

    @Test func `a grant lets the photo happen and a revocation ends that`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let photo = try await cluster.obscura("photo", "--json")
            #expect(photo.status == 0, "\(photo.errors)")
            let asset = try photo.object(AssetLine.self)
            #expect(asset.kind == "photo")
            #expect(asset.url.hasPrefix("assets-library://asset/asset.JPG?id="))
            let revoked = try await cluster.obscura("permissions", "revoke", "--resource", "camera/*", "--json")
            #expect(revoked.status == 0, "\(revoked.errors)")
            let again = try await cluster.obscura("photo", "--no-prompt", "--json")
            #expect(again.status == 77)
        }
    }

    @Test func `a revocation stops a film, says why, and keeps what was filmed`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let film = try cluster.start("record", "--duration", "60s", "--json", "--progress")
            try await cluster.filmed(1, by: film)
            let revoked = try await cluster.obscura("permissions", "revoke", "--resource", "camera/*", "--json")
            #expect(revoked.status == 0, "\(revoked.errors)")
            let outcome = await film.outcome()
            #expect(outcome.status == 77)
            #expect(try outcome.error().code == "revoked")
            let kept = try #require(try await cluster.onlyAsset())
            #expect(kept.kind == "video" && kept.state == "ok" && (kept.duration ?? 0) >= 1, "\(kept)")
            #expect(try outcome.error().parameters?["asset"] == kept.url)
            #expect(try outcome.error().reason?.contains("is in the library") == true, "\(outcome.errors)")
            #expect(try await cluster.framesPlayed(of: kept.url) >= 10)
        }
    }

    @Test func `a revocation waits for a service that stands still until its lease is over`() async throws {
        // A lease is shorter than the watchdog's patience; on a busy machine it has to be so by more than usual.
        var options = Cluster.Options()
        options.arguments = ["--watchdog", "60"]
        try await Cluster.with(options) { cluster in
            try await cluster.allowEverything()
            let capture = try #require(try await cluster.services().first { $0.name == "capture" }?.pid)
            kill(capture, SIGSTOP)
            defer { kill(capture, SIGCONT) }
            let revoked = try await cluster.obscura("permissions", "revoke", "--resource", "camera/*", "--json")
            #expect(revoked.status == 0, "\(revoked.errors)")
            kill(capture, SIGCONT)
            let photo = try await cluster.obscura("photo", "--no-prompt", "--json")
            // Refused: at first because it has not heard of the coordinator again, then by the decision.
            #expect([75, 77].contains(photo.status), "\(photo.status): \(photo.errors)")
            try await eventually("the same service, ready again") {
                let status = try await cluster.obscura("status", "--wait", "15", "--json")
                return status.status == 0
            }
            #expect(try await cluster.services().first { $0.name == "capture" }?.pid == capture)
            #expect(try await cluster.obscura("photo", "--no-prompt", "--json").status == 77)
        }
    }

    @Test func `decisions survive a restart`() async throws {
        try await Folder.with { folder in
            var options = Cluster.Options()
            options.data = folder.path + "/kept"
            try await Cluster.with(options) { cluster in
                _ = try await cluster.obscura("permissions", "deny", "--resource", "camera/*", "--json")
            }
            try await Cluster.with(options) { cluster in
                let photo = try await cluster.obscura("photo", "--json")
                #expect(photo.status == 77)
            }
        }
    }
}
