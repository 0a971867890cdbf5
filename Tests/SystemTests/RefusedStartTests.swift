import Foundation
import Glibc
import Testing

/// Clusters and services that can not start: each says what, why and what to do, ends with its code, and harms nothing.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RefusedStartTests {
    /// Something put in the way of a cluster, and how `up` has to end.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var status: Int32
        var words: [String]
        var arguments: [String] = []
        /// Given the data folder of a cluster that ran once.
        var spoil: @Sendable (Folder) throws -> Void
    }

    static let databases = ["coordinator.sqlite", "library/library.sqlite", "exporter.sqlite"]

    static let cases: [Case] =
        databases.flatMap { name in
            let keeper = String(name.split(separator: "/").last?.prefix { $0 != "." } ?? "")
            return [
                Case(testDescription: "garbage in \(name)", status: 65, words: [keeper, "can not be read"]) { data in
                    try remove(name, in: data)
                    try data.write(name, (0..<8_192).map { _ in UInt8.random(in: 1...255) })
                },
                Case(
                    testDescription: "damage behind the first page of \(name)",
                    status: 65,
                    words: [keeper, "malformed"]
                ) {
                    try scribble(name, in: $0)
                },
                Case(
                    testDescription: "a newer version of \(name)",
                    status: 65,
                    words: [keeper, "newer release", "1000"]
                ) {
                    // The user version is a big-endian number at 60 (sqlite.org/fileformat2.html).
                    try overwrite(name, at: 60, with: [0, 0, 3, 232], in: $0)
                },
                Case(testDescription: "a folder in the place of \(name)", status: 73, words: [name, "move away"]) {
                    data in
                    try remove(name, in: data)
                    try FileManager.default.createDirectory(
                        atPath: "\(data.path)/\(name)",
                        withIntermediateDirectories: false
                    )
                },
            ]
        } + [
            Case(
                testDescription: "a decision that no version has written",
                status: 65,
                words: ["coordinator", "decision d1", "move it away"]
            ) {
                let columns = "id, principal, resource, access, verdict, lifespan, decided_us, decided_by, generation"
                let row = "'d1', 'somebody', 'library', 'read', 'allowed', 'forever', 0, 'uid:0', 1"
                let script = """
                    import sqlite3
                    base = sqlite3.connect("\($0.path)/coordinator.sqlite")
                    base.execute("INSERT INTO decision (\(columns)) VALUES (\(row))")
                    base.commit()
                    """
                let python = try Process.run(URL(filePath: "/usr/bin/python3"), arguments: ["-c", script])
                python.waitUntilExit()
                guard python.terminationStatus == 0 else { throw Missing(what: "a row in the database") }
            },
            Case(testDescription: "a media store that is a file", status: 73, words: ["library/store", "move away"]) {
                try FileManager.default.removeItem(atPath: $0.path + "/library/store")
                try $0.write("library/store", "words".utf8)
            },
            Case(
                testDescription: "a media store that is gone",
                status: 73,
                words: ["media store is not there", "Mount"]
            ) {
                try FileManager.default.removeItem(atPath: $0.path + "/library/store")
            },
            Case(testDescription: "a spool that is a file", status: 73, words: ["capture/spool", "move away"]) { data in
                try? FileManager.default.removeItem(atPath: data.path + "/capture/spool")  // there or not
                try FileManager.default.createDirectory(
                    atPath: data.path + "/capture",
                    withIntermediateDirectories: true
                )
                try data.write("capture/spool", "words".utf8)
            },
            Case(testDescription: "a log folder that is a file", status: 73, words: ["/log", "can not be made"]) {
                data in
                try FileManager.default.removeItem(atPath: data.path + "/log")
                try data.write("log", "words".utf8)
            },
            policy("half a policy", #"{"operators": ["#, words: ["policy.json", "JSON"]),
            policy("an operator that is nobody", #"{"operators": ["bob"]}"#, words: ["policy.json", "bob"]),
            policy("a misspelt rule", #"{"operaters": ["uid:7"]}"#, words: ["policy.json", "operaters", "operators"]),
            Case(
                testDescription: "a policy that is not there",
                status: 66,
                words: ["policy", "/nowhere/policy.json", "No such file"],
                arguments: ["--policy", "/nowhere/policy.json"]
            ) { _ in },
            Case(
                testDescription: "a policy that is a folder",
                status: 66,
                words: ["policy", "/usr", "Is a directory"],
                arguments: ["--policy", "/usr"]
            ) { _ in },
        ]

    private static func policy(_ what: String, _ text: String, words: [String]) -> Case {
        Case(testDescription: what, status: 65, words: words) { try $0.write("policy.json", text.utf8) }
    }

    @Test func `what is in the way of a cluster is said, with its exit code, and is left as it was`() async throws {
        try await Folder.with { folder in
            var options = Cluster.Options()
            options.data = folder.path + "/whole"
            try await Cluster.with(options) { _ = try await $0.services() }
            for item in Self.cases {
                let data = Folder(path: folder.path + "/data")
                try FileManager.default.copyItem(atPath: folder.path + "/whole", toPath: data.path)
                try item.spoil(data)
                let before = data.contents
                let outcome = try await up(item.arguments, in: folder)
                #expect(outcome.status == item.status, "\(item.testDescription): \(outcome.output)\(outcome.errors)")
                for word in item.words {
                    #expect(outcome.errors.contains(word), "\(item.testDescription): no \(word) in \(outcome.errors)")
                }
                // Said once, where a script looks for it; numbers may be those of processes.
                if let word = item.words.last, Int(word) == nil {
                    #expect(!outcome.output.contains(word), "\(item.testDescription): \(outcome.output)")
                }
                // Once on the error's line; a service that can not run is not tried again and again.
                #expect(!outcome.output.contains("restarting"), "\(item.testDescription): \(outcome.output)")
                for (path, bytes) in before {
                    #expect(data.contents[path] == bytes, "\(item.testDescription): \(path) was changed")
                }
                data.remove()
            }
        }
    }

    private func up(_ arguments: [String], in folder: Folder) async throws -> Outcome {
        try await Cluster.run(
            ["/usr/bin/timeout", "15", "\(Executables.directory)/obscura", "up", "--runtime", folder.path + "/run"]
                + ["--data", folder.path + "/data"] + arguments,
            environment: Cluster.environment(home: folder.path),
            directory: folder.path
        )
    }

    private static func remove(_ name: String, in data: Folder) throws {
        for ending in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: "\(data.path)/\(name)\(ending)")
        {
            try FileManager.default.removeItem(atPath: "\(data.path)/\(name)\(ending)")
        }
    }

    private static func scribble(_ name: String, in data: Folder) throws {
        let size = FileManager.default.contents(atPath: "\(data.path)/\(name)")?.count ?? 0
        try overwrite(name, at: 4_096, with: (4_096..<size).map { _ in UInt8.random(in: 1...255) }, in: data)
    }

    private static func overwrite(_ name: String, at offset: UInt64, with bytes: [UInt8], in data: Folder) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: "\(data.path)/\(name)"))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    @Test(.enabled(if: getuid() == 0, "only root can mount a file system that can not be written"))
    func `a data folder that can not be written is named at once`() async throws {
        try await Folder.with { folder in
            let data = folder.path + "/data"
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
            let environment = Cluster.environment(home: folder.path)
            func run(_ command: String...) async throws -> Outcome {
                try await Cluster.run(command, environment: environment, directory: folder.path)
            }
            let mount = try await run("/bin/mount", "-t", "tmpfs", "-o", "ro,size=1m,mode=755", "tmpfs", data)
            try #require(mount.status == 0, "\(mount.errors)")
            let outcome = try await up([], in: folder)
            _ = try await run("/bin/umount", data)
            #expect(outcome.status == 73, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.errors.contains(data), "\(outcome.errors)")
            #expect(outcome.errors.contains("Read-only file system"), "\(outcome.errors)")
        }
    }

    @Test func `a descriptor that was not handed over is no place to announce readiness`() async throws {
        try await Folder.with { folder in
            // Low numbers are those that the process itself opens next.
            for number in [3, 4, 5, 6, 7, 8, 12, 20, 99, 5_000] {
                let outcome = try await up(["--ready-fd", "\(number)"], in: folder)
                #expect(outcome.status == 64, "\(number): \(outcome.output)\(outcome.errors)")
                #expect(outcome.errors.contains("descriptor \(number)"), "\(number): \(outcome.errors)")
            }
            let command = "exec \"$0\" up --runtime \"$1/run\" --data \"$1/data\" --ready-fd 3 3</dev/null"
            let outcome = try await Cluster.run(
                ["/usr/bin/timeout", "15", "/bin/sh", "-c", command, "\(Executables.directory)/obscura", folder.path],
                environment: Cluster.environment(home: folder.path),
                directory: folder.path
            )
            #expect(outcome.status == 64, "\(outcome.output)\(outcome.errors)")
        }
    }

    @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    func `a cluster that is started without its standard streams runs all the same`(redirection: String) async throws {
        try await Folder.with { folder in
            let command = "exec \"$0\" up --runtime \"$1/run\" --data \"$1/data\" \(redirection)"
            let cluster = try Program(
                "/bin/sh",
                ["-c", command, "\(Executables.directory)/obscura", folder.path],
                environment: Cluster.environment(home: folder.path),
                directory: folder.path
            )
            func obscura(_ arguments: String...) async throws -> Outcome {
                try await Cluster.run(
                    ["\(Executables.directory)/obscura", "--runtime", folder.path + "/run"] + arguments,
                    environment: Cluster.environment(home: folder.path),
                    directory: folder.path
                )
            }
            try await eventually("readiness") {
                try await obscura("status", "--json").status == 0 || !cluster.isRunning
            }
            let open = try (0...2).map { number in
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(cluster.pid)/fd/\(number)")
            }
            #expect(open.allSatisfy { $0.hasPrefix("/") }, "a standard stream got another meaning: \(open)")
            cluster.send(SIGINT)
            let outcome = await cluster.outcome()
            // Status lines that nobody can read are an error of output, told at the end.
            #expect([0, 74, 130].contains(outcome.status), "\(outcome.status): \(outcome.output)\(outcome.errors)")
        }
    }

    /// Settings of a service that can not be, and what it says.
    static let settings: [([String], Int32, String)] = [
        (["--config", "FOLDER/unknown.json"], 65, "colour"), (["--config", "FOLDER/half.json"], 65, "half.json"),
        (["--config", "FOLDER/nowhere.json"], 66, "nowhere.json"), (["--config", "FOLDER"], 66, "Is a directory"),
        (["--config", "FOLDER/number.json"], 65, "open-files"), (["--colour", "red"], 64, "--colour"),
        (["--role-keys-fd", "77"], 64, "77"), (["--role-keys", "FOLDER/nowhere.key"], 66, "nowhere.key"),
        (["--deployment", "cloud"], 64, "personal or system"), (["--data"], 64, "--data"),
    ]

    @Test func `settings that can not be are named by every service`() async throws {
        try await Folder.with { folder in
            try folder.write("unknown.json", #"{"colour": "red"}"#.utf8)
            try folder.write("half.json", #"{"data":"#.utf8)
            try folder.write("number.json", #"{"open-files": 1}"#.utf8)
            for service in ["coordinator", "probe", "capture", "library", "exporter"] {
                for (arguments, status, word) in Self.settings {
                    let arguments = arguments.map { $0.replacingOccurrences(of: "FOLDER", with: folder.path) }
                    let place = ["--runtime", folder.path + "/run"]
                    let data = arguments == ["--data"] ? [] : ["--data", folder.path + "/data"]
                    let outcome = try await Cluster.run(
                        ["\(Executables.directory)/obscura-\(service)"] + place + data + arguments,
                        environment: Cluster.environment(home: folder.path),
                        directory: folder.path
                    )
                    #expect(outcome.status == status, "\(service) \(arguments): \(outcome.errors)")
                    #expect(outcome.errors.contains(word), "\(service) \(arguments): \(outcome.errors)")
                }
            }
        }
    }
}

extension Folder {
    /// What lies in the folder's files, by their paths; without logs and what SQLite keeps beside a database.
    fileprivate var contents: [String: Data] {
        var found: [String: Data] = [:]
        for name in files(below: "")
        where !name.hasPrefix("log") && !name.contains(".sqlite-") && !name.hasSuffix(".lock") {
            if let bytes = FileManager.default.contents(atPath: "\(path)/\(name)") { found[name] = bytes }
        }
        return found
    }
}
