private import Files
package import Timekeeping

/// Remembers, in the runtime directory, when a coordinator was last alive.
///
/// What an earlier coordinator told its followers holds for a lease after its end; a revocation of its successor is
/// not settled before. Without an earlier one, or after a restart of the machine, there is nothing to wait for.
/// A pulse may have been held up by the disk while leases were still renewed, so one that is not old says only that
/// there was a coordinator, and not when it ended.
package struct CoordinatorPulse: Sendable {
    private static let name = "coordinator.alive"
    private static let interval = Duration.seconds(1)

    private let directory: String
    /// The latest moment at which an earlier coordinator of this boot may have ended: our start; `nil` if there was none in
    /// the last minute.
    package let predecessorEnd: BootInstant?

    /// Reads what an earlier coordinator left.
    package init(in directory: String) {
        self.directory = directory
        let now = BootInstant.now()
        // What can not be read was not written by a coordinator of this cluster.
        let bytes = try? Directory(opening: directory).read(Self.name, limit: 64)
        let last = bytes.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }.map { BootInstant(milliseconds: $0) }
        predecessorEnd = last.flatMap { last in
            last <= now && last + .seconds(60) > now ? now : nil
        }
    }

    /// Replaces the file without syncing it: only a later process of this boot reads it, and sees what was written whether or
    /// not it has reached a disk; after a loss of power the leases are over, and so is what it would have said.
    private func write() throws(FilesError) {
        let directory = try Directory(opening: directory)
        let temporaryName = Self.name + ".new"
        let file = try directory.open(temporaryName, [.write, .create, .truncate, .noFollow])
        try file.writeAll(Array(String(BootInstant.now().milliseconds).utf8))
        try directory.rename(temporaryName, as: Self.name, replacing: true)
    }

    /// Writes the time each second until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            // A runtime directory that is gone ends the cluster in other ways.
            try? write()
            // Cancellation ends the loop at its head.
            try? await Task.sleep(for: Self.interval, clock: BootClock())
        }
    }
}
