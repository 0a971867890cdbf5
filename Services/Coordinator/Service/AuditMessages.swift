package import Consent
import MessageSchema
package import Messaging

/// Puts the messages about the audit log onto the coordinator's server; operators alone may send them.
package struct AuditMessages: Sendable {
    private let store: AuditStore
    private let desk: PermissionDesk
    private let now: @Sendable () -> Moment
    private let operatorsOnly: CallerRule

    /// Makes the adapter.
    ///
    /// - Parameters:
    ///   - store: The log.
    ///   - desk: Has what the log has yet to tell.
    ///   - now: The wall clock.
    ///   - operatorsOnly: The rule that refuses everybody else.
    package init(
        store: AuditStore,
        desk: PermissionDesk,
        now: @escaping @Sendable () -> Moment,
        operatorsOnly: CallerRule
    ) {
        self.store = store
        self.desk = desk
        self.now = now
        self.operatorsOnly = operatorsOnly
    }

    /// Registers every message; the server must not have been started.
    package func register(on server: MessageServer) async {
        await server.register(ListAudit.self, access: operatorsOnly) { [store, desk] request, _ in
            let limit = request.limit ?? AuditStore.pageCount
            guard limit > 0 else { throw ErrorReply.invalidParameter("limit", "at least 1") }
            if request.cursor == nil { await desk.storeNotes() }
            return try await answering {
                let page = try await store.page(
                    request.filter,
                    after: request.cursor ?? AuditNumber(0),
                    count: min(limit, AuditStore.pageCount)
                )
                return ListAudit.Reply(entries: page.entries, next: page.next)
            }
        }
        await server.register(ListCheckpoints.self, access: operatorsOnly) { [store] request, _ in
            try await answering {
                let page = try await store.checkpoints(after: request.cursor ?? AuditNumber(0))
                return ListCheckpoints.Reply(checkpoints: page.checkpoints, next: page.next)
            }
        }
        await server.register(SealAudit.self, access: operatorsOnly) { [store, desk, now] _, _ in
            await desk.storeNotes()
            return try await answering { SealAudit.Reply(checkpoint: try await store.seal(at: now())) }
        }
    }

    private func answering<Reply>(_ body: () async throws -> Reply) async throws -> Reply {
        do {
            return try await body()
        } catch let error as UnreadableAudit {
            throw ErrorReply(
                .damaged,
                "The audit log is damaged",
                reason: "\(error).",
                recoverySuggestion:
                    "Somebody changed the coordinator's database: compare it with an export or a backup.",
                cause: "auditChanged"
            )
        } catch let error as StorageFailure {
            throw ErrorReply(
                error.isDiskFull ? .diskFull : .inputOutput,
                "The audit log could not be read or written",
                reason: "The coordinator's database: \(error.text).",
                recoverySuggestion: "Make room on its disk and repeat the command."
            )
        }
    }
}

extension CallerRule {
    /// The same rule, whose refusals the audit log tells of.
    package func audited(as kind: AuditKind, by desk: PermissionDesk) -> CallerRule {
        telling { caller, error in
            // Unstructured: the rule can not wait, and the desk bounds what a program can cause.
            Task { await desk.note { [AuditEntryDraft(kind, caller, error.code, at: $0)] } }
        }
    }
}
