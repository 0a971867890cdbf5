import Consent
import MessageSchema

extension AuditEntryDraft {
    /// How many rules of a policy an entry names at most.
    private static let ruleLimit = 256

    /// What the audit log tells of a turn of the permission machine, in which `actions` led from `old` to `new`.
    ///
    /// `operator` is whose turn it was; nil for that of a program, a service or time.
    static func telling(
        of actions: [PermissionAction],
        from old: PermissionMachine,
        to new: PermissionMachine,
        by operator: Principal?,
        at now: Moment
    ) -> [AuditEntryDraft] {
        actions.flatMap { action -> [AuditEntryDraft] in
            switch action {
            case .record(let change):
                change.removed.map { ended($0, old) } + change.upserted.compactMap { made($0, old, now) }
                    + rules(change, old, new, `operator`, now)
            case .close(let prompt, let end): [closed(prompt, end, `operator`, now)]
            case .open, .reply: []
            }
        }
    }

    /// What began, or is over.
    init(_ event: UseEvent, at now: Moment) {
        self.init(event.kind == .begun ? .useBegan : .useEnded, of: event.use, at: now)
    }

    /// What has become of a use.
    init(_ kind: AuditKind, of use: Use, at now: Moment) {
        self.init(kind, at: now)
        principal = use.principal
        needs = use.needs
        decisions = use.grants
        self.use = use.use
        service = Role(rawValue: use.service.rawValue)
    }

    /// Who was refused, and why.
    init(_ kind: AuditKind, _ caller: PeerIdentity, _ cause: ErrorCode, at now: Moment) {
        self.init(kind, at: now)
        principal = caller.principal
        service = caller.role
        self.cause = cause.rawValue
    }

    private static func ended(_ removal: Removal, _ old: PermissionMachine) -> AuditEntryDraft {
        var draft = AuditEntryDraft(.decisionEnded, at: removal.at)
        if let decision = old.decisions.all.first(where: { $0.id == removal.id }) { draft.describe(decision) }
        draft.decisions = [removal.id]
        draft.lifespan = nil
        draft.by = removal.by
        draft.cause = removal.reason.rawValue
        return draft
    }

    /// A decision that is new, or a `once` grant that was used up; nil for one that only moved, or was used.
    private static func made(
        _ decision: Decision,
        _ old: PermissionMachine,
        _ now: Moment
    ) -> AuditEntryDraft? {
        guard let before = old.decisions.decision(decision.id, about: decision.principal) else {
            var draft = AuditEntryDraft(
                decision.verdict == .allowed ? .decisionAllowed : .decisionDenied,
                at: decision.decidedAt
            )
            draft.describe(decision)
            draft.by = decision.decidedBy
            return draft
        }
        guard let redeemer = decision.redeemedBy, before.redeemedBy != redeemer else { return nil }
        var draft = AuditEntryDraft(.decisionRedeemed, at: now)
        draft.describe(decision)
        draft.service = redeemer.split(separator: "-").first.flatMap { Role(rawValue: String($0)) }
        return draft
    }

    private static func closed(
        _ prompt: PermissionPrompt,
        _ end: PromptEnd,
        _ operator: Principal?,
        _ now: Moment
    ) -> AuditEntryDraft {
        var draft = AuditEntryDraft(.promptClosed, at: now)
        draft.principal = prompt.principal
        draft.needs = prompt.needs
        draft.prompt = prompt.id
        draft.cause = end.rawValue
        if end == .answered || end == .dismissed { draft.by = `operator` }
        return draft
    }

    private static func rules(
        _ change: DecisionChange,
        _ old: PermissionMachine,
        _ new: PermissionMachine,
        _ operator: Principal?,
        _ now: Moment
    ) -> [AuditEntryDraft] {
        if old.switchedOff != new.switchedOff {
            let off = new.switchedOff.filter { !old.switchedOff.contains($0) }
            let on = old.switchedOff.filter { !new.switchedOff.contains($0) }
            return (off.map { ($0, AuditKind.switchedOff) } + on.map { ($0, .switchedOn) }).map { resource, kind in
                var draft = AuditEntryDraft(kind, at: now)
                draft.resource = resource
                draft.by = `operator`
                return draft
            }
        }
        guard change.restrictions != nil || change.granted != nil else { return [] }
        var draft = AuditEntryDraft(.policyChanged, at: now)
        let restricted = new.decisions.restrictions.filter { !$0.isSwitch }.map { "restricted \($0)" }
        let granted = new.decisions.granted.map { "granted \($0)" }
        draft.rules = Array((restricted + granted).prefix(ruleLimit))
        return [draft]
    }

    private mutating func describe(_ decision: Decision) {
        principal = decision.principal
        needs = [Need(decision.resource, decision.access)]
        lifespan = decision.lifespan
        decisions = [decision.id]
    }
}
