import Foundation
import Glibc

/// The real executables: of the debug build beside the tests, or those in `OBSCURA_BIN`.
enum Executables {
    static let directory: String = {
        if let named = ProcessInfo.processInfo.environment["OBSCURA_BIN"], !named.isEmpty { return named }
        return besideTests
    }()
    /// The recipes of the cookbook: a test's program, always of the build that the tests are of.
    static let cookbook = besideTests + "/cookbook"

    private static let besideTests: String = {
        let bundle = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: bundle ?? CommandLine.arguments[0]).deletingLastPathComponent().path
    }()
}

/// One `obscura up` in folders of its own, and the commands that talk to it.
struct Cluster: Sendable {
    struct Options: Sendable {
        var data: String?
        var arguments: [String] = []
        /// The user whose cluster it is; only root can choose.
        var user: UInt32?
        var bin: String = Executables.directory
    }

    let folder: String
    let runtime: String
    let data: String
    let options: Options
    let supervisor: Program

    /// Starts a cluster, lends it, and ends it and all of its processes whatever happens.
    static func with<T: Sendable>(
        _ options: Options = Options(),
        in given: Folder? = nil,
        _ body: (Cluster) async throws -> T
    ) async throws -> T {
        let folder = try given ?? Folder(owner: options.user)
        defer { if given == nil { folder.remove() } }
        let cluster = try await Cluster(options, folder: folder.path)
        do {
            let result = try await body(cluster)
            await cluster.end()
            return result
        } catch {
            await cluster.end()
            throw error
        }
    }

    private init(_ options: Options, folder: String) async throws {
        self.folder = folder
        self.options = options
        runtime = folder + "/run"
        data = options.data ?? folder + "/data"
        let ready = folder + "/ready-\(UInt32.random(in: 0...UInt32.max))"
        guard unsafe mkfifo(ready, 0o666) == 0 else { throw Missing(what: "a pipe at \(ready)") }
        unsafe chmod(ready, 0o666)
        let command = ["\(options.bin)/obscura", "up", "--runtime", runtime, "--data", data, "--ready-fd", "3"]
        let (executable, arguments) = Self.asUser(
            options.user,
            ["/bin/sh", "-c", "exec \"$@\" 3>\"$0\"", ready] + command + options.arguments
        )
        supervisor = try Program(
            executable,
            arguments,
            environment: Self.environment(home: folder),
            directory: folder
        )
        let reader = try Program(
            "/usr/bin/timeout",
            ["60", "head", "-n", "1", ready],
            environment: Self.environment(home: folder),
            directory: folder
        )
        let said = await reader.outcome()
        guard said.status == 0, !said.output.isEmpty else {
            supervisor.send(SIGKILL)
            let outcome = await supervisor.outcome()
            throw Missing(what: "readiness; \(outcome.status): \(outcome.output)\n\(outcome.errors)")
        }
    }

    /// Ends the cluster as Ctrl-C does.
    @discardableResult
    func end() async -> Outcome {
        let pids = Set(Self.children(of: supervisor.pid))
        supervisor.send(SIGINT)
        let guardian = Task { [supervisor] in
            try await Task.sleep(for: .seconds(20))
            supervisor.send(SIGKILL)
        }
        let outcome = await supervisor.outcome()
        guardian.cancel()
        for pid in pids where Self.isObscura(pid) { kill(pid, SIGKILL) }
        return outcome
    }

    // MARK: Commands

    /// Runs `obscura` with these arguments to its end.
    func obscura(_ arguments: String..., user: UInt32? = nil) async throws -> Outcome {
        try await obscura(arguments, user: user)
    }

    func obscura(_ arguments: [String], user: UInt32? = nil) async throws -> Outcome {
        try await Self.run(["\(options.bin)/obscura"] + arguments, user: user ?? options.user, in: self)
    }

    /// Starts `obscura` and leaves it running.
    func start(_ arguments: String..., user: UInt32? = nil) throws -> Program {
        try start(arguments, user: user)
    }

    func start(_ arguments: [String], user: UInt32? = nil) throws -> Program {
        let (executable, rest) = Self.asUser(user ?? options.user, ["\(options.bin)/obscura"] + arguments)
        return try Program(executable, rest, environment: environment, directory: folder)
    }

    /// Allows this user's programs everything that a photo, a film and looking at them need.
    func allowEverything() async throws {
        for (resource, access) in [
            ("camera/*", "use"), ("microphone/*", "use"), ("library", "readWrite"), ("library", "addOnly"),
            ("library", "read"), ("location", "read"), ("export", "use"),
        ] {
            let outcome = try await obscura(
                "permissions",
                "grant",
                "--resource",
                resource,
                "--access",
                access,
                "--lifespan",
                "forever",
                "--json"
            )
            guard outcome.status == 0 else { throw Missing(what: "a grant of \(resource): \(outcome.errors)") }
        }
    }

    /// The services as `obscura status` tells.
    func services() async throws -> [StatusLine.Service] {
        try await obscura("status", "--json").object(StatusLine.self).services
    }

    var environment: [String: String] {
        var environment = Self.environment(home: folder)
        environment["OBSCURA_RUNTIME"] = runtime
        environment["OBSCURA_DATA"] = data
        return environment
    }

    // MARK: Processes

    /// Runs any program to its end, with a hang guard of two minutes.
    static func run(_ command: [String], user: UInt32? = nil, in cluster: Cluster) async throws -> Outcome {
        try await run(command, user: user, environment: cluster.environment, directory: cluster.folder)
    }

    static func run(
        _ command: [String],
        user: UInt32? = nil,
        environment: [String: String],
        directory: String
    ) async throws -> Outcome {
        let (executable, arguments) = asUser(user, command)
        let guarded = ["--kill-after=5", "120", executable] + arguments
        return try await Program("/usr/bin/timeout", guarded, environment: environment, directory: directory).outcome()
    }

    /// What a new user's shell gives: no `XDG_*`, no secrets of whoever runs the tests.
    static func environment(home: String) -> [String: String] {
        ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "HOME": home]
    }

    private static func asUser(_ user: UInt32?, _ command: [String]) -> (String, [String]) {
        guard let user, user != getuid() else { return (command[0], Array(command.dropFirst())) }
        return ("/usr/bin/setpriv", ["--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + command)
    }

    private static func children(of pid: Int32) -> [Int32] {
        let path = "/proc/\(pid)/task/\(pid)/children"
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        let direct = String(decoding: data, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
        return direct + direct.flatMap { children(of: $0) }
    }

    private static func isObscura(_ pid: Int32) -> Bool {
        let name = FileManager.default.contents(atPath: "/proc/\(pid)/comm") ?? Data()
        return String(decoding: name, as: UTF8.self).hasPrefix("obscura")
    }
}
