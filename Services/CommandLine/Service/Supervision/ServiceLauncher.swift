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

    /// Where the services' log lines go; `nil` for standard error.
    let logs: LogFiles?
    private let options: ClusterOptions
    private let folders: ClusterFolders
    private let executables: String
    private let keyring: RoleKeyring

    /// - Parameters:
    ///   - options: What is run.
    ///   - folders: Where, and as whom.
    ///   - executables: The folder that holds the services' executables.
    init(options: ClusterOptions, folders: ClusterFolders, executables: String) {
        self.options = options
        self.folders = folders
        self.executables = executables
        keyring = RoleKeyring()
        logs = options.isVerbose ? nil : LogFiles(folders, at: options.data + "/log")
    }

    /// Opens the socket on which a service tells how it is; services alone reach it.
    func notifySocket(for service: ServiceName) throws(ClusterError) -> FileDescriptor {
        // Through the descriptor (proc(5)), so that nobody can lead us to another folder.
        let path = "/proc/self/fd/\(folders.notify.descriptor.rawValue)/\(service.rawValue)"
        let descriptor = unsafe clinux_notify_listen(path, folders.identity == nil ? 0o600 : 0o660)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw ClusterError(.cannotCreate, "\(notifyPath(for: service)) can not be made: \(reason)")
        }
        return FileDescriptor(adopting: descriptor)
    }

    /// Puts the key of a service that somebody else runs beside the sockets, for the services' user to read, and takes
    /// away that of a service that is run here.
    func leaveKey(for service: ServiceName, isWanted: Bool) throws(ClusterError) {
        let name = "\(service.rawValue).json"
        do {
            try folders.keys.removeAll(name)
            guard isWanted else { return }
            try folders.keys.writeAtomically(role(of: service).encoded, to: name)
            guard folders.identity != nil else { return }
            let file = try folders.keys.open(name, [.read])
            guard fchmod(file.rawValue, 0o640) == 0 else { throw FilesError(errorNumber: errno, operation: "chmod") }
        } catch {
            throw ClusterError(.cannotCreate, "\(options.runtime)/keys/\(name) can not be made: \(error)")
        }
    }

    /// Starts the service; blocks for some milliseconds.
    func launch(_ service: ServiceName) throws -> ChildProcess {
        let key = try FileDescriptor.memory(named: "role-key")
        try key.writeAll(role(of: service).encoded, at: 0)
        let log = try logs?.open(service) ?? FileDescriptor(adopting: standardError())
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
        request.identity = folders.identity
        request.parentDeathSignal = SIGTERM
        request.hasNoNewPrivileges = true
        request.limits.coreBytes = 0
        return try ChildProcess(request)
    }

    private func standardError() throws(FilesError) -> Int32 {
        let descriptor = clinux_duplicate(STDERR_FILENO)
        guard descriptor >= 0 else { throw FilesError(errorNumber: errno, operation: "duplicate") }
        return descriptor
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
        if options.watchdog > .zero {
            environment["WATCHDOG_USEC"] = String(options.watchdog.components.seconds * 1_000_000)
        }
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
