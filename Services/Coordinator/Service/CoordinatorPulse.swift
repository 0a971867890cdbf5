private import Files
package import Timekeeping

/// Remembers, in the runtime directory, when a coordinator was last alive.
///
/// What an earlier coordinator told its followers holds for a lease after its end; a revocation of its successor is
/// not settled before. Without an earlier one, or after a restart of the machine, there is nothing to wait for.
package struct CoordinatorPulse: Sendable {
    private static let name = "coordinator.alive"
    private static let interval = Duration.seconds(1)

    private let directory: String
    /// When an earlier coordinator of this boot may have ended; `nil` if there was none in the last minute.
    package let predecessorEnd: BootInstant?

    /// Reads what an earlier coordinator left.
    package init(in directory: String) {
        self.directory = directory
        let now = BootInstant.now()
        // What can not be read was not written by a coordinator of this cluster.
        let bytes = try? Directory(opening: directory).read(Self.name, limit: 64)
        let last = bytes.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }.map { BootInstant(milliseconds: $0) }
        predecessorEnd = last.flatMap { last in
            let end = min(last + Self.interval * 2, now)
            return last <= now && last + .seconds(60) > now ? end : nil
        }
    }

    /// Writes the time each second until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            let text = String(BootInstant.now().milliseconds)
            // A runtime directory that is gone ends the cluster in other ways.
            _ = try? Directory(opening: directory).writeAtomically(Array(text.utf8), to: Self.name)
            // Cancellation ends the loop at its head.
            try? await Task.sleep(for: Self.interval, clock: BootClock())
        }
    }
}
