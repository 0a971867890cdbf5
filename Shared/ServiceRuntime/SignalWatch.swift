private import CLinux
import EventLoop
private import Glibc

/// SIGINT, SIGTERM and SIGHUP, kept back for a descriptor (signalfd(2)), so that no work is done in a handler.
///
/// Make it first: threads that start later inherit the block. SIGPIPE is ignored from then on.
package struct BlockedSignals: ~Copyable {
    fileprivate let descriptor: CInt

    /// Blocks the three signals in the calling thread.
    package init() {
        clinux_ignore_broken_pipes()
        let signals = [SIGINT, SIGTERM, SIGHUP]
        descriptor = unsafe clinux_signal_descriptor(signals, signals.count)
        precondition(descriptor >= 0, "signalfd: errno \(errno)")
    }

    deinit { _ = close(descriptor) }
}

/// Carries the blocked signals from the main thread to the task that waits for them.
final class HeldSignals: Sendable {
    fileprivate let signals: BlockedSignals

    init(_ signals: consuming BlockedSignals) { self.signals = signals }
}

/// Tells of the signals that were kept back, on an event loop.
package actor SignalWatch {
    /// What somebody wants of this process.
    package enum Wish: Sendable {
        /// SIGTERM or SIGINT: end in good order.
        case end
        /// SIGHUP: read the policy again.
        case reload
    }

    private let loop: EventLoop
    private let signals: HeldSignals

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(_ signals: HeldSignals, loop: EventLoop) {
        self.loop = loop
        self.signals = signals
    }

    isolated deinit {}

    /// Waits for the next signal; `nil` when the task is cancelled.
    package func next() async -> Wish? {
        while true {
            switch clinux_read_signal(signals.signals.descriptor) {
            case SIGHUP: return .reload
            case SIGINT, SIGTERM: return .end
            default: break
            }
            let source = WaitSource.descriptor(signals.signals.descriptor, events: CShort(POLLIN))
            guard await loop.wait(for: source) == .ready else { return nil }
        }
    }
}
