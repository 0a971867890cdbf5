private import Files

/// A copy of a database that is about to be: it has its name when it is complete and on the disk.
struct DatabaseCopy: Sendable {
    let name: String
    let directory: String

    /// Writes what the connection sees, and marks it as a copy; blocks.
    func write(_ connection: Connection, mark: String?) throws {
        let folder = try Directory(opening: directory)
        let partial = "\(name).partial"
        try folder.remove(partial)
        do {
            // VACUUM INTO takes an empty file (sqlite.org/lang_vacuum.html), and leaves its permissions.
            let file = try folder.open(partial, [.readWrite, .create, .exclusive], permissions: 0o600)
            try connection.run("VACUUM INTO ?", "\(directory)/\(partial)")
            if let mark { try Connection(opening: "\(directory)/\(partial)").execute(mark) }
            try file.sync()
            try folder.rename(partial, as: name, replacing: true)
        } catch {
            // On a full disk it would take the room of everything else; the next copy removes it otherwise.
            _ = try? folder.remove(partial)
            throw error
        }
        try folder.sync()
    }
}

/// A thread for one copy, with a connection of its own, so that nobody waits for it.
actor DatabaseCopier {
    private let thread = BlockingThread(name: "database-copy")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe thread.executor.asUnownedSerialExecutor()
    }

    isolated deinit {}

    func copy(_ path: String, to copy: DatabaseCopy, mark: String?) throws {
        try copy.write(try Connection(opening: path, isReadOnly: true), mark: mark)
    }
}
