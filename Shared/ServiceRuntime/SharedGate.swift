package import Consent
private import Synchronization
package import Timekeeping

/// The gate of a process, asked from any thread: by requests, by streams before each chunk, by cameras before each frame.
///
/// One short lock guards the decisions; who only wants to know that nothing was taken away reads two atomics and a clock.
package final class SharedGate: Sendable {
    private struct State {
        var gate = Gate()
        var version: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state = Mutex(State())
    private let publishedEpoch = Atomic<UInt64>(0)
    private let leaseEnd = Atomic<Int64>(0)
    private let wallClock: @Sendable () -> Moment
    private let bootClock: @Sendable () -> BootInstant

    /// A gate that allows nothing until it is given a snapshot and a lease.
    package init(
        wallClock: @escaping @Sendable () -> Moment = { Moment(milliseconds: Timestamp.now().microseconds / 1_000) },
        bootClock: @escaping @Sendable () -> BootInstant = { .now() }
    ) {
        self.wallClock = wallClock
        self.bootClock = bootClock
    }

    // MARK: What the coordinator says

    /// Takes a snapshot in place of everything.
    package func apply(_ snapshot: DecisionSnapshot) {
        change { $0.apply(snapshot) }
    }

    /// Takes the next step; when this returns, nothing that it takes away is allowed any more.
    ///
    /// - Throws: `Gap` when steps are missing before it.
    package func apply(_ step: DecisionChange) throws(DecisionReplica.Gap) {
        var gap: DecisionReplica.Gap?
        change { gate in
            do throws(DecisionReplica.Gap) { try gate.apply(step) } catch { gap = error }
        }
        if let gap { throw gap }
    }

    /// The coordinator was heard: its word holds to this instant.
    package func renewLease(until end: BootInstant) {
        leaseEnd.store(end.nanoseconds, ordering: .releasing)
    }

    /// Wakes who waits for a change, after the lease was lost, or a decision has ended by time alone.
    package func wake() {
        change { _ in }
    }

    // MARK: What services ask

    /// Whether the coordinator was heard within the lease.
    package var leaseIsValid: Bool {
        bootClock().nanoseconds < leaseEnd.load(ordering: .acquiring)
    }

    /// Moves whenever something that was allowed may be allowed no more.
    package var epoch: UInt64 { publishedEpoch.load(ordering: .acquiring) }

    /// What the policy and the global switch forbid, as the coordinator said it last.
    package var restrictions: [Restriction] { state.withLock { $0.gate.replica.decisions.restrictions } }

    /// The number of the last step that was taken.
    package var number: UInt64 { state.withLock { $0.gate.replica.number } }

    /// Wall-clock time, as decisions have it.
    package var now: Moment { wallClock() }

    /// Whether new work of a program may begin.
    package func answer(_ need: Need, principal: Principal, label: String?) -> GateAnswer {
        current { $0.answer(need, principal: principal, label: label, at: wallClock()) }
    }

    /// Why running work that rests on `grant` has to end; nil when it may go on.
    package func revocation(of grant: Grant, principal: Principal, label: String?) -> Revocation? {
        current { $0.revocation(of: grant, principal: principal, label: label, at: wallClock()) }
    }

    /// Whether new work may rest on this very grant; without a lease on none.
    package func permits(_ id: DecisionID, _ need: Need, principal: Principal, label: String?) -> Bool {
        let now = wallClock()
        return leaseIsValid
            && state.withLock {
                $0.gate.replica.decisions.permits(id, need, principal: principal, label: label, at: now)
            }
    }

    /// Who ended a use, and when; nil for one that may go on.
    package func stop(of use: UseID) -> StoppedUse? {
        state.withLock { $0.gate.replica.stop(of: use) }
    }

    /// Every decision in force that says no to a need, the oldest first.
    package func denials(of need: Need, principal: Principal, label: String?) -> [Decision] {
        let now = wallClock()
        return state.withLock {
            $0.gate.replica.decisions.denials(of: need, principal: principal, label: label, at: now)
        }
    }

    /// The decision with this id about the principal.
    package func decision(_ id: DecisionID, about principal: Principal) -> Decision? {
        state.withLock { $0.gate.replica.decisions.decision(id, about: principal) }
    }

    // MARK: Waiting

    /// Counts everything that happens to the gate.
    package var version: UInt64 { state.withLock { $0.version } }

    /// Waits until something happens to the gate after `version`; returns at once when the task is cancelled.
    package func change(after version: UInt64) async {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.version == version, !Task.isCancelled else { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }

    // MARK: Inside

    private func current<Answer>(_ body: (Gate) -> Answer) -> Answer {
        let isValid = leaseIsValid
        return state.withLock { state in
            state.gate.setLease(valid: isValid)
            publishedEpoch.store(state.gate.epoch, ordering: .releasing)
            return body(state.gate)
        }
    }

    private func change(_ body: (inout Gate) -> Void) {
        let isValid = leaseIsValid
        let waiters = state.withLock { state in
            body(&state.gate)
            state.gate.setLease(valid: isValid)
            publishedEpoch.store(state.gate.epoch, ordering: .releasing)
            state.version += 1
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }
}
