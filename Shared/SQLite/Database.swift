private import Files

/// One database file with one connection on a thread of its own, so that waiting for the disk never stalls an event loop.
///
/// Only one process has the file open: a lock file beside it sees to that. Closures run one after the other on the
/// thread; cancellation does not interrupt one that runs.
package actor Database {
    private let thread: BlockingThread
    private let path: String
    private let copyMark: String?
    private var connection: Connection?
    private var lock: HeldLock?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe thread.executor.asUnownedSerialExecutor()
    }

    /// Opens `name` in a directory, with the schema's present version.
    ///
    /// Blocks the calling thread for the time of opening and migrating, which happens before there is anything to stall.
    /// With `overwritesDeleted` what is deleted or changed is overwritten in the file (PRAGMA secure_delete); the log beside it
    /// has it until ``emptyLog()``.
    /// - Throws: `SQLiteError`: `inUse`, `databaseTooNew`, `foreignDatabase`, `notADatabase`, `corrupt`, `remoteFileSystem`,
    ///   `diskFull` …; `FilesError` when the directory can not be opened.
    package init(
        named name: String,
        in directory: String,
        schema: DatabaseSchema,
        overwritesDeleted: Bool = false
    ) throws {
        let opened = try Directory(opening: directory)
        guard try !opened.descriptor.space().isRemote else {
            throw SQLiteError(.remoteFileSystem, message: "the data directory is on a network file system")
        }
        // SQLite would give it the permissions of the umask.
        do throws(FilesError) {
            try opened.open(name, [.readWrite, .create], permissions: 0o600).close()
        } catch {
            throw FilesError(errorNumber: error.errorNumber, operation: error.operation, path: "\(directory)/\(name)")
        }
        let lock = try Database.lock(name, in: opened)
        let connection = try Connection(opening: "\(directory)/\(name)")
        connection.distrust()
        // Before anything is written: a file that is refused stays as it is.
        let version = try connection.version(expecting: schema)
        try connection.configure()
        if overwritesDeleted { try connection.execute("PRAGMA secure_delete = ON") }
        if version > 0, version < schema.version {
            let copy = DatabaseCopy(name: "\(name).version-\(version).backup", directory: directory)
            try copy.write(connection, mark: schema.copyMark)
        }
        try connection.migrate(to: schema, from: version)
        thread = BlockingThread(name: name)
        path = "\(directory)/\(name)"
        copyMark = schema.copyMark
        self.connection = connection
        self.lock = lock
    }

    isolated deinit {
        close()
    }

    /// Closes the file and gives up its lock, when another one must be able to open it at once; dropping does so soon.
    ///
    /// Whatever is asked afterwards throws `closed`: work that outlives a drain may still come.
    package func close() {
        // Cheap, and keeps the planner's statistics fresh (sqlite.org/pragma.html#pragma_optimize); a failure costs nothing.
        _ = try? connection?.execute("PRAGMA optimize")
        connection = nil
        lock = nil
    }

    /// Writes everything that is committed into the file and truncates the log beside it (PRAGMA wal_checkpoint).
    ///
    /// - Throws: `SQLiteError`; what is committed stays so.
    package func emptyLog() throws {
        let isBusy = try openConnection.first("PRAGMA wal_checkpoint(TRUNCATE)") { try $0.integer(0) } != 0
        if isBusy { throw SQLiteError(.busy, message: "somebody reads the log") }
    }

    /// Copies what is committed into a file of another directory, on a thread of its own.
    ///
    /// It is complete and on the disk when this returns, and takes the place of one of that name. What is written meanwhile goes
    /// on, and is not in it.
    /// Cancellation does not interrupt it.
    /// - Throws: `SQLiteError`: `diskFull`, `closed` …; `FilesError`.
    package func copy(as name: String, in directory: String) async throws {
        _ = try openConnection
        try await DatabaseCopier().copy(path, to: DatabaseCopy(name: name, directory: directory), mark: copyMark)
    }

    /// The size of the file that a copy may become, in bytes.
    package func byteCount() throws -> Int64 {
        try openConnection.first("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") {
            try $0.integer(0)
        } ?? 0
    }

    private var openConnection: Connection {
        get throws(SQLiteError) {
            guard let connection else { throw SQLiteError(.closed, message: "the database is closed") }
            return connection
        }
    }

    private static func lock(_ name: String, in directory: borrowing Directory) throws -> HeldLock {
        guard let lock = try FileLock.attempt("\(name).lock", in: directory) else {
            let holder = FileLock.holder(of: "\(name).lock", in: directory)
            throw SQLiteError(.inUse(processID: holder), message: "the database is in use")
        }
        return HeldLock(lock)
    }

    /// Runs the body on the database's thread.
    package func perform<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) throws -> Result {
        try body(try openConnection)
    }

    /// Runs the body on the database's thread in an immediate transaction; it has committed when this returns.
    package func transaction<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) throws -> Result {
        let connection = try openConnection
        return try connection.transaction { try body(connection) }
    }

    /// Runs the body on the database's thread on one unchanging snapshot.
    package func snapshot<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) throws -> Result {
        let connection = try openConnection
        return try connection.snapshot { try body(connection) }
    }
}

/// A lock that a class can hold, so that the actor's initialiser can fail after it is taken.
private final class HeldLock: Sendable {
    private let lock: FileLock

    init(_ lock: consuming FileLock) {
        self.lock = lock
    }
}
