package import EventLoop
package import MessageSchema
private import Synchronization
package import Timekeeping

/// What a ``StateFollower`` tells, on the loop, one after the other.
package enum StateEvent<Snapshot: Sendable, Update: Sendable>: Sendable {
    /// The whole state, in place of everything.
    case snapshot(Snapshot, number: Int64)
    /// The next step.
    case update(Update, number: Int64)
    /// What was applied may be acted on until this instant.
    case lease(until: BootInstant)
    /// The publisher is not heard now; the lease runs on to its end, and the follower tries again.
    case lost(ErrorReply)
}

/// The receiving side of replicated state: applies a snapshot and then each update, and acknowledges what is applied.
///
/// Pinned to the client's loop. The lease runs from when the follower *sent* an acknowledgement that the publisher has
/// echoed, so it is over before the publisher counts on that.
package actor StateFollower<R: StreamRequest, Snapshot: Codable & Sendable, Update: Codable & Sendable>
where R.Item == StateItem<Update> {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    private let client: MessageClient
    private let loop: EventLoop
    private let request: R
    private let times: LeaseTimes
    private let apply: @Sendable (StateEvent<Snapshot, Update>) throws -> Void
    private let leaseEnd = Atomic<Int64>(0)
    private var number: Int64?

    private static var firstRetry: Duration { .milliseconds(20) }
    private static var longestRetry: Duration { .milliseconds(500) }
    private static var window: Int { 64 }

    /// Makes a follower; ``run()`` starts it.
    ///
    /// - Parameters:
    ///   - request: Opens the stream.
    ///   - client: Connected as a role.
    ///   - loop: The client's loop.
    ///   - times: The same as the publisher's.
    ///   - apply: Applies an event on the loop, without waiting; when it returns, the event is in force and is
    ///     acknowledged. One that throws leads to a new snapshot.
    package init(
        _ request: R,
        client: MessageClient,
        loop: EventLoop,
        times: LeaseTimes = LeaseTimes(),
        apply: @escaping @Sendable (StateEvent<Snapshot, Update>) throws -> Void
    ) {
        self.request = request
        self.client = client
        self.loop = loop
        self.times = times
        self.apply = apply
    }

    /// Whether what was applied may be acted on; readable from any thread.
    package nonisolated var leaseIsValid: Bool { BootInstant.now().nanoseconds < leaseEnd.load(ordering: .acquiring) }

    /// The number of the last update that was applied; `nil` before a snapshot.
    package var generation: Int64? { number }

    /// Follows until the task is cancelled, again and again with back-off.
    package func run() async {
        var retry = Self.firstRetry
        while !Task.isCancelled {
            do {
                try await follow { retry = Self.firstRetry }
            } catch {
                let reply = error as? ErrorReply ?? ErrorReply(.eventsLost, "The state did not follow on.")
                // Applying nothing can not fail in a way that matters: the next event is a snapshot anyway.
                try? apply(.lost(reply))
            }
            try? await loop.sleep(until: .now() + retry)
            retry = min(retry * 2, Self.longestRetry)
        }
    }

    private func follow(_ heard: () -> Void) async throws {
        // Bounded, so that a publisher that can not be reached is told of.
        let stream = try await client.stream(request, .unlimited, window: Self.window)
        number = nil
        var ordinal: Int64 = 0
        // When each acknowledgement was sent, from the first that was not echoed.
        var sent: [(ordinal: Int64, at: BootInstant)] = []
        while let item = try await stream.next(grantsCredit: false) {
            try take(item)
            heard()
            if let echo = item.value.heard, let last = sent.last(where: { $0.ordinal <= echo }) {
                sent.removeAll { $0.ordinal <= echo }
                try renewLease(until: last.at + times.lease)
            }
            ordinal += 1
            // Noted before it is sent: the lease must not be longer than what the publisher counts on.
            sent.append((ordinal, .now()))
            await stream.acknowledge(number ?? 0, ordinal: ordinal)
        }
        throw ErrorReply.serviceUnavailable(client.service)
    }

    private func take(_ item: StreamItem<StateItem<Update>>) throws {
        let value = item.value
        if value.isSnapshot == true {
            let bytes =
                item.attachments.count == 1 ? item.attachments[0] : Attachment(item.attachments.flatMap(\.bytes))
            try apply(.snapshot(try BodyCodec.decodeLarge(Snapshot.self, from: bytes), number: value.number))
            number = value.number
        } else if let update = value.update {
            guard let last = number, value.number <= last + 1 else {
                throw ErrorReply(.eventsLost, "An update is missing.", cause: "gap")
            }
            guard value.number == last + 1 else { return }
            try apply(.update(update, number: value.number))
            number = value.number
        }
    }

    private func renewLease(until end: BootInstant) throws {
        leaseEnd.store(end.nanoseconds, ordering: .releasing)
        try apply(.lease(until: end))
    }
}
