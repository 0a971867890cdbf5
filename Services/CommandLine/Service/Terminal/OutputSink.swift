private import Glibc
private import Synchronization

/// Where bytes for the user go.
package struct OutputSink: Sendable {
    /// Writes all bytes, blocking; returns 0, or the errno of the write that failed.
    let write: @Sendable ([UInt8]) -> Int32
    /// Whether a person looks at it.
    let isTerminal: Bool
    /// How many columns the person sees now; nil when that is not known.
    let columns: @Sendable () -> Int?

    package init(
        isTerminal: Bool,
        columns: @escaping @Sendable () -> Int? = { nil },
        write: @escaping @Sendable ([UInt8]) -> Int32
    ) {
        self.isTerminal = isTerminal
        self.columns = columns
        self.write = write
    }

    /// Standard output.
    package static let standardOutput = OutputSink(descriptor: STDOUT_FILENO)
    /// Standard error.
    package static let standardError = OutputSink(descriptor: STDERR_FILENO)

    private init(descriptor: Int32) {
        self.init(isTerminal: isatty(descriptor) == 1) {
            // ioctl_tty(2) TIOCGWINSZ.
            var size = winsize()
            guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
            return Int(size.ws_col)
        } write: { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if written >= 0 {
                    rest = rest.dropFirst(written)
                } else if errno == EAGAIN {
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = unsafe poll(&wanted, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }
}

/// An output that keeps what was written, for tests.
package final class OutputRecord: Sendable {
    private let kept = Mutex<[UInt8]>([])
    private let isTerminal: Bool

    package init(isTerminal: Bool = false) { self.isTerminal = isTerminal }

    /// The sink to give to a terminal.
    package var sink: OutputSink {
        OutputSink(isTerminal: isTerminal, columns: { 80 }) { bytes in
            self.kept.withLock { $0 += bytes }
            return 0
        }
    }

    /// What was written so far.
    package var bytes: [UInt8] { kept.withLock { $0 } }
    /// What was written so far.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The lines so far, without line feeds.
    package var lines: [String] { text.split(separator: "\n").map(String.init) }
}
