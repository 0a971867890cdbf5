import MessageSchema
import Messaging

/// Hands events to those who follow them; one who is too slow is told `eventsLost` and dropped, one who may not any more
/// `operatorRequired`.
///
/// Belongs to one actor, which calls everything here.
struct Feed<Event: Sendable> {
    /// What one follower may have waiting beside the present state.
    static var capacity: Int { 256 }

    private struct Follower {
        let continuation: AsyncThrowingStream<Event, any Error>.Continuation
        let mayFollow: @Sendable () -> Bool
        let wants: @Sendable (Event) -> Bool
    }

    private var followers: [FollowerID: Follower] = [:]
    private var last: UInt64 = 0

    /// How many follow now.
    var count: Int { followers.count }

    /// Adds a follower, who gets all of `first`, however much that is, and then every event that it wants.
    mutating func follow(
        from first: [Event],
        while mayFollow: @escaping @Sendable () -> Bool,
        wants: @escaping @Sendable (Event) -> Bool
    ) -> Following<Event> {
        let (stream, continuation) = AsyncThrowingStream<Event, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.capacity + first.count)
        )
        last += 1
        let id = FollowerID(number: last)
        followers[id] = Follower(continuation: continuation, mayFollow: mayFollow, wants: wants)
        for event in first { send(event, to: id) }
        return Following(id: id, events: stream, mayFollow: mayFollow)
    }

    /// Lets a follower go; its stream ends.
    mutating func leave(_ id: FollowerID) {
        followers.removeValue(forKey: id)?.continuation.finish()
    }

    /// Hands an event to everybody who wants it and may have it.
    mutating func publish(_ event: Event) {
        review()
        for (id, follower) in followers where follower.wants(event) { send(event, to: id) }
    }

    /// Lets those go who may not follow any more.
    mutating func review() {
        for (id, follower) in followers where !follower.mayFollow() {
            followers[id] = nil
            follower.continuation.finish(throwing: ErrorReply.noOperatorAnyMore)
        }
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
    /// The events; ends with `eventsLost` when they were read too slowly, with `operatorRequired` when they may not be read any
    /// more, and when the reading task is cancelled.
    package let events: AsyncThrowingStream<Event, any Error>
    let mayFollow: @Sendable () -> Bool
}

extension Following {
    /// Sends what comes until the stream ends, as long as the follower may have it, and lets go of it in any case.
    func send(into sink: ItemSink<Event>, leaving leave: () async throws -> Void) async throws
    where Event: Codable {
        try await send(into: sink, { $0 }, leaving: leave)
    }

    /// The same for a follower who gets of each event what `part` takes.
    func send<Item: Codable & Sendable>(
        into sink: ItemSink<Item>,
        _ part: (Event) -> Item,
        leaving leave: () async throws -> Void
    ) async throws {
        do {
            for try await event in events {
                try await sink.send(part(event)) { [mayFollow] in
                    guard mayFollow() else { throw ErrorReply.noOperatorAnyMore }
                }
            }
        } catch {
            try await leave()
            throw error
        }
        try await leave()
    }
}

extension ErrorReply {
    /// For somebody who saw what operators see, and is none since the policy was read again.
    static var noOperatorAnyMore: ErrorReply {
        ErrorReply(
            .operatorRequired,
            "You are not an operator any more",
            reason: "The policy was changed.",
            recoverySuggestion: "Ask about yourself, or ask an operator."
        )
    }
}
