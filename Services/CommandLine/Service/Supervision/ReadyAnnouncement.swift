private import Glibc
private import Synchronization

/// Tells whoever started the cluster that it is ready: one line, once, on a descriptor that is closed then.
///
/// Services that come back are no second announcement: the reader may be gone, and so may the descriptor's meaning.
final class ReadyAnnouncement: Sendable {
    private let descriptor: Mutex<CInt?>

    init(descriptor: CInt?) {
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
        close(taken)
    }
}
