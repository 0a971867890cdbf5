package import MessageSchema
private import Synchronization

/// One item of a stream.
package struct StreamItem<Value: Sendable>: Sendable {
    package let value: Value
    package let attachments: [Attachment]
    /// Its number in the stream, from 0.
    package let sequence: Int64
}

/// The items of a stream, taken one by one; the service sends no further than the window.
///
/// Pings go out by themselves. Dropping the stream before its end cancels it.
package final class ItemStream<R: StreamRequest>: Sendable {
    private struct State {
        var summary: R.Summary?
        var isOver = false
    }

    private let client: MessageClient
    private let serial: UInt64
    private let state = Mutex(State())

    init(client: MessageClient, serial: UInt64) {
        self.client = client
        self.serial = serial
    }

    deinit {
        guard !state.withLock(\.isOver) else { return }
        // Nobody is left who could wait for it.
        Task { [client, serial] in await client.abandon(serial) }
    }

    /// What the service said at the end; `nil` before that.
    package var summary: R.Summary? { state.withLock(\.summary) }

    /// The next item, waiting for it; `nil` after the end.
    ///
    /// Cancelling the task cancels the stream.
    ///
    /// - Throws: `ErrorReply`: the service's own, or `serviceUnavailable`, `serverSilent`, `deadlineExceeded`, `cancelled`.
    package func next() async throws -> StreamItem<R.Item>? { try await next(grantsCredit: true) }

    /// The next item, for which ``acknowledge(_:)`` gives credit later.
    func next(grantsCredit: Bool) async throws -> StreamItem<R.Item>? {
        guard !state.withLock(\.isOver) else { return nil }
        do {
            switch try await client.nextItem(serial, grantsCredit: grantsCredit) {
            case .item(let raw):
                let value = try client.decode(R.Item.self, raw.body)
                return StreamItem(value: value, attachments: raw.attachments, sequence: raw.sequence)
            case .end(let raw):
                let summary = try client.decode(R.Summary.self, raw.body)
                state.withLock { $0 = State(summary: summary, isOver: true) }
                return nil
            }
        } catch {
            await cancel()
            throw error
        }
    }

    /// Tells the service that everything up to an update was applied, and lets it send another.
    func acknowledge(_ number: Int64, ordinal: Int64) async {
        await client.acknowledge(serial, number, ordinal: ordinal)
    }

    /// Ends the stream early; the service's work for it ends.
    package func cancel() async {
        state.withLock { $0.isOver = true }
        await client.abandon(serial)
    }
}

extension ItemStream: AsyncSequence {
    package struct AsyncIterator: AsyncIteratorProtocol {
        let stream: ItemStream

        package mutating func next() async throws -> StreamItem<R.Item>? { try await stream.next() }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }
}
