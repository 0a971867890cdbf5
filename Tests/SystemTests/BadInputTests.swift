import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct BadInputTests {
    /// What `library save` is given, and what it has to say.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var status: Int32
        var code: String
        var number: Int?
        var make: @Sendable (Folder) async throws -> String
    }

    static let cases: [Case] = [
        Case(testDescription: "a missing file", status: 66, code: "noSuchFile") { $0.path + "/nowhere.jpg" },
        Case(testDescription: "a directory", status: 66, code: "notAFile") { folder in
            let path = folder.path + "/folder.jpg"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            return path
        },
        Case(testDescription: "zero bytes", status: 65, code: "invalidData", number: -3302) {
            try $0.write("zero.jpg", [])
        },
        Case(testDescription: "words that are called a picture", status: 65, code: "invalidData", number: -3302) {
            try $0.write("words.jpg", "these are words".utf8)
        },
        Case(testDescription: "a truncated JPEG", status: 65, code: "invalidData", number: -3302) { folder in
            let whole = try await Pictures.jpeg("whole.jpg", in: folder)
            let bytes = FileManager.default.contents(atPath: whole) ?? Data()
            return try folder.write("half.jpg", bytes.prefix(bytes.count / 2))
        },
        Case(testDescription: "a film without its index", status: 65, code: "invalidData", number: -3302) { folder in
            let whole = try await Pictures.movie("whole.mov", in: folder)
            let bytes = FileManager.default.contents(atPath: whole) ?? Data()
            return try folder.write("half.mov", bytes.prefix(bytes.count / 2))
        },
    ]

    @Test func `what can not be saved is named, with the right exit code, and leaves nothing`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let folder = Folder(path: cluster.folder)
            for item in Self.cases {
                let path = try await item.make(folder)
                let outcome = try await cluster.obscura("library", "save", path, "--json")
                #expect(outcome.status == item.status, "\(item.testDescription): \(outcome.output)\(outcome.errors)")
                guard outcome.status != 0 else { continue }
                let error = try outcome.error()
                #expect(error.code == item.code, "\(item.testDescription): \(error)")
                #expect(error.number == item.number, "\(item.testDescription)")
                #expect(!error.description.isEmpty)
            }
            let list = try await cluster.obscura("library", "list", "--json")
            #expect(list.lines.isEmpty, "\(list.output)")
            let verify = try await cluster.obscura("library", "verify", "--json").object(VerifyLine.self)
            #expect(verify.checked == 0 && verify.orphans == 0)
        }
    }

    @Test func `a picture with the ending of a film is told apart by its bytes`() async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let folder = Folder(path: cluster.folder)
            let picture = try await Pictures.jpeg("a.jpg", in: folder)
            let misnamed = try folder.write("a.mov", FileManager.default.contents(atPath: picture) ?? Data())
            let outcome = try await cluster.obscura("library", "import", misnamed, "--json")
            let result = try outcome.object(ImportLine.self)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(result.found == 1 && result.imported == 1)
            let asset = try #require(try await cluster.onlyAsset())
            #expect(asset.kind == "photo" && asset.state == "ok" && asset.width ?? 0 > 0, "\(asset)")
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can become somebody who may not read"))
    func `an unreadable file is named with exit 66`() async throws {
        var options = Cluster.Options()
        options.user = 61_001
        try await Executables.with { (executables: String) async throws -> Void in
            var options = options
            options.bin = executables
            try await Cluster.with(options) { (cluster: Cluster) async throws -> Void in
                let folder = Folder(path: cluster.folder)
                let secret = try folder.write("secret.jpg", [1, 2, 3])
                unsafe chmod(secret, 0)
                let outcome = try await cluster.obscura("library", "save", secret, "--json")
                #expect(outcome.status == 66)
                #expect(try outcome.error().code == "unreadable")
            }
        }
    }

    /// A runtime or data directory that will not do, and how `up` has to end.
    static let directories: [(String, [String], Int32, String)] = [
        ("an unwritable runtime directory", ["--runtime", "/proc/obscura", "--data", "FOLDER/data"], 73, "/proc"),
        ("a runtime directory that is a file", ["--runtime", "FOLDER/file", "--data", "FOLDER/data"], 73, "file"),
        ("an unwritable data directory", ["--runtime", "FOLDER/run", "--data", "/proc/obscura"], 73, "/proc"),
        (
            "a path too long for a socket",
            ["--runtime", "FOLDER/" + String(repeating: "long", count: 30), "--data", "FOLDER/data"], 73, "long"
        ),
    ]

    @Test(arguments: directories)
    func `a directory that will not do is named at once`(
        what: String,
        arguments: [String],
        status: Int32,
        word: String
    ) async throws {
        try await Folder.with { folder in
            try folder.write("file", [])
            let arguments = arguments.map { $0.replacingOccurrences(of: "FOLDER", with: folder.path) }
            let outcome = try await Cluster.run(
                ["\(Executables.directory)/obscura", "up"] + arguments,
                environment: Cluster.environment(home: folder.path),
                directory: folder.path
            )
            #expect(outcome.status == status, "\(what): \(outcome.output)\(outcome.errors)")
            #expect(outcome.errors.contains(word), "\(what): \(outcome.errors)")
        }
    }

    @Test func `two coordinators: the second is refused and the first is unharmed`() async throws {
        try await Cluster.with { cluster in
            let second = try await Cluster.run(
                ["\(Executables.directory)/obscura-coordinator", "--runtime", cluster.runtime, "--data", cluster.data],
                in: cluster
            )
            #expect(second.status == 75, "\(second.errors)")
            #expect(second.errors.contains("alreadyRunning") || second.errors.contains("already running"))
            #expect(try await cluster.obscura("status", "--json").object(StatusLine.self).ready)
        }
    }

    /// Commands, and the exit status of each.
    static let commands: [([String], Int32)] = [
        (["photo", "--camera"], 64),
        (["levitate"], 64),
        (["photo", "--levitate"], 64),
        (["record", "--duration", "soon"], 64),
        (["library", "show", "https://example.org/a.jpg"], 64),
        (["library", "show", "assets-library://asset/asset.JPG?id=00000000-0000-4000-8000-000000000000&ext=JPG"], 66),
        (["photo", "--camera", "nobody"], 69),
        (["pick", "--source", "camera"], 69),
    ]

    @Test(arguments: commands)
    func `a command that can not be done ends with its exit code`(arguments: [String], status: Int32) async throws {
        try await Cluster.with { cluster in
            try await cluster.allowEverything()
            let outcome = try await cluster.obscura(arguments + ["--json"])
            #expect(outcome.status == status, "\(arguments): \(outcome.output)\(outcome.errors)")
            #expect(!outcome.errors.isEmpty)
        }
    }
}
