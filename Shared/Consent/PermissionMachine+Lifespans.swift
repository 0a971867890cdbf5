/// The name of a session that a program keeps, given by whoever hands it to the machine.
package struct SessionID: Hashable, Sendable {
    /// A number never used before.
    package var number: UInt64

    /// Makes a name.
    package init(_ number: UInt64) {
        self.number = number
    }
}

/// Who keeps a session.
struct SessionKeeper: Hashable, Sendable {
    let principal: Principal
    let label: String?
}

extension PermissionMachine {
    /// How long a grant for a session outlives the last one who kept the session.
    package static let sessionLease = Duration.seconds(10)
    /// How often the use of a grant is noted, in milliseconds.
    static let noteInterval: Int64 = 60_000

    /// A program keeps a session from now on: its grants for a session hold.
    package mutating func openSession(_ id: SessionID, principal: Principal, label: String?, at now: ClockPair) {
        sessions[id] = SessionKeeper(principal: principal, label: label)
        settleSessions(at: now)
    }

    /// A program keeps its session no longer: grants for it end after the lease, unless another session or a use keeps them.
    package mutating func closeSession(_ id: SessionID, at now: ClockPair) {
        sessions[id] = nil
        settleSessions(at: now)
    }

    /// When the first grant for a session ends that nobody keeps, by the time since the machine started.
    package var nextSessionEnd: Duration? { sessionEnds.values.min() }

    /// Whether it matters what services tell about the uses that go on.
    package var followsUses: Bool {
        !stopped.isEmpty
            || decisions.all.contains { decision in
                switch decision.lifespan {
                case .session, .unusedFor: true
                case .once, .until, .forever: false
                }
            }
    }

    /// Services told which uses go on, and by which grants; `past` are grants that were used meanwhile.
    ///
    /// A grant that is used keeps its session; one whose use is over again has its lease begin anew. Nothing of it is stored.
    package mutating func noteRunning(
        _ running: [UseID: Set<DecisionID>],
        past: Set<DecisionID> = [],
        at now: ClockPair
    ) {
        inUse = running.values.reduce(into: []) { $0.formUnion($1) }
        stopped.removeAll { running[$0.use] == nil }
        for id in past {
            // A lease that is over already stays so: whoever looks next ends the grant.
            if let end = sessionEnds[id], end > now.uptime { sessionEnds[id] = nil }
        }
        settleSessions(at: now)
    }

    /// As `noteRunning(_:past:at:)`, and the days without use of a grant that is used begin anew.
    package mutating func noteUses(
        _ running: [UseID: Set<DecisionID>],
        past: Set<DecisionID> = [],
        at now: ClockPair
    ) -> [PermissionAction] {
        noteRunning(running, past: past, at: now)
        var used: [Decision] = []
        for var decision in decisions.all where inUse.contains(decision.id) || past.contains(decision.id) {
            guard case .unusedFor = decision.lifespan, decision.isInForce(at: now.wall) else { continue }
            let since = now.wall.milliseconds - decision.lastUse.milliseconds
            // A use that is still to come was noted by a clock that was wrong, and would keep the grant for ever.
            guard since >= Self.noteInterval || decision.usedAt.map({ $0 > now.wall }) == true else { continue }
            decision.usedAt = now.wall
            used.append(decision)
        }
        return used.isEmpty ? [] : [step(upserted: used, endsGrants: false)]
    }

    /// An operator ends a use that goes on; what was decided stays.
    ///
    /// `unfinished` says what becomes of what it was making.
    package mutating func stop(
        _ use: UseID,
        by operator: Principal,
        unfinished: Unfinished? = nil,
        at now: ClockPair
    ) -> [PermissionAction] {
        let stop = StoppedUse(use: use, by: `operator`, at: now.wall, unfinished: unfinished)
        stopped.append(stop)
        return [step(stopped: [stop], endsGrants: true)]
    }

    /// Time has passed: decisions whose end has come are gone, and so are grants for sessions that nobody keeps.
    package mutating func expire(at now: ClockPair) -> [PermissionAction] {
        settleSessions(at: now)
        var removed: [Removal] = []
        var corrected: [Decision] = []
        var endsGrants = false
        for decision in decisions.all {
            if !decision.isInForce(at: now.wall) {
                removed.append(
                    Removal(id: decision.id, reason: .expired, by: nil, at: decision.end ?? now.wall)
                )
            } else if let end = sessionEnds[decision.id], end <= now.uptime {
                removed.append(Removal(id: decision.id, reason: .sessionEnded, by: nil, at: now.wall))
            } else {
                if let used = decision.usedAt, used > now.wall {
                    // By a clock that was wrong: it would never end.
                    var decision = decision
                    decision.usedAt = now.wall
                    corrected.append(decision)
                }
                continue
            }
            endsGrants = endsGrants || decision.verdict == .allowed
        }
        guard !removed.isEmpty || !corrected.isEmpty else { return [] }
        return [step(upserted: corrected, removed: removed, endsGrants: endsGrants)] + reconsider(at: now)
    }

    /// Has the lease of each grant for a session run that nobody keeps, and of no other.
    mutating func settleSessions(at now: ClockPair) {
        var ends: [DecisionID: Duration] = [:]
        for decision in decisions.all where decision.lifespan == .session && !isKept(decision) {
            ends[decision.id] = sessionEnds[decision.id] ?? now.uptime + Self.sessionLease
        }
        sessionEnds = ends
    }

    private func isKept(_ decision: Decision) -> Bool {
        inUse.contains(decision.id)
            || sessions.values.contains { keeper in
                keeper.principal == decision.principal && (decision.label == nil || decision.label == keeper.label)
            }
    }
}
