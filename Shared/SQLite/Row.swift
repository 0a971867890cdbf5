private import CSQLite

/// The row a statement stands on, lent for the time of one closure.
///
/// Columns are counted from 0. Asking a column for another type than it has is an error, never a silent conversion.
@safe package struct Row: ~Copyable {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) {
        unsafe self.statement = statement
    }

    /// Whether the column is NULL.
    package func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
    }

    /// A whole number.
    package func integer(_ column: Int) throws(SQLiteError) -> Int64 {
        try expect(SQLITE_INTEGER, column)
        return unsafe sqlite3_column_int64(statement, Int32(column))
    }

    /// A number with a fraction; a whole number counts as one.
    package func real(_ column: Int) throws(SQLiteError) -> Double {
        if unsafe sqlite3_column_type(statement, Int32(column)) != SQLITE_INTEGER { try expect(SQLITE_FLOAT, column) }
        return unsafe sqlite3_column_double(statement, Int32(column))
    }

    /// A text.
    package func text(_ column: Int) throws(SQLiteError) -> String {
        try expect(SQLITE_TEXT, column)
        guard let start = unsafe sqlite3_column_text(statement, Int32(column)) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(statement, Int32(column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Bytes.
    package func blob(_ column: Int) throws(SQLiteError) -> [UInt8] {
        try expect(SQLITE_BLOB, column)
        guard let start = unsafe sqlite3_column_blob(statement, Int32(column)) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(statement, Int32(column)))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A whole number, 1 for true.
    package func boolean(_ column: Int) throws(SQLiteError) -> Bool {
        try integer(column) != 0
    }

    /// A whole number; nil for NULL.
    package func optionalInteger(_ column: Int) throws(SQLiteError) -> Int64? {
        isNull(column) ? nil : try integer(column)
    }

    /// A number with a fraction; nil for NULL.
    package func optionalReal(_ column: Int) throws(SQLiteError) -> Double? {
        isNull(column) ? nil : try real(column)
    }

    /// A text; nil for NULL.
    package func optionalText(_ column: Int) throws(SQLiteError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    /// Bytes; nil for NULL.
    package func optionalBlob(_ column: Int) throws(SQLiteError) -> [UInt8]? {
        isNull(column) ? nil : try blob(column)
    }

    private func expect(_ type: Int32, _ column: Int) throws(SQLiteError) {
        let found = unsafe sqlite3_column_type(statement, Int32(column))
        guard found == type else {
            let name = unsafe sqlite3_column_name(statement, Int32(column)).map { unsafe String(cString: $0) }
            throw SQLiteError(.unexpectedType, message: "column \(name ?? "?") has type \(found) and not \(type)")
        }
    }
}
