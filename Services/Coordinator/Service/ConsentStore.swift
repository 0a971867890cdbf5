package import Consent
private import FoundationEssentials
private import Hashing
private import MessageSchema
private import Messaging
private import SQLite

/// The consent records in the coordinator's database.
package struct ConsentStore: Sendable {
    /// The most records of one page.
    package static let pageCount = 200
    /// About the most bytes of one page; a single longer record is a page.
    package static let pageBytes = Limits.bodyBytes / 2
    /// How long a key stands for its request.
    private static let keyLifetime: Int64 = 24 * 3_600 * 1_000

    private let database: Database
    private let audit: AuditStore

    /// Keeps records in the database of the decisions.
    package init(in decisions: DecisionStore) {
        database = decisions.database
        audit = decisions.audit
    }

    /// Keeps a new record, unless the request was answered before; it has reached the disk when this returns, as has the entry of
    /// the audit log.
    ///
    /// - Returns: The record; of a request that was answered, the one of that time as it is now.
    /// - Throws: `ConsentRefusal`, `ErrorReply` `idempotencyConflict`, `StorageFailure`.
    package func add(
        for key: ConsentKey? = nil,
        _ make: @Sendable () throws(ConsentRefusal) -> ConsentRecord
    ) async throws -> ConsentRecord {
        try await failing {
            try await database.transaction { (connection) throws -> ConsentRecord in
                if let answered = try Self.answered(key, connection) { return answered }
                let record = try make()
                try connection.run(
                    "INSERT INTO consent (id, document, subject) VALUES (?, ?, ?)",
                    record.id.description,
                    try Self.document(record),
                    record.subject
                )
                try Self.note(key, record.id, connection)
                try audit.append(record.events.map { AuditEntryDraft($0, of: record.id) }, connection)
                return record
            }
        }
    }

    /// Changes a record, with the entry of the audit log, all or nothing, unless the request was answered before; it has reached the disk when this returns.
    ///
    /// When it is a withdrawal no file of the database has what was erased any more, but for copies made before.
    ///
    /// - Returns: The record with everything that it had; of a withdrawn one only the tombstone is stored.
    /// - Throws: `ConsentRefusal`, also `unknownRecord`; `ErrorReply` `idempotencyConflict`; `StorageFailure`. Nothing has
    ///   changed then.
    package func change(
        _ id: ConsentRecordID,
        for key: ConsentKey? = nil,
        _ change: @Sendable (inout ConsentRecord) throws(ConsentRefusal) -> Void
    ) async throws -> ConsentRecord {
        let (record, isErased) = try await failing {
            try await database.transaction { (connection) throws -> (ConsentRecord, Bool) in
                if let answered = try Self.answered(key, connection) { return (answered, false) }
                guard var record = try Self.record(id, connection) else { throw ConsentRefusal.unknownRecord }
                let known = record.events.count
                try change(&record)
                try connection.run(
                    "UPDATE consent SET document = ?, subject = ? WHERE id = ?",
                    try Self.document(record.kept),
                    record.kept.subject,
                    id.description
                )
                let isErased = record.kept != record
                if isErased {
                    // Whoever knows a request could tell from its hash who it was about.
                    try connection.run("UPDATE consent_answered SET request = NULL WHERE record = ?", id.description)
                }
                try Self.note(key, id, connection)
                try audit.append(record.events.dropFirst(known).map { AuditEntryDraft($0, of: id) }, connection)
                return (record, isErased)
            }
        }
        if isErased {
            // It is withdrawn all the same, and closing the database empties its log too.
            try? await database.emptyLog()
        }
        return record
    }

    /// The record of this name.
    ///
    /// - Throws: `ConsentRefusal.unknownRecord`; `StorageFailure`.
    package func record(_ id: ConsentRecordID) async throws -> ConsentRecord {
        let record = try await failing { try await database.snapshot { try Self.record(id, $0) } }
        guard let record else { throw ConsentRefusal.unknownRecord }
        return record
    }

    /// Records about somebody, or any, in the order in which they were made.
    ///
    /// - Parameters:
    ///   - subject: About whom.
    ///   - number: The `next` of the page before; 0 at first.
    ///   - count: How many at most.
    /// - Returns: The records, and the number behind which it goes on; nil at the end.
    /// - Throws: `StorageFailure`.
    package func page(
        about subject: String?,
        after number: Int64,
        count: Int
    ) async throws -> (records: [ConsentRecord], next: Int64?) {
        let (documents, next) = try await failing {
            try await database.snapshot { (connection) throws -> ([String], Int64?) in
                var (documents, last, room): ([String], Int64, Int) = ([], number, Self.pageBytes)
                while let (number, document) = try Self.row(after: last, about: subject, connection) {
                    room -= document.utf8.count
                    guard documents.isEmpty || (room >= 0 && documents.count < count) else {
                        return (documents, last)
                    }
                    documents.append(document)
                    last = number
                }
                return (documents, nil)
            }
        }
        return (try await failing { try await Self.records(documents) }, next)
    }

    /// The next row; only its text is fetched on the database's thread, where decisions are stored too.
    private static func row(
        after number: Int64,
        about subject: String?,
        _ connection: Connection
    ) throws -> (Int64, String)? {
        guard let subject else {
            return try connection.first(
                "SELECT number, document FROM consent WHERE number > ? ORDER BY number LIMIT 1",
                number
            ) { (try $0.integer(0), try $0.text(1)) }
        }
        return try connection.first(
            "SELECT number, document FROM consent WHERE subject = ? AND number > ? ORDER BY number LIMIT 1",
            subject,
            number
        ) { (try $0.integer(0), try $0.text(1)) }
    }

    /// Reads documents on a thread of the pool.
    @concurrent
    private static func records(_ documents: [String]) async throws -> [ConsentRecord] {
        try documents.map { try record($0) }
    }

    private static func record(_ id: ConsentRecordID, _ connection: Connection) throws -> ConsentRecord? {
        try connection.first("SELECT document FROM consent WHERE id = ?", id.description) {
            try record($0.text(0))
        }
    }

    private static func record(_ document: String) throws -> ConsentRecord {
        try JSONDecoder().decode(ConsentRecord.self, from: Data(document.utf8))
    }

    private static func document(_ record: ConsentRecord) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(record), as: UTF8.self)
    }

    // MARK: Keys

    /// The record of the request with this key as it is now; nil when it was never answered.
    private static func answered(_ key: ConsentKey?, _ connection: Connection) throws -> ConsentRecord? {
        guard let key else { return nil }
        let found = try connection.first(
            "SELECT request, record FROM consent_answered WHERE principal = ? AND name = ? AND key = ? AND at_us > ?",
            key.principal.description,
            key.name,
            key.key,
            (key.time.milliseconds - keyLifetime) * 1_000
        ) { (try $0.optionalText(0), try $0.text(1)) }
        guard let (request, record) = found else { return nil }
        guard request == nil || request == key.request.description else { throw ErrorReply.idempotencyConflict }
        guard let id = ConsentRecordID(record) else { throw UnreadableDecision(id: record) }
        return try Self.record(id, connection)
    }

    /// Notes that a request was answered, and forgets those of yesterday.
    private static func note(_ key: ConsentKey?, _ id: ConsentRecordID, _ connection: Connection) throws {
        guard let key else { return }
        let oldest = (key.time.milliseconds - keyLifetime) * 1_000
        try connection.run("DELETE FROM consent_answered WHERE at_us <= ?", oldest)
        try connection.run(
            "INSERT INTO consent_answered (principal, name, key, request, record, at_us) VALUES (?, ?, ?, ?, ?, ?)",
            key.principal.description,
            key.name,
            key.key,
            key.request.description,
            id.description,
            key.time.milliseconds * 1_000
        )
    }

    /// Passes refusals on, and makes everything else a failure of the storage.
    private func failing<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let refusal as ConsentRefusal {
            throw refusal
        } catch let error as ErrorReply {
            throw error
        } catch let error as SQLiteError {
            throw StorageFailure(isDiskFull: error.code == .diskFull, text: error.message)
        } catch {
            throw StorageFailure(text: "\(error)")
        }
    }
}
