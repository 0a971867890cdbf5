package import Consent

/// Lists entries of the audit log, the oldest first, as many as fit into a reply; an operator alone may.
package struct ListAudit: Request {
    package static let name = "audit.list"
    /// Only what happened then or later.
    package var since: Moment?
    /// Only what happened before.
    package var until: Moment?
    /// Only what is about this program, or was done by it.
    package var principal: Principal?
    /// Only what is about this, or about a pattern that covers it.
    package var resource: Resource?
    package var kind: AuditKind?
    /// The `next` of the reply before; from the first on when absent.
    package var cursor: AuditNumber?
    /// How many at most, up to 500.
    package var limit: Int?

    package init(_ filter: AuditFilter = AuditFilter(), cursor: AuditNumber? = nil, limit: Int? = nil) {
        since = filter.since
        until = filter.until
        principal = filter.principal
        resource = filter.resource
        kind = filter.kind
        self.cursor = cursor
        self.limit = limit
    }

    /// Which entries are wanted.
    package var filter: AuditFilter {
        AuditFilter(since: since, until: until, principal: principal, resource: resource, kind: kind)
    }

    package struct Reply: Hashable, Sendable, Codable {
        package var entries: [ChainedEntry]
        /// Where it goes on, also where `entries` is empty; absent when this is the end.
        package var next: AuditNumber?

        package init(entries: [ChainedEntry], next: AuditNumber? = nil) {
            self.entries = entries
            self.next = next
        }
    }
}

/// Lists the signed checkpoints of the audit log, the oldest first; an operator alone may.
package struct ListCheckpoints: Request {
    package static let name = "audit.checkpoints"
    /// The `next` of the reply before; from the first on when absent.
    package var cursor: AuditNumber?

    package init(cursor: AuditNumber? = nil) { self.cursor = cursor }

    package struct Reply: Hashable, Sendable, Codable {
        package var checkpoints: [SignedCheckpoint]
        /// Where it goes on; absent when this is the end.
        package var next: AuditNumber?

        package init(checkpoints: [SignedCheckpoint], next: AuditNumber? = nil) {
            self.checkpoints = checkpoints
            self.next = next
        }
    }
}

/// Closes the segment of the audit log with a checkpoint behind its last entry; an operator alone may.
package struct SealAudit: Request {
    package static let name = "audit.seal"

    package init() {}

    package struct Reply: Hashable, Sendable, Codable {
        /// The last one; absent where there is no entry yet.
        package var checkpoint: SignedCheckpoint?

        package init(checkpoint: SignedCheckpoint?) { self.checkpoint = checkpoint }
    }
}
