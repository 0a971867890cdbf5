package import MessageSchema
private import Synchronization

/// Hands events to the streams that follow them, each filtered for its caller, and each with a bounded buffer.
///
/// Usable from any thread; publishing never waits. One who is too slow ends with `eventsLost` and follows anew.
package final class EventHub<Event: Encodable & Sendable>: Sendable {
    private struct Subscriber {
        let admits: @Sendable (Event) -> Bool
        let continuation: AsyncThrowingStream<Event, any Error>.Continuation
    }

    private struct State {
        var subscribers: [UInt64: Subscriber] = [:]
        var last: UInt64 = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: How many events one subscriber may be behind.
    package init(capacity: Int = 256) { self.capacity = capacity }

    /// The number of streams that follow now.
    package var count: Int { state.withLock { $0.subscribers.count } }

    /// Hands an event to everybody who may see it.
    package func publish(_ event: Event) {
        let subscribers = state.withLock(\.subscribers)
        for (id, subscriber) in subscribers where subscriber.admits(event) {
            guard case .dropped = subscriber.continuation.yield(event) else { continue }
            subscriber.continuation.finish(throwing: ErrorReply.eventsLost)
            state.withLock { $0.subscribers[id] = nil }
        }
    }

    /// Sends events to one stream, as the body of a ``MessageServer`` stream handler; ends by throwing.
    ///
    /// - Parameters:
    ///   - sink: The stream.
    ///   - first: Sent before everything else, unfiltered; nothing that is published meanwhile is lost.
    ///   - admits: Whether the caller may see an event; asked when it is published and again when it is sent, on the
    ///     socket loop, because a permission may have gone meanwhile.
    /// - Throws: `CancellationError` when the stream has ended, `ErrorReply` `eventsLost` when it was too slow.
    package func serve(
        _ sink: ItemSink<Event>,
        first: [Event] = [],
        admits: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) async throws -> Empty {
        let (events, id) = subscribe(admits)
        defer { state.withLock { $0.subscribers[id] = nil } }
        for event in first { try await sink.send(event) }
        for try await event in events {
            do {
                try await sink.send(event) { if !admits(event) { throw NotAdmitted() } }
            } catch is NotAdmitted {
                continue
            }
        }
        throw CancellationError()
    }

    /// An event that its subscriber may not see any more.
    private struct NotAdmitted: Error {}

    private func subscribe(
        _ admits: @escaping @Sendable (Event) -> Bool
    ) -> (AsyncThrowingStream<Event, any Error>, UInt64) {
        let (events, continuation) = AsyncThrowingStream<Event, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(capacity)
        )
        let id = state.withLock { state in
            state.last += 1
            state.subscribers[state.last] = Subscriber(admits: admits, continuation: continuation)
            return state.last
        }
        return (events, id)
    }
}

extension ErrorReply {
    static let eventsLost = ErrorReply(
        .eventsLost,
        "Events were lost, because they were read too slowly.",
        recoverySuggestion: "Follow again, and read the present state first."
    )
}
