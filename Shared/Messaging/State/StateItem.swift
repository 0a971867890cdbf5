/// One item of replicated state: the body of what a ``StatePublisher`` sends and a ``StateFollower`` applies.
///
/// With `isSnapshot` the attachments together are the JSON of the whole state, because it may be larger than a body.
/// Without both `isSnapshot` and `update` it is a heartbeat.
package struct StateItem<Update: Codable & Sendable>: Codable, Sendable {
    /// The number of the update, or of the last one that the snapshot contains.
    package var number: Int64
    /// Which of the follower's acknowledgements the publisher received last; its lease runs from when it sent that one.
    package var heard: Int64?
    package var isSnapshot: Bool?
    package var update: Update?
}

/// How replicated state is kept alive.
package struct LeaseTimes: Hashable, Sendable {
    /// How often the publisher shows that it is there.
    package var heartbeat: Duration
    /// How long a follower may act on what it knows without having been heard.
    package var lease: Duration

    package init(heartbeat: Duration = .seconds(1), lease: Duration = .seconds(5)) {
        self.heartbeat = heartbeat
        self.lease = lease
    }
}
