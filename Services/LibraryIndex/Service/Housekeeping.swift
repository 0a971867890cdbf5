package import Logging
private import MessageSchema

/// Empties the trash of what has been there for long enough, forgets old changes, and copies the index once a day: at the
/// start and every hour.
package struct Housekeeping: Sendable {
    private static let interval = Duration.seconds(3600)

    private let task: Task<Void, Never>

    /// Begins at once, on no thread of its own.
    ///
    /// `clock` is what it waits by.
    package init(of library: Library, log: Logger, clock: some Clock<Duration> = ContinuousClock()) {
        // It belongs to nobody's request, and ends with `stop()`.
        task = Task {
            repeat {
                do {
                    let count = try await library.sweep()
                    if count > 0 { log.info("the trash was emptied", ["assets": .count(count)]) }
                } catch {
                    log.error("the trash could not be emptied", ["error": .string(String(describing: error))])
                }
                do {
                    if let copy = try await library.backUpIfDue() {
                        log.info(
                            "the index was copied",
                            ["copy": .string(copy.name), "bytes": .count(Int(copy.bytes))]
                        )
                    }
                } catch {
                    log.error("the index could not be copied", ["error": .string(String(describing: error))])
                }
                // A cancelled sleep is the end.
                guard (try? await clock.sleep(for: Self.interval)) != nil else { return }
            } while !Task.isCancelled
        }
    }

    /// Ends it, and returns when nothing of it is under way any more.
    package func stop() async {
        task.cancel()
        await task.value
    }
}
