import Consent

/// Keeps programs from filling the disk with entries of the audit log: what they cause by themselves has a limit for each
/// principal and minute, and what is over it is counted and told as one entry.
///
/// What persons and operators do is always told.
struct AuditLimit {
    /// How many entries of one principal a minute.
    static let entriesPerMinute = 600
    /// How many entries may wait for room on the disk until no more of programs are taken.
    static let unstoredEntries = 20_000
    private static let length: Int64 = 60_000

    private struct Window {
        var begin: Moment
        var count = 0
        var omitted: UInt64 = 0
    }

    private var windows: [Principal: Window] = [:]

    /// Which entries are to be written for a draft: itself, unless it is one too many, behind those that tell what was left out.
    ///
    /// `waiting` is how many entries there are that could not be written yet.
    mutating func admit(_ draft: AuditEntryDraft, behind waiting: Int) -> [AuditEntryDraft] {
        var entries = closeWindows(at: draft.time)
        guard let principal = draft.principal, draft.isCausedByProgram else { return entries + [draft] }
        var window = windows[principal] ?? Window(begin: draft.time)
        if window.count < Self.entriesPerMinute, waiting < Self.unstoredEntries {
            window.count += 1
            entries.append(draft)
        } else {
            window.omitted += 1
        }
        windows[principal] = window
        return entries
    }

    /// What was left out of windows that are over by now, or for the sake of `isLast` of all.
    mutating func closeWindows(at now: Moment, isLast: Bool = false) -> [AuditEntryDraft] {
        // A clock that was set back ends a window too.
        let over = windows.filter { isLast || abs(now.milliseconds - $0.value.begin.milliseconds) >= Self.length }
        for principal in over.keys { windows[principal] = nil }
        return over.filter { $0.value.omitted > 0 }.map { principal, window in
            var draft = AuditEntryDraft(.entriesOmitted, at: now)
            draft.principal = principal
            draft.count = AuditNumber(window.omitted)
            return draft
        }
    }
}

extension AuditEntryDraft {
    /// Whether a program can have any number of these written.
    fileprivate var isCausedByProgram: Bool {
        switch kind {
        case .useBegan, .useEnded, .operatorRefused, .serviceRefused: true
        case .promptClosed: by == nil
        default: false
        }
    }
}
