import Foundation
import Glibc
import Testing

/// One system deployment for a whole suite: the services as `obscura`, an operator, and a program of another user.
struct SystemDeployment: Sendable {
    static let program: UInt32 = 61_002
    static let person: UInt32 = 61_003

    /// The deployment of the suite that runs.
    @TaskLocal static var current: SystemDeployment?

    let cluster: Cluster

    /// Starts the deployment, lends it, and ends it; `obscura` is made, and unmade if it was not there.
    static func with(_ body: (SystemDeployment) async throws -> Void) async throws {
        try await Folder.with { folder in
            let environment = Cluster.environment(home: folder.path)
            func run(_ command: String...) async throws -> Outcome {
                try await Cluster.run(command, environment: environment, directory: folder.path)
            }
            let made = try await run("/usr/bin/getent", "passwd", "obscura").status != 0
            if made {
                let user = try await run(
                    "/usr/sbin/useradd",
                    "--system",
                    "--no-create-home",
                    "--home-dir",
                    "/nonexistent",
                    "--shell",
                    "/usr/sbin/nologin",
                    "obscura"
                )
                try #require(user.status == 0, "\(user.errors)")
            }
            for (name, script) in try impostors { try folder.write(name, script) }
            let policy = try folder.write("policy.json", #"{"operators": ["uid:\#(person)"]}"#.utf8)
            var trouble: (any Error)?
            do {
                try await Executables.with { executables in
                    var options = Cluster.Options()
                    options.bin = executables
                    options.arguments = ["--deployment", "system", "--policy", policy]
                    try await Cluster.with(options, in: folder) { try await body(SystemDeployment(cluster: $0)) }
                }
            } catch {
                trouble = error
            }
            if made { _ = try await run("/usr/sbin/userdel", "obscura") }
            if let trouble { throw trouble }
        }
    }

    /// The user and the group that the services run as.
    static var servicesUser: (user: UInt32, group: UInt32) {
        get throws {
            guard let entry = unsafe getpwnam("obscura") else { throw Missing(what: "the user obscura") }
            return unsafe (entry.pointee.pw_uid, entry.pointee.pw_gid)
        }
    }

    /// The suite's deployment.
    static func lent() throws -> SystemDeployment {
        guard let current else { throw Missing(what: "a system deployment") }
        return current
    }

    private static var impostors: [(String, Data)] {
        get throws {
            let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            let files = ["raw", "doors", "neighbour", "impostor"].map { "SystemTests/Impostor/\($0).py" }
            return try (files + ["PythonClient/obscura_client.py"]).map { path in
                let url = tests.appendingPathComponent(path)
                return (url.lastPathComponent, try Data(contentsOf: url))
            }
        }
    }

    // MARK: What the program tries

    /// A request of the program that no command would send.
    struct Try: Encodable {
        struct Delegation: Encodable {
            var principal: String
            var grant: String?
        }

        var name: String
        var body: [String: Value] = [:]
        var service: String?
        var stream: Bool?
        var upload: String?
        var onBehalfOf: Delegation?
        var mayPrompt: Bool?
    }

    /// What a body is made of.
    indirect enum Value: Encodable, ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral,
        ExpressibleByArrayLiteral, ExpressibleByStringInterpolation
    {
        case text(String)
        case number(Int)
        case object([String: Value])
        case list([Value])

        init(stringLiteral value: String) { self = .text(value) }
        init(dictionaryLiteral elements: (String, Value)...) {
            self = .object(Dictionary(elements) { first, _ in first })
        }
        init(arrayLiteral elements: Value...) { self = .list(elements) }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .text(let text): try text.encode(to: encoder)
            case .number(let number): try number.encode(to: encoder)
            case .object(let object): try object.encode(to: encoder)
            case .list(let list): try list.encode(to: encoder)
            }
        }
    }

    /// What came of a try; without a code it succeeded.
    struct Answer: Decodable {
        var name: String
        var code: String
        var cause: String?
        var answer: String
    }

    /// Lets the program send these requests, one after the other.
    func raw(_ tries: [Try], user: UInt32 = program) async throws -> [Answer] {
        let lines = try tries.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) + "\n" }.joined()
        let input = try Folder(path: cluster.folder).write("tries-\(UInt32.random(in: 0...UInt32.max))", lines.utf8)
        let outcome = try await Cluster.run(
            ["/bin/sh", "-c", "exec /usr/bin/python3 -B raw.py \"$0\" < \"$1\"", cluster.runtime, input],
            user: user,
            in: cluster
        )
        try #require(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        return try outcome.objects()
    }

    /// Runs one of the scripts as a user.
    func script(_ name: String, _ arguments: [String] = [], user: UInt32 = program) async throws -> Outcome {
        try await Cluster.run(
            ["/usr/bin/python3", "-B", cluster.folder + "/" + name, cluster.runtime] + arguments,
            user: user,
            in: cluster
        )
    }

    // MARK: What is logged

    /// How much the services have logged; what comes later is ``log(since:)``.
    func logged() -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: Folder(path: cluster.data).files(below: "log").map { name in
                (name, FileManager.default.contents(atPath: "\(cluster.data)/log/\(name)")?.count ?? 0)
            }
        )
    }

    /// The lines that the services have logged since then.
    func log(since mark: [String: Int]) -> [String] {
        Folder(path: cluster.data).files(below: "log").flatMap { name in
            let bytes = FileManager.default.contents(atPath: "\(cluster.data)/log/\(name)") ?? Data()
            return String(decoding: bytes.dropFirst(mark[name] ?? 0), as: UTF8.self).split(separator: "\n").map(
                String.init
            )
        }
    }

    /// Whether one line since then has all of these words.
    func hasLogged(_ words: String..., since mark: [String: Int]) -> Bool {
        log(since: mark).contains { line in words.allSatisfy { line.contains($0) } }
    }

    /// Runs commands of the program, each of which must be refused as a matter for operators, and be logged.
    func expectOperatorRequired(_ commands: [[String]]) async throws {
        for arguments in commands {
            let mark = logged()
            let outcome = try await cluster.obscura(arguments + ["--json"], user: Self.program)
            #expect(outcome.status == 77, "\(arguments): \(outcome.output)\(outcome.errors)")
            #expect(try outcome.error().code == "operatorRequired", "\(arguments)")
            #expect(
                hasLogged("operatorRequired", "uid:\(Self.program)", since: mark),
                "\(arguments) is not logged: \(log(since: mark))"
            )
        }
    }

    /// Sends requests of the program, each of which must be refused with one of these codes, and be logged.
    func expectRefused(_ tries: [Try], _ codes: Set<String>) async throws {
        for attempt in tries {
            let mark = logged()
            let answers = try await raw([attempt])
            let answer = try #require(answers.first)
            #expect(codes.contains(answer.code), "\(attempt): \(answer)")
            let isLogged = hasLogged(answer.code, attempt.name, "uid:\(Self.program)", since: mark)
            #expect(isLogged, "\(attempt.name) is not logged: \(log(since: mark))")
        }
    }
}

/// Gives a suite one deployment for all of its tests.
struct SharedDeployment: SuiteTrait, TestScoping {
    @concurrent func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await SystemDeployment.with { deployment in
            try await SystemDeployment.$current.withValue(deployment) { try await function() }
        }
    }
}
