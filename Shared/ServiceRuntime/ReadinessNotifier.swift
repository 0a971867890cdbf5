private import CLinux
private import Glibc

/// Tells whoever started this process how it is, in the protocol of sd_notify(3).
///
/// Without `NOTIFY_SOCKET` in the environment nothing happens. A message is one datagram; none of the calls block.
package struct ReadinessNotifier: Sendable {
    private let address: String?
    /// How often `WATCHDOG=1` is sent, from `WATCHDOG_USEC`: four times in what the supervisor waits, since a busy machine may hold us up.
    package let watchdogInterval: Duration?

    /// Takes the address from the environment; `WATCHDOG_PID` must be this process where it is set.
    package init(environment: [String: String]) {
        address = environment["NOTIFY_SOCKET"]
        let isOurs = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogInterval = isOurs && microseconds > 0 ? .microseconds(microseconds / 4) : nil
    }

    /// The process serves.
    package func ready() { send("READY=1\nSTATUS=ready") }

    /// What the process is doing, in one line.
    package func status(_ text: String) { send("STATUS=\(line(text))") }

    /// The process is ending.
    package func stopping() { send("STOPPING=1") }

    /// The process is ending because it can not run, and this is why.
    package func refusing(_ reason: String) { send("STOPPING=1\nSTATUS=\(line(reason))") }

    /// The process is alive.
    package func alive() { send("WATCHDOG=1") }

    private func line(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }

    private func send(_ message: String) {
        guard let address else { return }
        let bytes = Array(message.utf8)
        // A supervisor that has gone away is not an error of ours.
        _ = unsafe clinux_notify(address, bytes, bytes.count)
    }
}
