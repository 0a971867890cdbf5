private import MessageSchema

/// Hands events to those who follow them; one who is too slow is told `eventsLost` and dropped.
///
/// Belongs to one actor, which calls everything here.
struct Feed<Event: Sendable> {
    /// What one follower may have waiting.
    static var capacity: Int { 256 }

    private struct Follower {
        let continuation: AsyncThrowingStream<Event, any Error>.Continuation
        let wants: @Sendable (Event) -> Bool
    }

    private var followers: [FollowerID: Follower] = [:]
    private var last: UInt64 = 0

    /// How many follow now.
    var count: Int { followers.count }

    /// Adds a follower, who gets `first` and then every event that it wants.
    mutating func follow(
        from first: [Event],
        wants: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) -> Following<Event> {
        let (stream, continuation) = AsyncThrowingStream<Event, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.capacity)
        )
        last += 1
        let id = FollowerID(number: last)
        followers[id] = Follower(continuation: continuation, wants: wants)
        for event in first { send(event, to: id) }
        return Following(id: id, events: stream)
    }

    /// Lets a follower go; its stream ends.
    mutating func leave(_ id: FollowerID) {
        followers.removeValue(forKey: id)?.continuation.finish()
    }

    /// Hands an event to everybody who wants it.
    mutating func publish(_ event: Event) {
        for (id, follower) in followers where follower.wants(event) { send(event, to: id) }
    }

    private mutating func send(_ event: Event, to id: FollowerID) {
        guard case .dropped = followers[id]?.continuation.yield(event) else { return }
        let lost = ErrorReply(
            .eventsLost,
            "Events were lost, because they were read too slowly.",
            recoverySuggestion: "Follow again, and read the present state first."
        )
        followers.removeValue(forKey: id)?.continuation.finish(throwing: lost)
    }
}

/// Names a follower of a feed.
package struct FollowerID: Hashable, Sendable {
    let number: UInt64
}

/// What a follower gets; it must be handed back by name when it is no longer followed.
package struct Following<Event: Sendable>: Sendable {
    /// The follower's name.
    package let id: FollowerID
    /// The events; ends with `eventsLost` when they were read too slowly, and when the reading task is cancelled.
    package let events: AsyncThrowingStream<Event, any Error>
}
