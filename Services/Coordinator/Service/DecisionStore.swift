package import Consent
private import Hashing
import SQLite

/// Where decisions are kept; steps come in any order that ends in the same set.
package protocol DecisionStorage: Sendable {
    /// Everything that was kept, and the generation of the newest decision ever made.
    func load() async throws -> StoredDecisions

    /// Keeps new and changed decisions and forgets removed ones, and what is switched off in place of what was before, and adds to
    /// the audit log what tells of it, all or nothing; it has reached the disk when this returns.
    func record(
        _ kept: [Decision],
        forgetting removed: [DecisionID],
        switchedOff: [Resource],
        generation: UInt64,
        noting drafts: [AuditEntryDraft]
    ) async throws(StorageFailure)

    /// Adds to the audit log what nothing else is stored of.
    func note(_ drafts: [AuditEntryDraft]) async throws(StorageFailure)
}

/// A step could not be stored.
package struct StorageFailure: Error, Hashable, Sendable {
    /// Whether room on the disk would help.
    package var isDiskFull: Bool
    /// What the store says.
    package var text: String

    /// Makes a failure.
    package init(isDiskFull: Bool = false, text: String) {
        self.isDiskFull = isDiskFull
        self.text = text
    }
}

/// What a store had kept.
package struct StoredDecisions: Hashable, Sendable {
    /// The decisions, the oldest first.
    package var decisions: [Decision]
    /// The generation of the newest decision ever made, which may be gone.
    package var generation: UInt64
    /// What an operator has switched off for everybody.
    package var switchedOff: [Resource]

    /// Makes what an empty store has.
    package init(decisions: [Decision] = [], generation: UInt64 = 0, switchedOff: [Resource] = []) {
        self.switchedOff = switchedOff
        self.decisions = decisions
        self.generation = generation
    }
}

