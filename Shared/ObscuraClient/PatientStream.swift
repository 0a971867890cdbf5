import MessageSchema
import Messaging

/// A stream each of whose items has to come in time.
struct PatientStream<R: StreamRequest>: Sendable {
    private let stream: ItemStream<R>
    private let patience: Patience

    init(_ stream: ItemStream<R>, _ patience: Patience) {
        self.stream = stream
        self.patience = patience
    }

    /// What the service said at the end; nil before that.
    var summary: R.Summary? { stream.summary }

    /// The next item; nil after the end.
    ///
    /// Cancelling the task cancels the stream, and so does an item that does not come in time.
    func next() async throws -> StreamItem<R.Item>? {
        try await patience.wait { [stream] in try await stream.next() }
    }

    /// The next item, however long it takes; nil after the end.
    func nextWhenever() async throws -> StreamItem<R.Item>? { try await stream.next() }

    /// Ends the stream early.
    func cancel() async { await stream.cancel() }
}
