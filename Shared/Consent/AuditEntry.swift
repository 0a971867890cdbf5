/// The place of an entry in the audit log, or of a segment: from 1 on, without gaps; written as a text, as all that is signed is.
package struct AuditNumber: TextCodable, Comparable {
    /// The number.
    package let value: UInt64

    /// Makes a number.
    package init(_ value: UInt64) {
        self.value = value
    }

    package init?(_ description: String) {
        guard let value = UInt64(description), String(value) == description else { return nil }
        self.value = value
    }

    package var description: String { String(value) }

    /// The one behind it.
    package var next: AuditNumber { AuditNumber(value + 1) }

    package static func < (left: AuditNumber, right: AuditNumber) -> Bool { left.value < right.value }
}

/// What an entry of the audit log tells about.
package enum AuditKind: String, Codable, Sendable, Hashable, CaseIterable {
    /// A coordinator began, or ended as it was asked to.
    case coordinatorStarted = "coordinator.started"
    case coordinatorEnded = "coordinator.ended"
    /// Somebody with the right to it decided.
    case decisionAllowed = "decision.allowed"
    case decisionDenied = "decision.denied"
    /// A decision is no more; `cause` is a ``RevocationReason``.
    case decisionEnded = "decision.ended"
    /// A service used up a `once` grant.
    case decisionRedeemed = "decision.redeemed"
    /// A question to the person was closed; `cause` is a ``PromptEnd``.
    case promptClosed = "prompt.closed"
    /// What somebody in front of a camera said, or time did.
    case consentGiven = "consent.given"
    case consentRefused = "consent.refused"
    case consentRenewed = "consent.renewed"
    case consentWithdrawn = "consent.withdrawn"
    case consentExpired = "consent.expired"
    /// The policy says something else; `rules` is what it says now.
    case policyChanged = "policy.changed"
    /// An operator switched something off for everybody, or on again.
    case switchedOff = "switch.off"
    case switchedOn = "switch.on"
    /// Something that a program does by its grants began, is over, or was ended by an operator.
    case useBegan = "use.began"
    case useEnded = "use.ended"
    case useStopped = "use.stopped"
    /// Somebody without the right to it asked for what operators, or services, alone may.
    case operatorRefused = "operator.refused"
    case serviceRefused = "service.refused"
    /// So many entries that programs caused were left out, because there were too many.
    case entriesOmitted = "entries.omitted"
}

/// An entry of the audit log before it has a place in it.
///
/// It has opaque ids alone: no name, no label, no purpose, and of somebody in front of a camera the id of the record.
package struct AuditEntryDraft: Hashable, Sendable {
    /// What happened.
    package var kind: AuditKind
    /// When it did; entries have the order in which they were stored.
    package var time: Moment
    /// The program that it is about.
    package var principal: Principal?
    /// What it is about, and which access to it.
    package var needs: [Need] = []
    /// What it is about, where no access is meant.
    package var resource: Resource?
    /// Who did it; nil for what time or a program did.
    package var by: Principal?
    /// Why, in one word.
    package var cause: String?
    /// How long what was decided holds.
    package var lifespan: Lifespan?
    /// The decisions that it is about.
    package var decisions: [DecisionID] = []
    package var prompt: PromptID?
    package var use: UseID?
    package var record: ConsentRecordID?
    /// The service that it is about.
    package var service: Role?
    /// What the policy says, as it is written in its file.
    package var rules: [String]?
    /// How many.
    package var count: AuditNumber?

    /// Makes a draft that says what happened, and when.
    package init(_ kind: AuditKind, at time: Moment) {
        self.kind = kind
        self.time = time
    }

    /// What has happened to a consent record.
    package init(_ event: ConsentEvent, of record: ConsentRecordID) {
        kind =
            switch event.type {
            case .given: .consentGiven
            case .refused: .consentRefused
            case .renewed: .consentRenewed
            case .withdrawn: .consentWithdrawn
            case .expired: .consentExpired
            }
        time = event.time
        by = event.entity
        self.record = record
    }
}

/// An entry of the audit log: who did what to which, by opaque ids.
///
/// It has texts and lists of texts alone, so that its canonical form (RFC 8785) is simple.
package struct AuditEntry: Codable, Hashable, Sendable {
    /// Its place in the log.
    package let sequence: AuditNumber
    package let time: Moment
    package let kind: AuditKind
    /// The program that it is about.
    package let principal: Principal?
    /// What it is about, and which access to it.
    package let needs: [Need]?
    /// What it is about, where no access is meant.
    package let resource: Resource?
    /// Who did it; nil for what time or a program did.
    package let by: Principal?
    /// Why, in one word.
    package let cause: String?
    /// How long what was decided holds.
    package let lifespan: Lifespan?
    package let decisions: [DecisionID]?
    package let prompt: PromptID?
    package let use: UseID?
    package let record: ConsentRecordID?
    package let service: Role?
    package let rules: [String]?
    package let count: AuditNumber?

    /// Gives a draft its place.
    package init(_ draft: AuditEntryDraft, sequence: AuditNumber) {
        self.sequence = sequence
        time = draft.time
        kind = draft.kind
        principal = draft.principal
        needs = draft.needs.isEmpty ? nil : draft.needs
        resource = draft.resource
        by = draft.by
        cause = draft.cause
        lifespan = draft.lifespan
        decisions = draft.decisions.isEmpty ? nil : draft.decisions
        prompt = draft.prompt
        use = draft.use
        record = draft.record
        service = draft.service
        rules = draft.rules
        count = draft.count
    }
}

/// Which entries of the audit log are wanted.
package struct AuditFilter: Codable, Hashable, Sendable {
    /// Only what happened then or later.
    package var since: Moment?
    /// Only what happened before.
    package var until: Moment?
    /// Only what is about this program, or was done by it.
    package var principal: Principal?
    /// Only what is about this, or about a pattern that covers it.
    package var resource: Resource?
    package var kind: AuditKind?

    /// Makes a filter that takes everything, but for what it is told.
    package init(
        since: Moment? = nil,
        until: Moment? = nil,
        principal: Principal? = nil,
        resource: Resource? = nil,
        kind: AuditKind? = nil
    ) {
        self.since = since
        self.until = until
        self.principal = principal
        self.resource = resource
        self.kind = kind
    }

    /// Whether an entry is wanted.
    package func takes(_ entry: AuditEntry) -> Bool {
        if let since, entry.time < since { return false }
        if let until, entry.time >= until { return false }
        if let principal, entry.principal != principal, entry.by != principal { return false }
        if let kind, entry.kind != kind { return false }
        guard let resource else { return true }
        let told = (entry.needs ?? []).map(\.resource) + [entry.resource].compactMap(\.self)
        return told.contains { $0.overlaps(resource) }
    }
}