/// The decisions in the coordinator's database.
package struct DecisionStore: DecisionStorage {
    /// The database's file name in the data directory.
    package static let fileName = "coordinator.sqlite"

    let database: Database
    /// The audit log beside the decisions.
    package let audit: AuditStore

    /// Opens, and if need be makes or migrates, the database, and makes the key that signs when there is none; blocks meanwhile.
    ///
    /// `segmentLength` is how many entries a segment of the audit log has.
    ///
    /// - Throws: `SQLiteError` or `FilesError`, as `Database` does; `ErrorReply` `damaged` for a file that holds no key.
    package init(in dataDirectory: String, segmentLength: UInt64 = AuditStore.segmentLength) throws {
        database = try Database(
            named: Self.fileName,
            in: dataDirectory,
            schema: Self.schema,
            overwritesDeleted: true
        )
        // Behind the database's lock: of two coordinators that start, one makes the key.
        let key = try ReceiptSeal.key(in: dataDirectory)
        audit = AuditStore(in: database, key: key, segmentLength: segmentLength)
    }

    /// Closes the database, so that another process can open it at once; nothing is asked of the store afterwards.
    package func close() async { await database.close() }

    package func load() async throws -> StoredDecisions {
        try await database.snapshot { connection in
            let decisions = try connection.all(
                """
                SELECT id, principal, label, resource, access, verdict, lifespan, decided_us, decided_by, generation, redeemed_by,
                    used_us
                FROM decision ORDER BY generation
                """
            ) { try Decision(row: $0) }
            let generation = try connection.first("SELECT generation FROM counter") { try $0.integer(0) } ?? 0
            let switches = try connection.all("SELECT resource FROM switched_off ORDER BY position") { row in
                let text = try row.text(0)
                guard let resource = Resource(text) else { throw UnreadableDecision(id: text) }
                return resource
            }
            return StoredDecisions(
                decisions: decisions,
                generation: UInt64(clamping: generation),
                switchedOff: switches
            )
        }
    }

    package func record(
        _ kept: [Decision],
        forgetting removed: [DecisionID],
        switchedOff: [Resource],
        generation: UInt64,
        noting drafts: [AuditEntryDraft]
    ) async throws(StorageFailure) {
        try await failing { try await write(kept, removed, switchedOff, generation, drafts) }
    }

    package func note(_ drafts: [AuditEntryDraft]) async throws(StorageFailure) {
        try await failing { try await audit.note(drafts) }
    }

    private func failing(_ body: () async throws -> Void) async throws(StorageFailure) {
        do {
            try await body()
        } catch let failure as StorageFailure {
            throw failure
        } catch let error as SQLiteError {
            throw StorageFailure(isDiskFull: error.code == .diskFull, text: error.message)
        } catch {
            throw StorageFailure(text: "\(error)")
        }
    }

    private func write(
        _ kept: [Decision],
        _ removed: [DecisionID],
        _ switchedOff: [Resource],
        _ generation: UInt64,
        _ drafts: [AuditEntryDraft]
    ) async throws {
        try await database.transaction { connection in
            for id in removed { try connection.run("DELETE FROM decision WHERE id = ?", id.description) }
            for decision in kept {
                try connection.run(
                    "INSERT OR REPLACE INTO decision VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    decision.id.description,
                    decision.principal.description,
                    decision.label,
                    decision.resource.description,
                    decision.access.description,
                    decision.verdict.rawValue,
                    decision.lifespan.description,
                    decision.decidedAt.milliseconds * 1_000,
                    decision.decidedBy.description,
                    Int64(clamping: decision.generation),
                    decision.redeemedBy,
                    decision.usedAt.map { $0.milliseconds * 1_000 }
                )
            }
            try connection.run("DELETE FROM switched_off")
            for (position, resource) in switchedOff.enumerated() {
                try connection.run("INSERT INTO switched_off VALUES (?, ?)", resource.description, Int64(position))
            }
            try connection.run("UPDATE counter SET generation = max(generation, ?)", Int64(clamping: generation))
            try audit.append(drafts, connection)
        }
    }

    private static let schema = DatabaseSchema(
        applicationID: 0x4f42_5343,
        migrations: [
            Migration(
                1,
                """
                CREATE TABLE decision (
                    id TEXT PRIMARY KEY,
                    principal TEXT NOT NULL,
                    label TEXT,
                    resource TEXT NOT NULL,
                    access TEXT NOT NULL,
                    verdict TEXT NOT NULL CHECK (verdict IN ('allowed', 'denied')),
                    lifespan TEXT NOT NULL,
                    decided_us INTEGER NOT NULL,
                    decided_by TEXT NOT NULL,
                    generation INTEGER NOT NULL,
                    redeemed_by TEXT
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE counter (
                    only INTEGER PRIMARY KEY CHECK (only = 1),
                    generation INTEGER NOT NULL
                ) STRICT;
                INSERT INTO counter VALUES (1, 0);
                """
            ),
            Migration(
                2,
                """
                ALTER TABLE decision ADD COLUMN used_us INTEGER;
                CREATE TABLE switched_off (
                    resource TEXT PRIMARY KEY,
                    position INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """
            ),
            Migration(
                3,
                """
                CREATE TABLE consent (
                    number INTEGER PRIMARY KEY,
                    id TEXT NOT NULL UNIQUE,
                    document TEXT NOT NULL
                ) STRICT;
                """
            ),
            Migration(
                4,
                """
                ALTER TABLE consent ADD COLUMN subject TEXT;
                UPDATE consent SET subject = json_extract(document, '$.subject');
                CREATE INDEX consent_of_subject ON consent (subject, number);
                CREATE TABLE consent_answered (
                    principal TEXT NOT NULL,
                    name TEXT NOT NULL,
                    key TEXT NOT NULL,
                    request TEXT,
                    record TEXT NOT NULL,
                    at_us INTEGER NOT NULL,
                    PRIMARY KEY (principal, name, key)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX consent_answered_of_record ON consent_answered (record);
                """
            ),
            Migration(
                5,
                """
                CREATE TABLE audit (
                    sequence INTEGER PRIMARY KEY,
                    document TEXT NOT NULL,
                    hash TEXT NOT NULL
                ) STRICT;
                CREATE TABLE audit_checkpoint (
                    segment INTEGER PRIMARY KEY,
                    document TEXT NOT NULL
                ) STRICT;
                CREATE TRIGGER audit_kept BEFORE DELETE ON audit
                    BEGIN SELECT raise(ABORT, 'the audit log is added to alone'); END;
                CREATE TRIGGER audit_fixed BEFORE UPDATE ON audit
                    BEGIN SELECT raise(ABORT, 'the audit log is added to alone'); END;
                """
            ),
        ]
    )
}

/// A row says something that no version of ours has written.
package struct UnreadableDecision: Error, Hashable, Sendable, CustomStringConvertible {
    /// The row's id.
    package let id: String

    package var description: String { "the stored decision \(EscapedText(id, limit: 40)) can not be read" }
}

extension Decision {
    fileprivate init(row: borrowing Row) throws {
        let text = try row.text(0)
        guard let id = DecisionID(text),
            let principal = Principal(try row.text(1)),
            let resource = Resource(try row.text(3)),
            let access = Access(try row.text(4)),
            let verdict = Verdict(rawValue: try row.text(5)),
            let lifespan = Lifespan(try row.text(6)),
            let decidedBy = Principal(try row.text(8))
        else { throw UnreadableDecision(id: text) }
        self.init(
            principal: principal,
            label: try row.optionalText(2),
            resource: resource,
            access: access,
            verdict: verdict,
            lifespan: lifespan,
            decidedAt: Moment(milliseconds: try row.integer(7) / 1_000),
            decidedBy: decidedBy,
            generation: UInt64(clamping: try row.integer(9))
        )
        self.id = id
        redeemedBy = try row.optionalText(10)
        usedAt = try row.optionalInteger(11).map { Moment(milliseconds: $0 / 1_000) }
    }
}
