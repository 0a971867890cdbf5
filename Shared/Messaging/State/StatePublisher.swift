import Consent
package import EventLoop
package import MessageSchema
package import Timekeeping

/// The sending side of replicated state: a snapshot for each follower, then numbered updates, acknowledged by each.
///
/// Pinned to the loop of the server whose streams it serves. ``publish(_:number:)`` returns when everybody who may act on the
/// old state has applied the update or may act no more.
package actor StatePublisher<Snapshot: Codable & Sendable, Update: Codable & Sendable> {
    /// The whole state and the number of the last update in it.
    package struct Numbered: Sendable {
        package let number: Int64
        package let value: Snapshot

        package init(number: Int64, value: Snapshot) {
            self.number = number
            self.value = value
        }
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    private let loop: EventLoop
    private let times: LeaseTimes
    private let predecessorLeaseEnd: BootInstant?
    private let snapshot: @Sendable () async throws -> Numbered
    private var ledger: FollowerLedger
    private var sinks: [FollowerLedger.ID: ItemSink<StateItem<Update>>] = [:]
    private var echoes: Set<FollowerLedger.ID> = []
    // The newest updates, in the order of their numbers; who needs an older one gets a snapshot.
    private var recent: [(number: Int64, update: Update)] = []
    private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastWaiter: UInt64 = 0

    /// How many updates a follower may be behind before it gets a snapshot instead.
    private static var remembered: Int { 1_024 }
    /// How often to look whether the process of a follower that left is gone.
    private static var processCheck: Duration { .milliseconds(50) }

    /// Makes a publisher.
    ///
    /// - Parameters:
    ///   - loop: The server's loop.
    ///   - times: The same as the followers'.
    ///   - predecessorLeaseEnd: Until when followers of an earlier process may still act on what that one told them: its
    ///     end plus one lease. Updates are not settled before; `nil` if there was none.
    ///   - snapshot: The present state, with every update that was published before it was asked for.
    package init(
        loop: EventLoop,
        times: LeaseTimes = LeaseTimes(),
        predecessorLeaseEnd: BootInstant? = nil,
        snapshot: @escaping @Sendable () async throws -> Numbered
    ) {
        self.loop = loop
        self.times = times
        self.predecessorLeaseEnd = predecessorLeaseEnd
        self.snapshot = snapshot
        ledger = FollowerLedger(lease: times.lease)
    }

    /// The number of followers that are connected.
    package var followers: Int { ledger.count }

    // MARK: Publishing

    /// Tells every follower, and waits until each has applied the update or may not act any more.
    ///
    /// Numbers go up by one. Updates may be published while earlier ones are waited for.
    ///
    /// - Returns: One outcome for each follower that held a lease; when the task is cancelled, at once and empty, and the
    ///   update still goes out.
    @discardableResult
    package func publish(_ update: Update, number: Int64) async -> [FollowerOutcome] {
        recent.append((number, update))
        if recent.count > Self.remembered { recent.removeFirst() }
        let wait = ledger.publish(number, at: .now())
        wakeAll()
        while !Task.isCancelled {
            let now = BootInstant.now()
            for id in ledger.settle(at: now, isAlive: Self.isAlive) { await expel(id) }
            let predecessorEnd = predecessorLeaseEnd.flatMap { $0 > now ? $0 : nil }
            if predecessorEnd == nil, let outcomes = ledger.outcomes(of: wait) { return outcomes }
            var next = [ledger.nextEnd(of: wait), predecessorEnd].compactMap(\.self).min() ?? now + times.lease
            if ledger.hasDisconnected { next = min(next, now + Self.processCheck) }
            await waitForChange(until: next)
        }
        ledger.forget(wait)
        return []
    }

    // MARK: Serving

    /// Serves one follower, as the body of a ``MessageServer`` stream handler; ends by throwing.
    ///
    /// - Throws: `CancellationError` when the follower is gone, `ErrorReply` `noLease` when it was too slow, or what the
    ///   snapshot throws.
    package func serve(_ call: Call, _ sink: ItemSink<StateItem<Update>>) async throws -> Empty {
        let id = ledger.join(call.caller)
        sinks[id] = sink
        await sink.onAcknowledgement { [weak self] number, ordinal in
            self?.assumeIsolated { $0.acknowledged(id, number, ordinal) }
        }
        defer {
            sinks[id] = nil
            echoes.remove(id)
            ledger.leave(id)
            wakeAll()
        }
        var next: Int64?
        var heartbeat = BootInstant.now() + times.heartbeat
        while true {
            try Task.checkCancellation()
            if let number = next, let index = index(of: number) {
                let update = recent[index].update
                try await sink.send(StateItem(number: number, heard: nil, isSnapshot: nil, update: update))
                next = number + 1
            } else if mustSendSnapshot(next) {
                next = try await sendSnapshot(to: sink) + 1
            } else if let number = next, echoes.remove(id) != nil || heartbeat <= .now() {
                heartbeat = .now() + times.heartbeat
                // Taken now: everything that was published before this moment has been sent.
                try await sink.send(
                    StateItem(number: number - 1, heard: ledger.heard(id), isSnapshot: nil, update: nil)
                )
            } else {
                await waitForChange(until: heartbeat)
            }
        }
    }

    private func acknowledged(_ id: FollowerLedger.ID, _ number: Int64, _ ordinal: Int64) {
        if ledger.acknowledge(id, number: number, ordinal: ordinal, at: .now()) { echoes.insert(id) }
        wakeAll()
    }

    private func sendSnapshot(to sink: ItemSink<StateItem<Update>>) async throws -> Int64 {
        let state = try await snapshot()
        let bytes = try BodyCodec.encode(state.value)
        let chunks = stride(from: 0, to: bytes.count, by: Limits.frameBytes).map { start in
            Attachment(Array(bytes[start..<min(bytes.count, start + Limits.frameBytes)]))
        }
        try await sink.send(
            StateItem(number: state.number, heard: nil, isSnapshot: true, update: nil),
            attachments: chunks
        )
        return state.number
    }

    private func index(of number: Int64) -> Int? {
        guard let first = recent.first?.number, number >= first else { return nil }
        return recent.firstIndex { $0.number == number }
    }

    /// Whether the follower knows nothing yet, or updates that it needs are forgotten or were never numbered.
    private func mustSendSnapshot(_ next: Int64?) -> Bool {
        guard let next else { return true }
        guard let last = recent.last?.number else { return false }
        return last >= next
    }

    private func expel(_ id: FollowerLedger.ID) async {
        await sinks[id]?.fail(
            ErrorReply(.noLease, "The follower was not heard in time.", recoverySuggestion: "Follow again.")
        )
    }

    private static func isAlive(_ identity: PeerIdentity) -> Bool {
        ProcessRecord.startTime(of: identity.processID) == identity.startTime
    }

    // MARK: Waiting

    private func waitForChange(until deadline: BootInstant) async {
        lastWaiter += 1
        let number = lastWaiter
        let timer = loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.wake(number) } }
        await withTaskCancellationHandler {
            await withCheckedContinuation { park($0, number) }
        } onCancel: {
            // The table belongs to the actor; an unstructured task is the way to it from here.
            Task { await self.wake(number) }
        }
        loop.remove(timer)
    }

    private func park(_ continuation: CheckedContinuation<Void, Never>, _ number: UInt64) {
        waiters[number] = continuation
    }

    private func wake(_ number: UInt64) { waiters.removeValue(forKey: number)?.resume() }

    private func wakeAll() {
        let woken = waiters
        waiters = [:]
        for continuation in woken.values { continuation.resume() }
    }
}
