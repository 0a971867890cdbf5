import Consent
import Timekeeping

/// What became of an update at one follower.
package enum FollowerOutcome: Hashable, Sendable {
    /// It has applied the update.
    case applied
    /// It could not be heard of in time; it acts on nothing any more.
    case leaseLost
    /// Its process is gone.
    case gone
}

/// Who follows, how far each has come, and until when each may act: the publisher's view, a pure state machine.
///
/// Rule: a follower can not see a lease renewed without having applied everything published before, because the echo that
/// renews it comes later in the same stream. So what it held at the moment of publishing bounds the wait.
struct FollowerLedger {
    typealias ID = UInt64

    private struct Entry {
        var identity: PeerIdentity
        /// `nil` until its first acknowledgement: it has no lease then, and nothing to wait for.
        var leaseEnd: BootInstant?
        var acknowledged: Int64 = .min
        var heard: Int64?
        var isConnected = true
    }

    /// An update that is not applied everywhere yet.
    private struct Wait {
        var number: Int64
        /// Each follower that held a lease at the moment of publishing, with its end.
        var open: [ID: BootInstant]
        var outcomes: [FollowerOutcome] = []
    }

    private let lease: Duration
    private var entries: [ID: Entry] = [:]
    private var waits: [UInt64: Wait] = [:]
    private var last: UInt64 = 0

    init(lease: Duration) { self.lease = lease }

    /// The followers that are connected.
    var count: Int { entries.values.count { $0.isConnected } }

    /// Whether an entry is held only for its lease.
    var hasDisconnected: Bool { entries.values.contains { !$0.isConnected } }

    mutating func join(_ identity: PeerIdentity) -> ID {
        last += 1
        entries[last] = Entry(identity: identity)
        return last
    }

    /// The stream is over; the follower may act until its lease is, too.
    mutating func leave(_ id: ID) {
        if entries[id]?.leaseEnd == nil { entries[id] = nil } else { entries[id]?.isConnected = false }
    }

    /// Notes an acknowledgement.
    ///
    /// - Returns: Whether it was the follower's first, which should be echoed at once.
    mutating func acknowledge(_ id: ID, number: Int64, ordinal: Int64, at now: BootInstant) -> Bool {
        guard var entry = entries[id], entry.isConnected else { return false }
        let isFirst = entry.leaseEnd == nil
        entry.leaseEnd = now + lease
        entry.acknowledged = max(entry.acknowledged, number)
        entry.heard = max(entry.heard ?? ordinal, ordinal)
        entries[id] = entry
        // The same process has a new stream: what it held through an old one it holds no more.
        for (other, old) in entries where !old.isConnected && old.identity == entry.identity {
            entries[other] = nil
            for key in waits.keys where entry.acknowledged >= waits[key]?.number ?? .max {
                settle(other, in: key, .applied)
            }
        }
        for key in waits.keys where entry.acknowledged >= waits[key]?.number ?? .max { settle(id, in: key, .applied) }
        return isFirst
    }

    /// Which acknowledgement of the follower to echo.
    func heard(_ id: ID) -> Int64? { entries[id]?.heard }

    /// Begins to wait until everybody who may act on the old state has applied an update.
    mutating func publish(_ number: Int64, at now: BootInstant) -> UInt64 {
        last += 1
        var wait = Wait(number: number, open: [:])
        for (id, entry) in entries {
            guard let end = entry.leaseEnd, end > now else { continue }
            if entry.acknowledged >= number { wait.outcomes.append(.applied) } else { wait.open[id] = end }
        }
        waits[last] = wait
        return last
    }

    /// Settles what time or the end of a process has settled.
    ///
    /// - Returns: Followers that lost their lease while connected: their streams must end, so that they start anew.
    mutating func settle(at now: BootInstant, isAlive: (PeerIdentity) -> Bool) -> [ID] {
        var expelled: Set<ID> = []
        for (key, wait) in waits {
            for (id, end) in wait.open {
                if end <= now {
                    settle(id, in: key, .leaseLost)
                    if entries[id]?.isConnected == true { expelled.insert(id) }
                } else if let entry = entries[id], !entry.isConnected, !isAlive(entry.identity) {
                    settle(id, in: key, .gone)
                }
            }
        }
        // Only its acknowledgements may be late: it may have applied the update, and hold a lease that was renewed since.
        for id in expelled { entries[id]?.isConnected = false }
        for (id, entry) in entries where !entry.isConnected {
            if entry.leaseEnd ?? now <= now || !isAlive(entry.identity) { entries[id] = nil }
        }
        return expelled.sorted()
    }

    /// What has become of an update, once it is settled everywhere; asked once.
    mutating func outcomes(of wait: UInt64) -> [FollowerOutcome]? {
        guard let entry = waits[wait], entry.open.isEmpty else { return nil }
        waits[wait] = nil
        return entry.outcomes
    }

    /// Stops waiting for an update.
    mutating func forget(_ wait: UInt64) { waits[wait] = nil }

    /// When the next lease that somebody waits for ends.
    func nextEnd(of wait: UInt64) -> BootInstant? { waits[wait]?.open.values.min() }

    private mutating func settle(_ id: ID, in wait: UInt64, _ outcome: FollowerOutcome) {
        guard waits[wait]?.open.removeValue(forKey: id) != nil else { return }
        waits[wait]?.outcomes.append(outcome)
    }
}
