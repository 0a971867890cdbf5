private import CLinux
private import Glibc

/// Whether the terminal in which the process was started is gone.
///
/// The kernel takes a terminal that hangs up away from all processes of its session (tty_ioctl(4), TIOCNOTTY), so that
/// `/dev/tty` can not be opened any more. Who ignores SIGHUP, as under nohup(1), outlives its terminal.
struct TerminalLife: Sendable {
    private let endsWithTerminal: Bool

    /// Looks at the terminal as it is now.
    init() { endsWithTerminal = Self.isThere && clinux_ignores_signal(SIGHUP) == 0 }

    /// Whether there was a terminal, and is none any more.
    var isOver: Bool { endsWithTerminal && !Self.isThere }

    private static var isThere: Bool {
        let descriptor = unsafe open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
