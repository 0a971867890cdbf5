package import MessageSchema

/// One job's rules, pure: what happened in, what is to be done out.
package struct ExportJobMachine: Hashable, Sendable {
    /// What happened to a job.
    package enum Event: Hashable, Sendable {
        /// The work begins, for the first time or again.
        case began
        case planned(files: Int, bytes: Int64, redacted: Int = 0)
        /// A file was there already, with the right content.
        case skipped
        case copied(bytes: Int64)
        /// A file was not exported; the others are.
        case lost(ExportFailure)
        /// The bag is left, whole or not.
        case left(ExportFindings)
        /// All files have been through.
        case finished
        /// The work can not go on.
        case broke(ErrorReply)
        /// Somebody with the right to says so.
        case controlled(ControlExport.Action)
    }

    /// What is to be done.
    package enum Action: Hashable, Sendable {
        case start
        case stop
    }

    /// The job as it stands.
    package private(set) var job: ExportJob

    /// Goes on with a job that was kept.
    package init(_ job: ExportJob) { self.job = job }

    /// Applies an event; one that makes no sense in the state changes nothing.
    package mutating func apply(_ event: Event) -> Action? {
        if case .controlled(let action) = event { return control(action) }
        guard job.state == .running else { return nil }
        switch event {
        case .began:
            job = ExportJob(job: job.job, state: .running, destination: job.destination)
        case .planned(let files, let bytes, let redacted):
            job.files = files
            job.bytes = bytes
            job.redacted = redacted == 0 ? nil : redacted
        case .skipped:
            job.skipped += 1
            job.verified += 1
        case .copied(let bytes):
            job.copied += 1
            job.copiedBytes += bytes
            job.verified += 1
        case .lost(let failure): job.failed.append(failure)
        case .left(let findings):
            job.repaired = findings.repaired.isEmpty ? nil : findings.repaired
            job.damaged = findings.damaged.isEmpty ? nil : findings.damaged
            job.missing = findings.missing.isEmpty ? nil : findings.missing
            job.unlisted = findings.unlisted.isEmpty ? nil : findings.unlisted
        case .finished: job.state = .done
        case .broke(let error):
            job.state = .failed
            job.reason = error.text
            job.error = error
        case .controlled: break
        }
        return nil
    }

    private mutating func control(_ action: ControlExport.Action) -> Action? {
        switch (action, job.state) {
        case (.pause, .running):
            job.state = .paused
            return .stop
        case (.resume, .paused), (.resume, .failed):
            job.state = .running
            job.reason = nil
            job.error = nil
            return .start
        case (.cancel, .running):
            job.state = .cancelled
            return .stop
        case (.cancel, .paused), (.cancel, .failed):
            job.state = .cancelled
            return nil
        default: return nil
        }
    }
}
