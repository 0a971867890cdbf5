private import Glibc

/// Where a service listens on this machine.
package struct ServiceEndpoint: Hashable, Sendable {
    package let service: String
    package let runtimeDirectory: String

    package init(service: String, runtimeDirectory: String) {
        self.service = service
        self.runtimeDirectory = runtimeDirectory
    }

    /// The path of the socket for programs.
    package var programsPath: String { "\(runtimeDirectory)/\(service).sock" }
    /// The path of the socket for the services among themselves.
    package var rolesPath: String { "\(runtimeDirectory)/\(service).roles.sock" }
    /// The path of the lock that a running service holds.
    package var lockPath: String { "\(runtimeDirectory)/\(service).lock" }

    /// The endpoint for programs.
    package var programs: String { "ipc://\(programsPath)" }
    /// The endpoint for roles.
    package var roles: String { "ipc://\(rolesPath)" }

    /// Fails if a path does not fit: `sun_path` has 108 bytes with its closing zero (unix(7)).
    package func checkLength() throws(MessagingError) {
        for path in [programsPath, rolesPath] where path.utf8.count > 107 {
            throw MessagingError(.pathTooLong, path)
        }
    }
}

extension ServiceEndpoint {
    /// Waits until no process holds the service's place, for at most `limit`; polls every 20 ms, blocks the thread, makes
    /// nothing.
    ///
    /// - Returns: Whether it is free.
    package func waitUntilFree(for limit: Duration) -> Bool {
        let end = ContinuousClock.now.advanced(by: limit)
        while isHeld {
            guard ContinuousClock.now < end else { return false }
            usleep(20_000)
        }
        return true
    }

    /// A lock that can not be looked at counts as free: whoever takes it says why.
    private var isHeld: Bool {
        let descriptor = unsafe open(lockPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}

/// Holds a service's place in a runtime directory.
///
/// libzmq lets a second process bind the same path and take its traffic (zmq_ipc(7)); the lock does not. The kernel lets
/// go of it when the process ends, however that happens (flock(2)).
@safe struct EndpointLock: ~Copyable {
    private let descriptor: CInt

    /// - Throws: ``MessagingError`` with `alreadyRunning` if somebody holds it.
    init(_ endpoint: ServiceEndpoint) throws(MessagingError) {
        let descriptor = unsafe open(endpoint.lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw MessagingError(.runtimeDirectory, endpoint.runtimeDirectory, errorNumber: errno)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(descriptor)
            throw number == EWOULDBLOCK
                ? MessagingError(.alreadyRunning, endpoint.service)
                : MessagingError(.runtimeDirectory, endpoint.lockPath, errorNumber: number)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
