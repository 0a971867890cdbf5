private import CSQLite
import Files

/// Why a database could not do what it was asked.
package struct SQLiteError: Error, Hashable, Sendable {
    /// What the failure means to a caller.
    package enum Code: Hashable, Sendable {
        /// Another connection holds the database for longer than the busy time-out.
        case busy
        /// A constraint of the schema is in the way; `isUniqueness` tells one kind.
        case constraint(isUniqueness: Bool)
        /// The disk or the quota is full.
        case diskFull
        /// The file is damaged.
        case corrupt
        /// The file is no database.
        case notADatabase
        /// The file can not be written.
        case readOnly
        /// The file can not be opened.
        case cannotOpen
        case inputOutput
        /// The file was written by a newer version of this program.
        case databaseTooNew(found: Int32, supported: Int32)
        /// The file belongs to another program.
        case foreignDatabase
        /// The file lies on a network file system, where WAL does not work (sqlite.org/wal.html).
        case remoteFileSystem
        /// Another process has the database open.
        case inUse(processID: Int32?)
        /// It was closed before it was asked.
        case closed
        /// A column is not of the type that was asked for.
        case unexpectedType
        case other
    }

    /// What it means.
    package var code: Code
    /// SQLite's own code; nil when SQLite was not asked.
    package var resultCode: ResultCode?
    /// SQLite's text.
    ///
    /// It can name tables and columns, never values.
    package var message: String
    /// The statement that failed; without values.
    package var statement: String?

    package init(_ code: Code, message: String, resultCode: ResultCode? = nil, statement: String? = nil) {
        self.code = code
        self.message = message
        self.resultCode = resultCode
        self.statement = statement
    }

    init(resultCode: ResultCode, message: String, statement: String?) {
        code =
            switch resultCode.primary {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_CONSTRAINT: .constraint(isUniqueness: resultCode.isUniqueness)
            case SQLITE_FULL: .diskFull
            case SQLITE_CORRUPT: .corrupt
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_READONLY: .readOnly
            case SQLITE_CANTOPEN: .cannotOpen
            case SQLITE_IOERR: .inputOutput
            default: .other
            }
        self.resultCode = resultCode
        self.message = message
        self.statement = statement
    }
}

extension SQLiteError: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String {
        switch code {
        case .databaseTooNew(let found, let supported):
            "the database has version \(found), this program knows versions up to \(supported)"
        case .inUse(let processID):
            "the database is in use" + (processID.map { " by process \($0)" } ?? "")
        default: message
        }
    }

    package var debugDescription: String {
        "\(description) [\(resultCode?.rawValue ?? 0)] \(statement ?? "")"
    }
}

extension SQLiteError: DiskFault {
    package var isDiskFull: Bool { code == .diskFull }
}
