private import CZeroMQ
private import Consent
import EventLoop
private import Glibc
import Logging

/// A server's sockets, bound: one for programs, one for roles, and the authenticator that watches both.
///
/// Confined to the server's loop; the sockets are closed and the lock let go with it, in that order.
final class ServerDoors {
    let authenticator: Authenticator
    private let programs: SocketHandle
    private let roles: SocketHandle
    private let lock: EndpointLock
    private let paths: [String]

    init(
        _ configuration: ServerConfiguration,
        context: MessagingContext,
        log: Logger
    ) throws(MessagingError) {
        let endpoint = configuration.endpoint
        try endpoint.checkLength()
        // Before anything is bound: libzmq would take the path from whoever listens there.
        lock = try EndpointLock(endpoint)
        let domains = Authenticator.Domains(service: endpoint.service)
        authenticator = try Authenticator(
            rules: configuration.identity,
            domains: domains,
            context: context,
            log: log,
            complaintInterval: configuration.complaintInterval
        )
        let mode: mode_t = configuration.identity.deployment == .system ? 0o666 : 0o600
        let programs = try SocketHandle(.router, in: context)
        try SocketOptions.setServer(programs, domain: domains.programs, acceptsKeys: false)
        try Self.bind(programs, at: endpoint.programsPath, mode: mode)
        self.programs = programs
        let roles = try SocketHandle(.router, in: context)
        try SocketOptions.setServer(roles, domain: domains.roles, acceptsKeys: true)
        // Roles are the same user in either deployment.
        try Self.bind(roles, at: endpoint.rolesPath, mode: 0o600)
        self.roles = roles
        paths = [endpoint.programsPath, endpoint.rolesPath]
    }

    // While the lock is held nobody else has bound them; libzmq leaves them, and whoever asks would wait for an answer.
    deinit { for path in paths { unsafe unlink(path) } }

    func readable(_ door: Door) -> WaitSource {
        switch door {
        case .programs: programs.readable
        case .roles: roles.readable
        }
    }

    func receive(at door: Door, using frame: inout MessageFrame) throws(MessagingError) -> IncomingMessage? {
        switch door {
        case .programs: try programs.receiveMessage(using: &frame, isRouted: true)
        case .roles: try roles.receiveMessage(using: &frame, isRouted: true)
        }
    }

    func send(_ frames: [[UInt8]], _ attachments: [Attachment], at door: Door) throws(MessagingError)
        -> SocketHandle.Sending
    {
        switch door {
        case .programs: try programs.send(frames, attachments)
        case .roles: try roles.send(frames, attachments)
        }
    }

    /// Lets the sockets send what they have when they are closed, which follows.
    ///
    /// - Returns: What tells when they have ended.
    func prepareToClose(lingering: Duration, context: MessagingContext) throws(MessagingError) -> ClosingDoors {
        try ClosingDoors(
            programs: programs.end(lingering: lingering, context: context),
            roles: roles.end(lingering: lingering, context: context)
        )
    }

    /// A bound socket gets the mode 0777 less the umask (unix(7)); connecting needs the right to write.
    private static func bind(
        _ socket: borrowing SocketHandle,
        at path: String,
        mode: mode_t
    ) throws(MessagingError) {
        try socket.bind("ipc://\(path)")
        guard unsafe chmod(path, mode) == 0 else {
            throw MessagingError(.runtimeDirectory, path, errorNumber: errno)
        }
    }
}

/// Tells when the closed sockets of a server have ended.
final class ClosingDoors {
    private let programs: SocketHandle
    private let roles: SocketHandle

    init(programs: consuming SocketHandle, roles: consuming SocketHandle) {
        self.programs = programs
        self.roles = roles
    }

    /// What to wait for, one for each socket.
    var ends: [WaitSource] { [programs.readable, roles.readable] }
}

extension SocketHandle {
    /// A socket that becomes readable when this one, closed, has sent what it had or given up (zmq_socket_monitor(3)).
    fileprivate func end(lingering: Duration, context: MessagingContext) throws(MessagingError) -> SocketHandle {
        try set(ZMQ_LINGER, to: CInt(lingering / .milliseconds(1)))
        let endpoint = context.makeEndpoint()
        try monitor(at: endpoint, events: ZMQ_EVENT_MONITOR_STOPPED)
        let end = try SocketHandle(.pair, in: context)
        try end.connect(endpoint)
        return end
    }
}
