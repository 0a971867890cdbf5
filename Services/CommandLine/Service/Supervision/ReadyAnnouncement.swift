private import Glibc
import MessageSchema
private import Synchronization

/// Tells whoever started the cluster that it is ready: one line, once, on a descriptor that is closed then.
///
/// Services that come back are no second announcement: the reader may be gone, and so may the descriptor's meaning.
final class ReadyAnnouncement: Sendable {
    private let descriptor: Mutex<CInt?>

    /// - Throws: `usage` for a descriptor that was not handed to us, or that can not be written.
    init(descriptor: CInt?) throws(ErrorReply) {
        if let descriptor { try Self.claim(descriptor) }
        self.descriptor = Mutex(descriptor)
        // A reader that went away must not end the cluster (signal(7), SIGPIPE).
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes the line the first time; blocks for as long as a full pipe does.
    func make() {
        let taken = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let taken else { return }
        let line = Array("READY\n".utf8)
        // Whoever asked for it and went away does not want it any more.
        _ = unsafe write(taken, line, line.count)
        // The standard streams are used on: their numbers must not get another meaning.
        if taken > STDERR_FILENO { close(taken) }
    }

    /// What we open ourselves is closed on exec; what was handed to us is not, or it would not be here.
    private static func claim(_ descriptor: CInt) throws(ErrorReply) {
        let flags = fcntl(descriptor, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0, fcntl(descriptor, F_GETFL) & O_ACCMODE != O_RDONLY else {
            throw ErrorReply.usage(
                "Nobody can be told on descriptor \(descriptor)",
                "it is not open for writing",
                "open it first, as in: obscura up --ready-fd 3 3>ready"
            )
        }
        // No service is to hold it open for the reader.
        if descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
    }
}
