package import Consent
private import FoundationEssentials
private import Hashing
private import Media
package import MessageSchema
private import Messaging
private import SQLite
package import Timekeeping

/// The exporter's jobs and their plans in its database; every change has reached the disk when its call returns.
package struct ExportStore: Sendable {
    /// The database's file name in the data directory.
    package static let fileName = "exporter.sqlite"

    /// A day, for which a key stands for its request.
    private static let keyLifetimeMicroseconds: Int64 = 86_400_000_000

    private let database: Database

    /// Opens, and if need be makes or migrates, the database; blocks meanwhile.
    ///
    /// - Throws: `SQLiteError` or `FilesError`, as `Database` does.
    package init(in dataDirectory: String) throws {
        database = try Database(named: Self.fileName, in: dataDirectory, schema: Self.schema)
    }

    /// Closes the database; nothing is asked of the store afterwards.
    package func close() async { await database.close() }

    /// What came of a new job.
    package enum Adding: Hashable, Sendable {
        case kept
        /// The destination is another program's, lies in one's, or has one's in it.
        case taken
        /// The request had been made before: this is its job.
        case repeated(ExportRecord)
    }

    /// Keeps a new job, and the key of its request with it.
    ///
    /// - Throws: `idempotencyConflict` for a key of another request.
    package func add(_ record: ExportRecord, key: ExportKey?, at now: Timestamp) async throws -> Adding {
        let selection = try Self.encoded(record.selection)
        let job = try Self.encoded(record.job)
        return try await database.transaction { connection in
            if let key {
                if let earlier = try Self.record(of: key, record.principal, at: now, connection) {
                    return .repeated(earlier)
                }
                // The key of a job that is too old to be found has become free.
                _ = try connection.run(
                    "UPDATE job SET request_key = NULL WHERE principal = ? AND request_key = ?",
                    record.principal.description,
                    key.key
                )
            }
            guard try Self.isFree(record.job.destination, for: record.principal, connection) else { return .taken }
            _ = try connection.run(
                """
                INSERT INTO job (id, principal, label, purpose, selection, destination, state, job, created_us, changed_us,
                    request_key, request_hash, privacy, names)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                record.job.job,
                record.principal.description,
                record.label,
                record.purpose,
                selection,
                record.job.destination,
                record.job.state.rawValue,
                job,
                now.microseconds,
                now.microseconds,
                key?.key,
                key?.hash.description,
                record.privacy.rawValue,
                record.names?.description
            )
            return .kept
        }
    }

    /// The job that a request with that key began within a day; nil for a new one.
    ///
    /// - Throws: `idempotencyConflict` for a key of another request.
    package func record(of key: ExportKey, _ principal: Principal, at now: Timestamp) async throws -> ExportRecord? {
        try await database.snapshot { connection in
            try Self.record(of: key, principal, at: now, connection)
        }
    }

    /// Keeps how a job stands now; the plan of one that is over for good is forgotten.
    package func update(_ job: ExportJob, at now: Timestamp) async throws {
        let text = try Self.encoded(job)
        try await database.transaction { connection in
            _ = try connection.run(
                "UPDATE job SET state = ?, job = ?, changed_us = ? WHERE id = ?",
                job.state.rawValue,
                text,
                now.microseconds,
                job.job
            )
            // What does not go on needs no plan, and nobody needs to know where its pictures were taken.
            guard job.state == .done || job.state == .cancelled else { return }
            _ = try connection.run("DELETE FROM item WHERE job = ?", job.job)
        }
    }

    /// The job with that identifier.
    package func record(_ id: String) async throws -> ExportRecord? {
        try await records("WHERE id = ?", [.text(id)]).first
    }

    /// The jobs of a principal, or all, the newest first.
    package func records(of principal: Principal?) async throws -> [ExportRecord] {
        guard let principal else { return try await records("", []) }
        return try await records("WHERE principal = ?", [.text(principal.description)])
    }

    /// The jobs that ran when the process before this one ended.
    package func interrupted() async throws -> [ExportRecord] {
        try await records("WHERE state = 'running'", [])
    }

    /// Whether a destination is no other program's bag, nor lies in one, nor has one in it.
    private static func isFree(
        _ destination: String,
        for principal: Principal,
        _ connection: Connection
    ) throws -> Bool {
        let others = try connection.all(
            "SELECT DISTINCT destination FROM job WHERE principal <> ?",
            principal.description
        ) { try $0.text(0) }
        return !others.contains { other in
            other == destination || other.hasPrefix(destination + "/") || destination.hasPrefix(other + "/")
        }
    }

    /// The plan of a job in its order; nil when it has none yet.
    package func plan(of job: String) async throws -> [Asset]? {
        let texts: [String]? = try await database.snapshot { connection in
            let isPlanned = try connection.first("SELECT planned FROM job WHERE id = ?", job) { try $0.boolean(0) }
            guard isPlanned == true else { return nil }
            return try connection.all("SELECT asset FROM item WHERE job = ? ORDER BY position", job) { try $0.text(0) }
        }
        return try texts?.map { try Self.decoded(Asset.self, $0) }
    }

    /// Keeps a job's plan, whole or not at all.
    package func setPlan(_ assets: [Asset], of job: String) async throws {
        let texts = try assets.map { try Self.encoded($0) }
        try await database.transaction { connection in
            _ = try connection.run("DELETE FROM item WHERE job = ?", job)
            for (position, text) in texts.enumerated() {
                _ = try connection.run("INSERT INTO item (job, position, asset) VALUES (?, ?, ?)", job, position, text)
            }
            _ = try connection.run("UPDATE job SET planned = 1 WHERE id = ?", job)
        }
    }

    /// The one place that says how long a key stands for its request.
    private static func record(
        of key: ExportKey,
        _ principal: Principal,
        at now: Timestamp,
        _ connection: Connection
    ) throws -> ExportRecord? {
        let first = now.microseconds - keyLifetimeMicroseconds
        let condition = "WHERE principal = ? AND request_key = ? AND created_us >= ?"
        let values: [SQLValue] = [.text(principal.description), .text(key.key), .integer(first)]
        guard let record = try records(condition, values, connection).first else { return nil }
        let hash = try connection.first("SELECT request_hash FROM job WHERE id = ?", record.job.job) { try $0.text(0) }
        guard hash == key.hash.description else { throw ErrorReply.idempotencyConflict }
        return record
    }

    private func records(_ condition: String, _ values: [SQLValue]) async throws -> [ExportRecord] {
        try await database.snapshot { connection in try Self.records(condition, values, connection) }
    }

    private static func records(
        _ condition: String,
        _ values: [SQLValue],
        _ connection: Connection
    ) throws -> [ExportRecord] {
        try connection.all(
            "SELECT principal, label, purpose, selection, job, privacy, names FROM job \(condition) ORDER BY created_us DESC, id",
            values
        ) { row in
            guard let principal = Principal(try row.text(0)) else {
                throw ErrorReply(.internalFault, "A stored job has a principal that can not be read")
            }
            return ExportRecord(
                principal: principal,
                label: try row.optionalText(1),
                purpose: try row.optionalText(2),
                selection: try Self.decoded(ExportSelection.self, try row.text(3)),
                // What can not be read takes out the most.
                privacy: PrivacyProfile(rawValue: try row.text(5)) ?? .all,
                names: try row.optionalText(6).map { text in try NameTemplate(text) },
                job: try Self.decoded(ExportJob.self, try row.text(4))
            )
        }
    }

    private static func encoded(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    private static func decoded<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    // "OBXP"
    private static let schema = DatabaseSchema(
        applicationID: 0x4F42_5850,
        migrations: [
            Migration(
                1,
                """
                CREATE TABLE job (
                    id TEXT PRIMARY KEY,
                    principal TEXT NOT NULL,
                    label TEXT,
                    purpose TEXT,
                    selection TEXT NOT NULL,
                    destination TEXT NOT NULL,
                    state TEXT NOT NULL,
                    job TEXT NOT NULL,
                    planned INTEGER NOT NULL DEFAULT 0,
                    created_us INTEGER NOT NULL,
                    changed_us INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX job_principal ON job (principal, created_us);
                CREATE INDEX job_destination ON job (destination);
                CREATE TABLE item (
                    job TEXT NOT NULL REFERENCES job (id) ON DELETE CASCADE,
                    position INTEGER NOT NULL,
                    asset TEXT NOT NULL,
                    PRIMARY KEY (job, position)
                ) STRICT, WITHOUT ROWID;
                """
            ),
            Migration(
                2,
                """
                ALTER TABLE job ADD COLUMN request_key TEXT;
                ALTER TABLE job ADD COLUMN request_hash TEXT;
                CREATE UNIQUE INDEX job_request ON job (principal, request_key) WHERE request_key IS NOT NULL;
                DELETE FROM item WHERE job IN (SELECT id FROM job WHERE state IN ('done', 'cancelled'));
                """
            ),
            Migration(3, "ALTER TABLE job ADD COLUMN privacy TEXT NOT NULL DEFAULT 'none';"),
            Migration(4, "ALTER TABLE job ADD COLUMN names TEXT;"),
        ]
    )
}
