import MessageSchema
import Messaging
private import Timekeeping

/// Tells the coordinator what the service does for programs: soon after it changes, and each second while there is something.
struct UseReporter: Sendable {
    /// How soon a change is told.
    private static let interval = Duration.milliseconds(100)
    /// After so many intervals what goes on is told again, to a coordinator that may be another one by now.
    private static let repetition = 10

    let uses: UseBook
    let coordinator: MessageClient

    /// Reports until the task is cancelled.
    func run() async {
        var told: UInt64 = 0
        var isEmpty = true
        var quiet = 0
        while !Task.isCancelled {
            let changes = uses.changes
            quiet += 1
            if changes != told || (!isEmpty && quiet >= Self.repetition) {
                let report = uses.report()
                let goesOn = report.contains { !$0.uses.isEmpty }
                // Only short work in between, and nothing to be undone there: nothing to tell.
                if goesOn || !isEmpty || report.contains(where: { $0.past != nil }) {
                    do {
                        for part in report { _ = try await coordinator.call(part, CallOptions(timeout: .seconds(2))) }
                        (told, isEmpty) = (changes, !goesOn)
                    } catch {
                        // The coordinator is not there; it is told when it is.
                        uses.returned(report)
                        isEmpty = false
                    }
                } else {
                    told = changes
                }
                quiet = 0
            }
            // Cancellation ends the loop at its head.
            try? await Task.sleep(for: Self.interval, clock: BootClock())
        }
    }
}
