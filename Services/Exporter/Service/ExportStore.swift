package import Consent
private import FoundationEssentials
package import MessageSchema
private import SQLite
package import Timekeeping

/// The exporter's jobs and their plans in its database; every change has reached the disk when its call returns.
package struct ExportStore: Sendable {
    /// The database's file name in the data directory.
    package static let fileName = "exporter.sqlite"

    private let database: Database

    /// Opens, and if need be makes or migrates, the database; blocks meanwhile.
    ///
    /// - Throws: `SQLiteError` or `FilesError`, as `Database` does.
    package init(in dataDirectory: String) throws {
        database = try Database(named: Self.fileName, in: dataDirectory, schema: Self.schema)
    }

    /// Closes the database; nothing is asked of the store afterwards.
    package func close() async { await database.close() }

    /// Keeps a new job.
    package func add(_ record: ExportRecord, at now: Timestamp) async throws {
        let selection = try Self.encoded(record.selection)
        let job = try Self.encoded(record.job)
        try await database.transaction { connection in
            _ = try connection.run(
                """
                INSERT INTO job (id, principal, label, purpose, selection, destination, state, job, created_us, changed_us)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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
                now.microseconds
            )
        }
    }

    /// Keeps how a job stands now.
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

    /// Whose bag lies at a destination; nil for a new one.
    package func owner(of destination: String) async throws -> Principal? {
        let text = try await database.snapshot { connection in
            try connection.first("SELECT principal FROM job WHERE destination = ? ORDER BY created_us", destination) {
                try $0.text(0)
            }
        }
        return text.flatMap { Principal($0) }
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

    private func records(_ condition: String, _ values: [SQLValue]) async throws -> [ExportRecord] {
        try await database.snapshot { connection in
            try connection.all(
                "SELECT principal, label, purpose, selection, job FROM job \(condition) ORDER BY created_us DESC, id",
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
                    job: try Self.decoded(ExportJob.self, try row.text(4))
                )
            }
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
            )
        ]
    )
}
