import Synchronization

/// What a test's closures noted, in order.
final class Notes<Note: Sendable>: Sendable {
    private let state = Mutex<[Note]>([])

    var all: [Note] { state.withLock { $0 } }

    func add(_ note: Note) { state.withLock { $0.append(note) } }
}
