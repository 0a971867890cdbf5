import Consent

/// What is in force and has yet to reach the disk, merged: whose present state is to be kept, and what is to be forgotten.
struct UnstoredSteps {
    private var changed: [DecisionID: Principal] = [:]
    private var gone: Set<DecisionID> = []
    private var switches = false
    /// What the audit log has yet to tell, the oldest first.
    private(set) var notes: [AuditEntryDraft] = []

    /// Whether everything but notes is stored: nobody waits for those alone.
    var isEmpty: Bool { changed.isEmpty && gone.isEmpty && !switches }

    /// Whether a step is about something that is stored: what the policy forbids, and that a use is stopped, is not.
    static func keeps(_ change: DecisionChange, from old: PermissionMachine, to new: PermissionMachine) -> Bool {
        !change.upserted.isEmpty || !change.removed.isEmpty || old.switchedOff != new.switchedOff
    }

    /// Adds a step, with what tells of it.
    mutating func add(_ change: DecisionChange, noting drafts: [AuditEntryDraft]) {
        notes += drafts
        for decision in change.upserted { changed[decision.id] = decision.principal }
        gone.formUnion(change.removed.map(\.id))
        switches = switches || change.restrictions != nil
    }

    /// Adds what tells of something that nothing else is stored of.
    mutating func add(notes drafts: [AuditEntryDraft]) { notes += drafts }

    /// Takes the notes, to have them stored.
    mutating func takeNotes() -> [AuditEntryDraft] {
        defer { notes = [] }
        return notes
    }

    /// Adds steps that are older, and whose storing failed.
    mutating func add(older other: UnstoredSteps) {
        notes = other.notes + notes
        changed.merge(other.changed) { mine, _ in mine }
        gone.formUnion(other.gone)
        switches = switches || other.switches
    }

    /// Stores what of it still holds in `machine`, and forgets the rest, all or nothing.
    func store(_ machine: PermissionMachine, in storage: any DecisionStorage) async throws(StorageFailure) {
        var forgotten = gone
        var kept: [Decision] = []
        for (id, principal) in changed {
            if let decision = machine.decisions.decision(id, about: principal) {
                kept.append(decision)
            } else {
                forgotten.insert(id)
            }
        }
        kept.sort { $0.generation < $1.generation }
        try await storage.record(
            kept,
            forgetting: Array(forgotten),
            switchedOff: machine.switchedOff,
            generation: machine.generation,
            noting: notes
        )
    }
}
