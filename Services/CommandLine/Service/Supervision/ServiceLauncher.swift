private import CLinux
private import Consent
import Files
private import Glibc
import MessageSchema
private import ServiceRuntime

/// Starts one service's process: its key on a descriptor, its readiness on a socket, its log lines in a file.
struct ServiceLauncher: Sendable {
    /// The descriptor on which a service finds its role's key.
    static let keyDescriptor: Int32 = 3

    private let options: ClusterOptions
    private let identity: ChildRequest.Identity?
    private let executables: String
    private let keyring: RoleKeyring

    /// - Parameters:
    ///   - options: What is run.
    ///   - identity: Whom the services run as.
    ///   - executables: The folder that holds them.
    init(options: ClusterOptions, identity: ChildRequest.Identity?, executables: String) {
        self.options = options
        self.identity = identity
        self.executables = executables
        keyring = RoleKeyring()
    }

    /// Opens the socket on which a service tells how it is.
    func notifySocket(for service: ServiceName) throws(ClusterError) -> FileDescriptor {
        let path = notifyPath(for: service)
        let descriptor = unsafe clinux_notify_listen(path, 0o666)
        guard descriptor >= 0 else {
            throw ClusterError(.cannotCreate, "\(path) can not be made: \(unsafe String(cString: strerror(errno)))")
        }
        return FileDescriptor(adopting: descriptor)
    }

    /// Puts the key of a service that somebody else runs beside the sockets.
    func leaveKey(for service: ServiceName) throws {
        let folder = try Directory(opening: options.runtime + "/keys")
        try folder.writeAtomically(role(of: service).encoded, to: "\(service.rawValue).json")
    }

    /// Starts the service; blocks for some milliseconds.
    func launch(_ service: ServiceName) throws -> ChildProcess {
        let key = try FileDescriptor.memory(named: "role-key")
        try key.writeAll(role(of: service).encoded, at: 0)
        let log = try FileDescriptor(
            opening: options.isVerbose ? "/dev/stderr" : "\(options.data)/log/\(service.rawValue).log",
            [.write, .append, .create]
        )
        if let identity, !options.isVerbose { _ = fchown(log.rawValue, identity.user, identity.group) }
        let nothing = try FileDescriptor(opening: "/dev/null", [.read])

        var request = ChildRequest(executable: "\(executables)/\(service.executable)")
        request.arguments = arguments(for: service)
        request.environment = environment(for: service)
        request.descriptors = [
            .init(here: nothing.rawValue, there: 0), .init(here: log.rawValue, there: 1),
            .init(here: log.rawValue, there: 2), .init(here: key.rawValue, there: Self.keyDescriptor),
        ]
        request.keepsStandardStreams = false
        request.hasOwnGroup = true
        request.identity = identity
        request.parentDeathSignal = SIGTERM
        request.hasNoNewPrivileges = true
        request.limits.coreBytes = 0
        return try ChildProcess(request)
    }

    private func arguments(for service: ServiceName) -> [String] {
        var arguments = [
            "--data", options.data, "--runtime", options.runtime, "--deployment", options.deployment.rawValue,
            "--role-keys-fd", String(Self.keyDescriptor),
        ]
        if let policy = options.policy { arguments += ["--policy", policy] }
        if let config = options.config { arguments += ["--config", config] }
        return arguments + (options.extra[service] ?? [])
    }

    /// Of our environment only what a service reads; secrets of whoever started us are none of its business.
    private func environment(for service: ServiceName) -> [String: String] {
        let kept = ["PATH", "LANG", "LC_ALL", "TZ", "HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"]
        var environment: [String: String] = [:]
        for name in kept {
            if let value = unsafe getenv(name) { environment[name] = unsafe String(cString: value) }
        }
        environment["NOTIFY_SOCKET"] = notifyPath(for: service)
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return environment
    }

    private func notifyPath(for service: ServiceName) -> String { "\(options.runtime)/notify/\(service.rawValue)" }

    private func role(of service: ServiceName) -> RoleKeys {
        switch service {
        case .coordinator: keyring.keys(for: .coordinator)
        case .probe: keyring.keys(for: .probe)
        case .capture: keyring.keys(for: .capture)
        case .library: keyring.keys(for: .library)
        case .exporter: keyring.keys(for: .exporter)
        }
    }
}
