package import Consent
private import FoundationEssentials
private import SQLite

/// The consent records in the coordinator's database.
package struct ConsentStore: Sendable {
    private let database: Database

    /// Keeps records in the database of the decisions.
    package init(in decisions: DecisionStore) {
        database = decisions.database
    }

    /// Keeps a new record; it has reached the disk when this returns.
    ///
    /// - Throws: `StorageFailure`.
    package func add(_ record: ConsentRecord) async throws {
        _ = try await failing {
            try await database.transaction { connection in
                try connection.run(
                    "INSERT INTO consent (id, document) VALUES (?, ?)",
                    record.id.description,
                    try Self.document(record)
                )
            }
        }
    }

    /// Changes a record, all or nothing; it has reached the disk when this returns.
    ///
    /// - Returns: The record with everything that it had; of a withdrawn one only the tombstone is stored.
    /// - Throws: `ConsentRefusal`, also `unknownRecord`; `StorageFailure`. Nothing has changed then.
    package func change(
        _ id: ConsentRecordID,
        _ change: @Sendable (inout ConsentRecord) throws(ConsentRefusal) -> Void
    ) async throws -> ConsentRecord {
        try await failing {
            try await database.transaction { connection in
                guard var record = try Self.record(id, connection) else { throw ConsentRefusal.unknownRecord }
                try change(&record)
                try connection.run(
                    "UPDATE consent SET document = ? WHERE id = ?",
                    try Self.document(record.kept),
                    id.description
                )
                return record
            }
        }
    }

    /// The record of this name.
    ///
    /// - Throws: `ConsentRefusal.unknownRecord`; `StorageFailure`.
    package func record(_ id: ConsentRecordID) async throws -> ConsentRecord {
        let record = try await failing { try await database.snapshot { try Self.record(id, $0) } }
        guard let record else { throw ConsentRefusal.unknownRecord }
        return record
    }

    /// All records, the oldest first.
    ///
    /// - Throws: `StorageFailure`.
    package func all() async throws -> [ConsentRecord] {
        try await failing {
            try await database.snapshot { connection in
                try connection.all("SELECT document FROM consent ORDER BY number") { try Self.record($0.text(0)) }
            }
        }
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

    /// Passes refusals on, and makes everything else a failure of the storage.
    private func failing<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let refusal as ConsentRefusal {
            throw refusal
        } catch let error as SQLiteError {
            throw StorageFailure(isDiskFull: error.code == .diskFull, text: error.message)
        } catch {
            throw StorageFailure(text: "\(error)")
        }
    }
}
