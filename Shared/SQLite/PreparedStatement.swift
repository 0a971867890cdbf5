private import CSQLite

/// One compiled statement of one connection, which outlives it.
@safe final class PreparedStatement {
    let text: String
    private let statement: OpaquePointer

    init(_ text: String, on connection: OpaquePointer) throws(SQLiteError) {
        var made: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard let made = unsafe made, result == SQLITE_OK else {
            throw SQLiteError(
                resultCode: ResultCode(rawValue: result),
                message: unsafe String(cString: sqlite3_errmsg(connection)),
                statement: text
            )
        }
        self.text = text
        unsafe statement = made
    }

    deinit {
        unsafe sqlite3_finalize(statement)
    }

    var row: Row { unsafe Row(statement) }

    func bind(_ values: [SQLValue]) throws(SQLiteError) {
        let expected = unsafe Int(sqlite3_bind_parameter_count(statement))
        precondition(expected == values.count, "a statement with \(expected) parameters got \(values.count) values")
        for (index, value) in values.enumerated() {
            let result = bind(value, Int32(index + 1))
            guard result == SQLITE_OK else { throw failure(result) }
        }
    }

    /// False when there is no row left.
    func step() throws(SQLiteError) -> Bool {
        let result = unsafe sqlite3_step(statement)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure(result)
        }
    }

    func reset() {
        // The failure that reset repeats has been thrown by the step.
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
    }

    private func bind(_ value: SQLValue, _ index: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(statement, index)
        case .integer(let number): return unsafe sqlite3_bind_int64(statement, index, number)
        case .real(let number): return unsafe sqlite3_bind_double(statement, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) {
                    unsafe csqlite_bind_text(statement, index, $0.baseAddress, UInt64($0.count))
                }
            }
        case .blob(let bytes):
            return unsafe bytes.withUnsafeBytes {
                unsafe csqlite_bind_blob(statement, index, $0.baseAddress, UInt64($0.count))
            }
        }
    }

    private func failure(_ result: Int32) -> SQLiteError {
        let message = unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(statement)))
        return SQLiteError(resultCode: ResultCode(rawValue: result), message: message, statement: text)
    }
}
