private import CLinux
import Consent
import EventLoop
import Files
private import Glibc
private import Hashing
import Logging
import MessageSchema
import Messaging

/// The way from settings to a host.
struct ServiceStart {
    let name: ServiceName
    let settings: Settings
    let deployment: Deployment
    let logLevel: Logger.Level
    private let data: String
    private let runtime: String
    /// The limits that the kernel refused, and its error numbers.
    private var limitsNotSet: [String: CInt] = [:]

    /// Resolves the settings and sets the limits of this process.
    init(name: ServiceName, declared: [Setting], arguments: [String]) throws {
        self.name = name
        let user = UserSituation(ofThisProcess: UserSituation.ownEnvironment)
        settings = try Settings(declared, arguments: arguments, environment: user.environment) { path in
            try Self.read(path, "configuration")
        }
        guard let deployment = Deployment(rawValue: settings["deployment"] ?? "") else {
            throw SettingsError(.badValue, "--deployment is personal or system")
        }
        self.deployment = deployment
        guard deployment == .personal || geteuid() != 0 else {
            throw SettingsError(
                .badValue,
                "the services of a system deployment do not run as root; `obscura up` starts them as the user obscura"
            )
        }
        guard let level = Logger.Level(rawValue: settings["log-level"] ?? "") else {
            throw SettingsError(.badValue, "--log-level is one of trace, debug, info, warning and error")
        }
        logLevel = level
        guard let data = settings["data"] ?? StandardDirectories.data(user),
            let runtime = settings["runtime"] ?? StandardDirectories.runtime(user, for: .serving)
        else {
            throw SettingsError(.badValue, "this user has no home directory: give --data and --runtime")
        }
        self.data = data
        self.runtime = runtime
        if let mebibytes = try settings.number("address-space", in: 0...1_048_576), mebibytes > 0 {
            if clinux_limit_own_memory(UInt64(mebibytes) << 20) != 0 { limitsNotSet["address-space"] = errno }
        }
        if let files = try settings.number("open-files", in: 64...1_048_576) {
            if clinux_limit_own_files(UInt64(files)) != 0 { limitsNotSet["open-files"] = errno }
        }
    }

    /// Makes the folders, reads key and policy, and makes the server, which does not listen yet.
    func host(log: Logger, notifier: ReadinessNotifier) async throws -> ServiceHost {
        for (limit, number) in limitsNotSet {
            log.warning(
                "a limit could not be set",
                ["limit": .string(limit), "reason": .string(unsafe String(cString: strerror(number)))]
            )
        }
        try Self.checkOwner(of: Directory(creating: data, permissions: 0o700), data)
        let mode: UInt32 = deployment == .system ? 0o755 : 0o700
        try Self.checkOwner(of: Directory(creating: runtime, permissions: mode), runtime)
        let keys = try roleKeys()
        let policy = try LivePolicy(
            deployment: deployment,
            user: geteuid(),
            fileStatus: { self.policyStatus() },
            read: { try self.policy() }
        )
        let loop = EventLoop(name: "sockets")
        let context = try MessagingContext()
        var verifiers: [Role: SHA256Digest] = [:]
        for (role, digest) in keys?.verifiers ?? [:] {
            if let role = Role(rawValue: role) { verifiers[role] = SHA256Digest(digest) }
        }
        let configuration = ServerConfiguration(
            endpoint: ServiceEndpoint(service: name.rawValue, runtimeDirectory: runtime),
            identity: IdentityRules(
                deployment: deployment,
                roleVerifiers: verifiers,
                containerPrefixes: policy.containers,
                serviceUser: geteuid()
            )
        )
        let server = MessageServer(configuration, context: context, loop: loop, log: log) { ErrorReply(handling: $0) }
        return try ServiceHost(
            name: name,
            settings: settings,
            deployment: deployment,
            dataDirectory: data,
            runtimeDirectory: runtime,
            log: log,
            loop: loop,
            context: context,
            server: server,
            policy: policy,
            keys: keys,
            instance: randomBytes(8).map { String($0, radix: 16) }.joined(),
            notifier: notifier
        )
    }

    /// Whoever can write into these folders could put other sockets and other data in the place of ours.
    static func checkOwner(of directory: borrowing Directory, _ path: String) throws {
        let status = try directory.descriptor.status()
        guard [0, geteuid()].contains(status.owner) else {
            throw ErrorReply(
                .cannotCreate,
                "\(path) is no safe place",
                reason: "It belongs to the user \(status.owner), and this service runs as \(geteuid()).",
                recoverySuggestion: "Choose a folder of your own with --data and --runtime."
            )
        }
        guard status.permissions & 0o022 == 0 else {
            throw ErrorReply(
                .cannotCreate,
                "\(path) is no safe place",
                reason: "Others can write into it.",
                recoverySuggestion: "Choose another folder with --data and --runtime, or: chmod go-w \(path)"
            )
        }
    }

    private func roleKeys() throws -> RoleKeys? {
        if let number = try settings.number("role-keys-fd", in: 3...1_023) {
            let descriptor = FileDescriptor(adopting: Int32(number))
            let bytes: [UInt8]
            do {
                bytes = try descriptor.readAll(limit: 64 << 10)
            } catch {
                throw SettingsError(.badValue, "--role-keys-fd \(number) can not be read: \(error)")
            }
            return try RoleKeys(decoding: bytes)
        }
        let folder = "\(runtime)/keys"
        if let path = settings["role-keys"] {
            return try RoleKeys(decoding: Self.read(path, "role's key"))
        }
        guard let directory = try? Directory(opening: folder),  // a service started by hand, without a supervisor
            let bytes = try directory.read("\(name.rawValue).json", limit: 64 << 10)
        else { return nil }
        return try RoleKeys(decoding: bytes)
    }

    private func policyStatus() -> FileStatus? {
        // A file that can not be opened is none; reading it says why.
        try? FileDescriptor(opening: settings["policy"] ?? "\(data)/policy.json", [.read]).status()
    }

    private func policy() throws -> Policy {
        let standard = "\(data)/policy.json"
        guard
            let path = try settings["policy"]
                ?? (Directory(opening: data).status(of: "policy.json").map { _ in standard })
        else { return Policy() }
        let bytes = try Self.read(path, "policy")
        do {
            return try Policy(decoding: bytes)
        } catch {
            throw PolicyError(description: "\(path): \(error)")
        }
    }

    /// The bytes of a file that somebody named.
    private static func read(_ path: String, _ what: String) throws(ErrorReply) -> [UInt8] {
        do throws(FilesError) {
            return try FileDescriptor(opening: path, [.read]).readAll(limit: 1 << 20)
        } catch {
            let code: ErrorCode =
                switch error.code {
                case .notFound, .notADirectory: .noSuchFile
                case .isADirectory: .notAFile
                default: .unreadable
                }
            throw ErrorReply(
                code,
                "The \(what) can not be read",
                reason: "\(path): \(error)",
                recoverySuggestion: "Name a file that the services' user can read."
            )
        }
    }
}
