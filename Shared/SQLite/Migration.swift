/// One step from the schema's version before to `version`, run in a transaction of its own.
package struct Migration: Sendable {
    /// The version after the step; versions count from 1 without gaps.
    package let version: Int32
    private let body: @Sendable (Connection) throws -> Void

    /// A step that a closure does; it must not open a transaction.
    package init(_ version: Int32, _ body: @escaping @Sendable (Connection) throws -> Void) {
        self.version = version
        self.body = body
    }

    /// A step that a script does.
    package init(_ version: Int32, _ script: String) {
        self.init(version) { try $0.execute(script) }
    }

    func run(on connection: Connection) throws {
        try connection.transaction {
            try body(connection)
            // Part of the transaction (sqlite.org/pragma.html#pragma_user_version).
            try connection.execute("PRAGMA user_version = \(version)")
        }
    }
}

/// What a database must be: whose, and in which version.
package struct DatabaseSchema: Sendable {
    /// Four bytes that mark the file as this program's (PRAGMA application_id).
    package let applicationID: Int32
    /// The steps from an empty file to the present version.
    package let migrations: [Migration]
    /// A script that is run in each copy of the database, so that it knows that it is one.
    package let copyMark: String?

    package init(applicationID: Int32, migrations: [Migration], copyMark: String? = nil) {
        precondition(
            migrations.enumerated().allSatisfy { $0.element.version == Int32($0.offset + 1) },
            "versions count from 1 without gaps"
        )
        self.applicationID = applicationID
        self.migrations = migrations
        self.copyMark = copyMark
    }

    /// The version after all steps.
    package var version: Int32 { Int32(migrations.count) }
}

extension Connection {
    /// Believes nothing that a file says about itself; writes nothing.
    func distrust() {
        // These can not fail: they set flags of the connection.
        _ = try? execute("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON")
    }

    /// The schema's version in the file, 0 for a new one; writes nothing.
    ///
    /// - Throws: `foreignDatabase` for a file of another program, `databaseTooNew`.
    func version(expecting schema: DatabaseSchema) throws -> Int32 {
        let found = Int32(try first("PRAGMA user_version") { try $0.integer(0) } ?? 0)
        let application = Int32(truncatingIfNeeded: try first("PRAGMA application_id") { try $0.integer(0) } ?? 0)
        let tables = try first("SELECT count(*) FROM sqlite_schema") { try $0.integer(0) } ?? 0
        let isNew = tables == 0 && found == 0 && application == 0
        guard isNew || application == schema.applicationID, found >= 0 else {
            throw SQLiteError(.foreignDatabase, message: "the file is a database of another program")
        }
        guard found <= schema.version else {
            throw SQLiteError(
                .databaseTooNew(found: found, supported: schema.version),
                message: "the database is of a newer version"
            )
        }
        return found
    }

    /// Sets what every connection of ours has: WAL and FULL.
    func configure() throws {
        let mode = try first("PRAGMA journal_mode = WAL") { try $0.text(0) }
        guard mode == "wal" else {
            throw SQLiteError(.remoteFileSystem, message: "write-ahead logging does not work on this file system")
        }
        try execute("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864")
    }

    /// Brings the schema from a version to the present one.
    func migrate(to schema: DatabaseSchema, from version: Int32) throws {
        if version == 0 { try execute("PRAGMA application_id = \(schema.applicationID)") }
        for migration in schema.migrations where migration.version > version { try migration.run(on: self) }
    }
}
