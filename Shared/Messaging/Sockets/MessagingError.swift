private import CZeroMQ

/// Why a socket could not be made, bound, connected or used; never sent to anybody.
package struct MessagingError: Error, Hashable, Sendable {
    /// What went wrong, stable enough to switch on.
    package enum Code: Hashable, Sendable {
        /// Somebody holds the service's lock in this runtime directory.
        case alreadyRunning
        /// The socket's path does not fit into a `sockaddr_un`.
        case pathTooLong
        /// The runtime directory can not be used.
        case runtimeDirectory
        /// Callers can not be authenticated, so nothing is served.
        case authenticationUnavailable
        case addressInUse, addressNotAvailable, permissionDenied, closed, wouldBlock, unreachable
        case other
    }

    package var code: Code
    /// What it happened to.
    package var subject: String
    /// The `errno` value from libzmq or the kernel, if the failure came from there.
    package var errorNumber: CInt?
    /// Why, where it was not the kernel or libzmq that said it.
    package var reason: String?

    package init(_ code: Code, _ subject: String, reason: String? = nil, errorNumber: CInt? = nil) {
        self.code = code
        self.subject = subject
        self.reason = reason
        self.errorNumber = errorNumber
    }

    /// The error libzmq reported last on this thread.
    static func current(_ subject: String) -> MessagingError {
        let number = zmq_errno()
        return MessagingError(Code(errorNumber: number), subject, errorNumber: number)
    }
}

extension MessagingError.Code {
    init(errorNumber: CInt) {
        self =
            switch errorNumber {
            case EADDRINUSE: .addressInUse
            case EADDRNOTAVAIL, ENOENT, ENODEV: .addressNotAvailable
            case EACCES, EPERM: .permissionDenied
            case ETERM, ENOTSOCK: .closed
            case EAGAIN: .wouldBlock
            case EHOSTUNREACH: .unreachable
            default: .other
            }
    }
}

extension MessagingError: CustomStringConvertible {
    package var description: String {
        let cause = (reason ?? errorNumber.map { unsafe String(cString: zmq_strerror($0)) }).map { ": \($0)" } ?? ""
        return switch code {
        case .alreadyRunning: "\(subject) is already running here; stop it, or use another runtime directory"
        case .pathTooLong: "the socket path \(subject) is longer than 107 bytes; use a shorter runtime directory"
        case .runtimeDirectory: "the runtime directory \(subject) can not be used\(cause)"
        case .authenticationUnavailable:
            "callers of \(subject) can not be authenticated\(cause); `obscura doctor` looks at what it takes"
        default: "\(subject)\(cause)"
        }
    }
}
