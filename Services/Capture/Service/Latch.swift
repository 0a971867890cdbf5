private import Synchronization

/// Something that happens once, such as the wish to stop a recording; looked at, or waited for by one task.
package final class Latch: Sendable {
    private let opened = Atomic<Bool>(false)
    private let waiting: AsyncStream<Never>
    private let opening: AsyncStream<Never>.Continuation

    package init() {
        (waiting, opening) = AsyncStream.makeStream()
    }

    /// It happened.
    package func open() {
        opened.store(true, ordering: .releasing)
        opening.finish()
    }

    /// Whether it happened.
    package var isOpen: Bool { opened.load(ordering: .acquiring) }

    /// Waits until it happens, or until the task is cancelled; one task at a time.
    package func wait() async {
        var waiting = waiting.makeAsyncIterator()
        _ = await waiting.next()
    }
}
