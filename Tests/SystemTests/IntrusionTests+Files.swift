import Foundation
import Glibc
import Testing

/// Paths that are not the program's, and assets of others.
extension IntrusionTests {
    @Test func `the library touches no path that a program names`() async throws {
        let deployment = try SystemDeployment.lent()
        let cluster = deployment.cluster
        let folder = Folder(path: cluster.folder)
        let secret = try await Pictures.jpeg("secret.jpg", in: folder)
        unsafe chmod(secret, 0o600)
        try await deployment.expectOperatorRequired([
            ["library", "import", "/etc/hostname"], ["library", "verify"],
        ])
        // The command opens the file as the program's user: the library is never told a path.
        let save = try await cluster.obscura(["library", "save", secret, "--json"], user: SystemDeployment.program)
        #expect(save.status == 66)
        #expect(try save.error().code == "unreadable")
        try await deployment.expectRefused(
            [.init(name: "library.import", body: ["filename": "\(secret)", "path": "\(secret)"], upload: "x")],
            ["operatorRequired"]
        )
        // A name is a name, whatever it looks like.
        try await allow([("library", "addOnly")])
        let names = ["../../../../../../tmp/obscura-escaped.jpg", "/tmp/obscura-escaped.jpg", "..", "a/b.jpg"]
        let picture = try await Pictures.jpeg("open.jpg", in: folder)
        for name in names {
            let attempt = try await Cluster.run(
                ["/usr/bin/python3", "-B", "-c", Self.saving, cluster.runtime, name, picture],
                user: SystemDeployment.program,
                in: cluster
            )
            #expect(attempt.status == 0, "\(attempt.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: "/tmp/obscura-escaped.jpg"))
        let kept = Folder(path: cluster.data).files(below: "library/store").filter { $0.contains("escaped") }
        #expect(kept.isEmpty)
        try await undo([("library", "addOnly")])
    }

    private static let saving = """
        import sys
        from obscura_client import Client, ObscuraError
        with Client(sys.argv[1]) as client:
            try:
                client.upload("library.save", {"mediaType": "public.image", "filename": sys.argv[2]},
                              [open(sys.argv[3], "rb").read()], mayPrompt=False)
            except ObscuraError as error:
                sys.stderr.write(str(error))
        """

    @Test func `the exporter writes nowhere but below its folder`() async throws {
        let deployment = try SystemDeployment.lent()
        let cluster = deployment.cluster
        try await allow([("library", "addOnly"), ("library", "read"), ("export", "use"), ("camera/*", "use")])
        let photo = try await cluster.obscura(["photo", "--json"], user: SystemDeployment.program)
        try #require(photo.status == 0, "\(photo.errors)")
        // Links that somebody with the right to put them there has forgotten.
        let outside = cluster.folder + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
        unsafe chmod(outside, 0o777)
        let exports = cluster.data + "/exports"
        try FileManager.default.createDirectory(atPath: exports + "/bag", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: exports + "/link", withDestinationPath: outside)
        try FileManager.default.createSymbolicLink(atPath: exports + "/bag/data", withDestinationPath: outside)
        let owner = try SystemDeployment.servicesUser
        for path in [exports, exports + "/bag"] { unsafe chown(path, owner.user, owner.group) }
        let destinations = [
            outside, "/etc", "../outside", "a/../../../outside", "..", ".", "", "/", exports, exports + "/../log",
            exports + "extra/a", "link", "link/a", exports + "/link/a", "a\0b", String(repeating: "x/", count: 40),
            String(repeating: "y", count: 300), "//etc/a", "./../outside",
        ]
        let selection: SystemDeployment.Value = ["query": [:]]
        for destination in destinations {
            let mark = deployment.logged()
            let body: [String: SystemDeployment.Value] = ["selection": selection, "destination": .text(destination)]
            let answers = try await deployment.raw([.init(name: "export.start", body: body)])
            let answer = try #require(answers.first)
            if answer.code.isEmpty {
                // It was taken for a name below the folder, where the link is found when the work begins.
                try await ends(in: "failed", destination)
            } else {
                #expect(["destinationRefused", "badMessage"].contains(answer.code), "\(destination): \(answer)")
                let isLogged = deployment.hasLogged(answer.code, "export.start", since: mark)
                #expect(isLogged || answer.code == "badMessage", "\(destination) is not logged")
            }
        }
        // A link inside a bag is found as well.
        let bag: [String: SystemDeployment.Value] = ["selection": selection, "destination": "bag"]
        if try await deployment.raw([.init(name: "export.start", body: bag)]).first?.code == "" {
            try await ends(in: "failed", "bag")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
        let command = ["export", "--service", "--to", "/etc/obscura-export", "--json"]
        let outcome = try await cluster.obscura(command, user: SystemDeployment.program)
        #expect(outcome.status == 73)
        #expect(try outcome.error().code == "destinationRefused")
        #expect(!FileManager.default.fileExists(atPath: "/etc/obscura-export"))
        // What is asked for properly is done.
        let good = try await cluster.obscura(
            ["export", "--service", "--to", "good", "--json"],
            user: SystemDeployment.program
        )
        #expect(good.status == 0, "\(good.output)\(good.errors)")
        try await undo([("library", "addOnly"), ("library", "read"), ("export", "use"), ("camera/*", "use")])
    }

    private func ends(in state: String, _ destination: String) async throws {
        struct Job: Decodable {
            var state: String
            var destination: String
        }
        let deployment = try SystemDeployment.lent()
        try await eventually("the end of the export to \(destination)") {
            let jobs = try await deployment.cluster.obscura(
                ["export", "status", "--json"],
                user: SystemDeployment.program
            )
            let name = destination.split(separator: "/").last.map(String.init) ?? destination
            let job = try jobs.objects(Job.self).first { $0.destination.hasSuffix(name) }
            guard let job, job.state != "running" else { return false }
            #expect(job.state == state, "\(destination)")
            return true
        }
    }

    @Test func `without read a program learns nothing of what others have`() async throws {
        let deployment = try SystemDeployment.lent()
        let cluster = deployment.cluster
        let needs = [("library", "addOnly"), ("library", "read"), ("export", "use"), ("camera/*", "use")]
        try await allow(needs, to: Self.victim)
        let photo = try await cluster.obscura(["photo", "--json"], user: SystemDeployment.person)
        try #require(photo.status == 0, "\(photo.errors)")
        let url = try photo.object(AssetLine.self).url
        let export = try await cluster.obscura(
            ["export", "--service", "--to", "theirs", "--json"],
            user: SystemDeployment.person
        )
        #expect(export.status == 0, "\(export.output)\(export.errors)")
        struct Job: Decodable { var job: String }
        let jobs = try await cluster.obscura(["export", "status", "--json"], user: SystemDeployment.person)
        let job = try #require(try jobs.objects(Job.self).first?.job)

        try await deny([("library", "read"), ("library", "readWrite"), ("location", "read")])
        let absent = "assets-library://asset/asset.JPG?id=00000000-0000-4000-8000-000000000000&ext=JPG"
        func asking(_ url: String) -> [SystemDeployment.Try] {
            [
                .init(name: "library.asset", body: ["url": .text(url)]),
                .init(name: "library.read", body: ["url": .text(url)], stream: true),
                .init(
                    name: "library.thumbnail",
                    body: ["url": .text(url), "width": .number(64), "height": .number(64)],
                    stream: true
                ),
                .init(name: "library.trash", body: ["assets": [.text(url)]]),
                .init(name: "library.restore", body: ["assets": [.text(url)]]),
                .init(name: "library.delete", body: ["assets": [.text(url)]]),
                .init(name: "library.mark", body: ["assets": [.text(url)], "caption": "mine"]),
                .init(
                    name: "export.start",
                    body: ["selection": ["assets": [.text(url)]], "destination": "mine"]
                ),
                .init(name: "export.stream", body: ["selection": ["assets": [.text(url)]]], stream: true),
            ]
        }
        let group = "assets-library://group/?id=00000000-0000-4000-8000-000000000000"
        let general: [SystemDeployment.Try] = [
            .init(name: "library.groups"), .init(name: "library.assets", body: ["query": [:]], stream: true),
            .init(name: "library.events", stream: true), .init(name: "library.changes", stream: true),
            .init(name: "library.count", body: ["query": [:]]),
            .init(name: "library.album.delete", body: ["group": .text(group)]),
            .init(name: "library.album.create", body: ["album": "mine"]),
            .init(
                name: "library.album.change",
                body: ["change": "add", "group": .text(group), "assets": [.text(url)]]
            ),
        ]
        try await deployment.expectRefused(general + asking(url), ["accessDenied", "dataUnavailable", "invalidURL"])
        let theirs = try await deployment.raw(asking(url))
        let nobodys = try await deployment.raw(asking(absent))
        for (mine, other) in zip(theirs, nobodys) {
            #expect(mine.code == other.code && mine.cause == other.cause, "\(mine) \(other)")
        }
        // Jobs of others are not there.
        let others = try await deployment.raw([
            .init(name: "export.status", body: ["job": .text(job)]),
            .init(name: "export.control", body: ["job": .text(job), "action": "cancel"]),
            .init(name: "export.follow", body: ["job": .text(job)], stream: true),
            .init(name: "export.control", body: ["job": "nothing", "action": "cancel"]),
            .init(name: "camera.record.stop", body: ["recording": "nothing"]),
        ])
        #expect(others.map(\.code) == ["", "noSuchJob", "noSuchJob", "noSuchJob", "unknownRecording"], "\(others)")
        #expect(others.first?.answer.contains(job) == false)
        // Where others export to is theirs as well.
        let places = try await deployment.raw(
            ["theirs", "nobodys"].map { place in
                .init(name: "export.start", body: ["selection": ["query": [:]], "destination": .text(place)])
            }
        )
        #expect(Set(places.map(\.code)).count == 1, "\(places)")
        try await undo([("library", "read"), ("library", "readWrite"), ("location", "read")])
    }

    // MARK: Decisions of the person

    private func decide(_ verb: String, _ needs: [(String, String)], _ principal: String) async throws {
        for (resource, access) in needs {
            let arguments = [
                "permissions", verb, "--principal", principal, "--resource", resource, "--access", access, "--json",
            ]
            let outcome = try await SystemDeployment.lent().cluster.obscura(arguments, user: SystemDeployment.person)
            #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
        }
    }

    private func allow(_ needs: [(String, String)], to principal: String = me) async throws {
        try await decide("grant", needs, principal)
    }

    private func deny(_ needs: [(String, String)]) async throws { try await decide("deny", needs, Self.me) }

    private func undo(_ needs: [(String, String)]) async throws { try await decide("reset", needs, Self.me) }
}
