private import Files

/// One database file with one connection on a thread of its own, so that waiting for the disk never stalls an event loop.
///
/// Only one process has the file open: a lock file beside it sees to that. Closures run one after the other on the
/// thread; cancellation does not interrupt one that runs.
package actor Database {
    private let thread: BlockingThread
    private var connection: Connection?
    private var lock: HeldLock?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe thread.executor.asUnownedSerialExecutor()
    }

    /// Opens `name` in a directory, with the schema's present version.
    ///
    /// Blocks the calling thread for the time of opening and migrating, which happens before there is anything to stall.
    /// - Throws: `SQLiteError`: `inUse`, `databaseTooNew`, `foreignDatabase`, `notADatabase`, `corrupt`, `remoteFileSystem`,
    ///   `diskFull` …; `FilesError` when the directory can not be opened.
    package init(named name: String, in directory: String, schema: DatabaseSchema) throws {
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
        try connection.configure()
        try connection.migrate(to: schema) { version in "\(directory)/\(name).version-\(version).backup" }
        thread = BlockingThread(name: name)
        self.connection = connection
        self.lock = lock
    }

    isolated deinit {
        close()
    }

    /// Closes the file and gives up its lock, when another one must be able to open it at once; dropping does so soon.
    ///
    /// - Precondition: nothing is asked of the database afterwards.
    package func close() {
        // Cheap, and keeps the planner's statistics fresh (sqlite.org/pragma.html#pragma_optimize); a failure costs nothing.
        _ = try? connection?.execute("PRAGMA optimize")
        connection = nil
        lock = nil
    }

    private var openConnection: Connection {
        guard let connection else { preconditionFailure("a closed database is asked nothing") }
        return connection
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
        try body(openConnection)
    }

    /// Runs the body on the database's thread in an immediate transaction; it has committed when this returns.
    package func transaction<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) throws -> Result {
        let connection = openConnection
        return try connection.transaction { try body(connection) }
    }

    /// Runs the body on the database's thread on one unchanging snapshot.
    package func snapshot<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) throws -> Result {
        let connection = openConnection
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
