/// Tells, beside the library's state, when hardly anything can be stored any more: at the start and every five seconds.
package struct SpaceWatch: Sendable {
    /// Below so many bytes beside the reserve, which is less than a minute of film, it is said.
    static let littleBytes: Int64 = 64 << 20
    private static let interval = Duration.seconds(5)

    private let task: Task<Void, Never>

    /// Begins at once.
    ///
    /// - Parameters:
    ///   - library: Whose disk it is.
    ///   - clock: What it waits by.
    ///   - tell: Takes what is to be said; nil when there is room.
    package init(
        of library: Library,
        clock: some Clock<Duration> = ContinuousClock(),
        tell: @escaping @Sendable (String?) -> Void
    ) {
        // It belongs to nobody's request, and ends with `stop()`.
        task = Task {
            repeat {
                // A disk that can not be asked refuses the next save, which says why.
                if let bytes = try? await library.store.availableBytes() { tell(Self.remark(available: bytes)) }
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

    /// What is said of a disk on which so many bytes can still be stored.
    package static func remark(available bytes: Int64) -> String? {
        guard bytes < littleBytes else { return nil }
        guard bytes > 0 else { return "the disk is full: nothing more can be stored; free some space" }
        return "the disk is nearly full: \(max(1, bytes >> 20)) MiB can still be stored; free some space"
    }
}
