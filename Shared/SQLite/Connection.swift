private import CSQLite

/// One connection to one database file; it blocks, and belongs to one thread or actor at a time.
///
/// Statements are kept prepared by their text, so that a repeated one is not parsed again; do not build texts from values.
@safe package final class Connection {
    private let handle: OpaquePointer
    private var prepared: [String: PreparedStatement] = [:]
    private var isInTransaction = false

    /// Opens a file, and makes it when it is missing.
    ///
    /// - Throws: `cannotOpen`, `notPermitted`; whether it is a database shows with the first statement.
    package init(opening path: String, isReadOnly: Bool = false) throws(SQLiteError) {
        var opened: OpaquePointer?
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened = unsafe opened, result == SQLITE_OK else {
            let message = unsafe String(cString: sqlite3_errstr(result))
            unsafe sqlite3_close_v2(opened)
            throw SQLiteError(resultCode: ResultCode(rawValue: result), message: message, statement: nil)
        }
        unsafe handle = opened
        unsafe sqlite3_busy_timeout(opened, 10_000)
    }

    deinit {
        prepared.removeAll()
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs a script of statements without parameters or results.
    package func execute(_ script: String) throws(SQLiteError) {
        let result = unsafe sqlite3_exec(handle, script, nil, nil, nil)
        guard result == SQLITE_OK else {
            throw SQLiteError(
                resultCode: ResultCode(rawValue: result),
                message: unsafe String(cString: sqlite3_errmsg(handle)),
                statement: script
            )
        }
    }

    /// Runs one statement.
    ///
    /// - Returns: how many rows it changed.
    @discardableResult
    package func run(_ statement: String, _ values: any SQLBindable...) throws(SQLiteError) -> Int {
        try run(statement, values.map(\.sqlValue))
    }

    /// Runs one statement.
    ///
    /// - Returns: how many rows it changed.
    @discardableResult
    package func run(_ statement: String, _ values: [SQLValue]) throws(SQLiteError) -> Int {
        let cursor = try begin(statement, values)
        defer { end(cursor) }
        while try cursor.step() {}
        return unsafe Int(sqlite3_changes(handle))
    }

    /// What the closure makes of each row, in order.
    package func all<Result>(
        _ statement: String,
        _ values: any SQLBindable...,
        row body: (borrowing Row) throws -> Result
    ) throws -> [Result] {
        try all(statement, values.map(\.sqlValue), row: body)
    }

    /// What the closure makes of each row, in order.
    package func all<Result>(
        _ statement: String,
        _ values: [SQLValue],
        row body: (borrowing Row) throws -> Result
    ) throws -> [Result] {
        let cursor = try begin(statement, values)
        defer { end(cursor) }
        var results: [Result] = []
        while try cursor.step() { results.append(try body(cursor.row)) }
        return results
    }

    /// What the closure makes of the first row; nil when there is none.
    package func first<Result>(
        _ statement: String,
        _ values: any SQLBindable...,
        row body: (borrowing Row) throws -> Result
    ) throws -> Result? {
        let cursor = try begin(statement, values.map(\.sqlValue))
        defer { end(cursor) }
        return try cursor.step() ? body(cursor.row) : nil
    }

    /// The rowid of the last row that was inserted.
    package var lastInsertedRow: Int64 {
        unsafe sqlite3_last_insert_rowid(handle)
    }

    /// Runs the body in an immediate transaction: all of it happens or nothing, and no other writer is between.
    ///
    /// When the commit fails everything is rolled back and the error of the commit is thrown.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try transaction(beginning: "BEGIN IMMEDIATE", body)
    }

    /// Runs the body on one unchanging snapshot of the database.
    package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try transaction(beginning: "BEGIN DEFERRED", body)
    }

    private func transaction<Result>(beginning: String, _ body: () throws -> Result) throws -> Result {
        precondition(!isInTransaction, "transactions do not nest")
        try execute(beginning)
        isInTransaction = true
        defer { isInTransaction = false }
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // SQLite may have rolled back by itself (sqlite.org/lang_transaction.html); the first error is the one that counts.
            if unsafe sqlite3_get_autocommit(handle) == 0 { _ = try? execute("ROLLBACK") }
            throw error
        }
    }

    private func begin(_ text: String, _ values: [SQLValue]) throws(SQLiteError) -> PreparedStatement {
        let statement: PreparedStatement
        if let kept = prepared.removeValue(forKey: text) {
            statement = kept
        } else {
            statement = try unsafe PreparedStatement(text, on: handle)
        }
        try statement.bind(values)
        return statement
    }

    private func end(_ statement: PreparedStatement) {
        statement.reset()
        if prepared.count < 200 { prepared[statement.text] = statement }
    }
}

@available(*, unavailable)
extension Connection: Sendable {}
