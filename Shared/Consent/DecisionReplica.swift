/// A service's copy of the coordinator's decisions: a snapshot, then every step in turn.
package struct DecisionReplica: Hashable, Sendable {
    /// A step did not follow on the one before, or belongs to nothing: a new snapshot is needed.
    package struct Gap: Error, Hashable {
        /// The last step that was taken; nil before a snapshot.
        package let last: UInt64?
        /// The step that came.
        package let received: UInt64

        /// Makes a gap.
        package init(last: UInt64?, received: UInt64) {
            self.last = last
            self.received = received
        }
    }

    /// The epoch of the coordinator that this is a copy of; nil before the first snapshot.
    package private(set) var epoch: String?
    /// The last step that was taken.
    package private(set) var number: UInt64 = 0
    /// The decisions.
    package private(set) var decisions = DecisionSet()
    private var recentRemovals: [Removal] = []
    private var recentStops: [StoppedUse] = []
    private var discarding: [DecisionID] = []

    /// As many the machine that makes snapshots remembers.
    static let rememberedRemovals = 256
    private static let rememberedStops = 1_024

    /// An empty replica: it knows nothing until a snapshot comes.
    package init() {}

    /// Takes a snapshot in place of everything.
    package mutating func apply(_ snapshot: DecisionSnapshot) {
        epoch = snapshot.epoch
        number = snapshot.number
        decisions = DecisionSet(
            snapshot.decisions,
            restrictions: snapshot.restrictions,
            granted: snapshot.granted ?? []
        )
        remember(snapshot.stopped)
        remember(discarding: snapshot.discarding ?? [])
    }

    /// Takes the next step; one that the snapshot already contains changes nothing.
    ///
    /// - Throws: `Gap` when steps are missing before it; nothing has changed then.
    package mutating func apply(_ change: DecisionChange) throws(Gap) {
        if epoch != nil, change.number <= number { return }
        guard epoch != nil, change.number == number + 1 else {
            throw Gap(last: epoch == nil ? nil : number, received: change.number)
        }
        decisions.apply(change)
        number = change.number
        remember(change.stopped)
        remember(discarding: change.discarding)
        recentRemovals.append(contentsOf: change.removed)
        recentRemovals.removeFirst(max(0, recentRemovals.count - Self.rememberedRemovals))
    }

    /// Why a decision is gone, as far as that is remembered: the last 256 of them are.
    package func removal(of id: DecisionID) -> Removal? {
        recentRemovals.last { $0.id == id }
    }

    /// Who ended a use, and when; nil for one that may go on.
    ///
    /// The last 1,024 are remembered.
    package func stop(of use: UseID) -> StoppedUse? {
        recentStops.last { $0.use == use }
    }

    /// What becomes of what the work was making that ends by a decision, new or gone: kept, unless the operator said otherwise.
    ///
    /// That is remembered of the last 256 decisions of which it was said.
    package func unfinished(by id: DecisionID) -> Unfinished { discarding.contains(id) ? .discarded : .kept }

    private mutating func remember(discarding ids: [DecisionID]) {
        discarding.append(contentsOf: ids.filter { !discarding.contains($0) })
        discarding.removeFirst(max(0, discarding.count - Self.rememberedRemovals))
    }

    private mutating func remember(_ stops: [StoppedUse]?) {
        guard let stops else { return }
        recentStops.append(contentsOf: stops.filter { !recentStops.contains($0) })
        recentStops.removeFirst(max(0, recentStops.count - Self.rememberedStops))
    }
}
