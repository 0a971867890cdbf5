private import CLinux
package import EventLoop
private import Glibc

/// Turns SIGINT, SIGTERM and SIGHUP into interruptions, on an event loop and not in a handler (signalfd(2)).
///
/// A terminal that is closed interrupts like Ctrl-C, so that what was asked there is withdrawn; except for a command to
/// which SIGHUP means something else, and for one that was told to ignore it (nohup(1)).
package actor SignalInterruption {
    private let loop: EventLoop
    private let descriptor: CInt
    private let interruption: Interruption
    private let hangups: Interruption?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    /// Blocks the signals in the calling thread; `hangups` is told of SIGHUP instead, where it is there.
    ///
    /// Make it before anything starts a thread, as threads inherit the block; also before `loop`, which it therefore makes.
    package init(triggering interruption: Interruption, hangups: Interruption? = nil) {
        // A signal that is blocked is told here though it is ignored.
        let ignoresHangups = hangups == nil && clinux_ignores_signal(SIGHUP) == 1
        let signals = ignoresHangups ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
        descriptor = unsafe clinux_signal_descriptor(signals, signals.count)
        precondition(descriptor >= 0, "every Linux kernel has signalfd")
        loop = EventLoop(name: "obscura")
        self.interruption = interruption
        self.hangups = hangups
    }

    isolated deinit { close(descriptor) }

    /// The loop that watches, which the process's sockets may share.
    package nonisolated var sharedLoop: EventLoop { loop }

    /// Watches until the task is cancelled.
    ///
    /// Who interrupts a fourth time wants the process to end, whatever it is about: it does, with 130.
    package func watch() async {
        while !Task.isCancelled {
            reading: while true {
                switch clinux_read_signal(descriptor) {
                case 0: break reading
                case SIGHUP: (hangups ?? interruption).trigger()
                default: interruption.trigger()
                }
            }
            if interruption.count > 3 { _exit(130) }
            guard await loop.wait(for: .descriptor(descriptor, events: CShort(POLLIN))) == .ready else { return }
        }
    }
}
