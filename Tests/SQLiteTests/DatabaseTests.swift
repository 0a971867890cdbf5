import Files
import Glibc
import SQLite
import TestSupport
import Testing

@Suite(.tags(.unit), .timeLimit(.minutes(1)))
struct DatabaseTests {
    private static let first = Migration(1, "CREATE TABLE a (n INTEGER PRIMARY KEY, t TEXT NOT NULL) STRICT")
    private static let second = Migration(2, "ALTER TABLE a ADD COLUMN m INTEGER NOT NULL DEFAULT 7")
    private static let third = Migration(3) { try $0.execute("CREATE INDEX a_m ON a (m)") }

    private func schema(_ count: Int) -> DatabaseSchema {
        DatabaseSchema(
            applicationID: 0x4F42_5354,
            migrations: Array([Self.first, Self.second, Self.third].prefix(count))
        )
    }

    private func description(_ database: Database) async throws -> [String] {
        try await database.perform { connection in
            try connection.all("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name") { try $0.text(0) }
        }
    }

    @Test func `every step leads to what a fresh database has, and keeps the rows`() async throws {
        try await withTemporaryDirectory { path in
            for count in 1...3 {
                let database = try Database(named: "steps", in: path, schema: schema(count))
                if count == 1 {
                    try await database.transaction { _ = try $0.run("INSERT INTO a VALUES (1, 'kept')") }
                }
                await database.close()
            }
            let steps = try Database(named: "steps", in: path, schema: schema(3))
            let fresh = try Database(named: "fresh", in: path, schema: schema(3))
            let stepped = try await description(steps)
            #expect(try await description(fresh) == stepped)
            let rows = try await steps.perform {
                try $0.all("SELECT t, m FROM a") { try "\($0.text(0)) \($0.integer(1))" }
            }
            #expect(rows == ["kept 7"])
            // The copy from before the last step is a whole database of that version.
            let backup = try Connection(opening: "\(path)/steps.version-2.backup", isReadOnly: true)
            #expect(try backup.first("PRAGMA user_version") { try $0.integer(0) } == 2)
        }
    }

    @Test func `a newer database is refused and untouched`() async throws {
        try await withTemporaryDirectory { path in
            try await Database(named: "a", in: path, schema: schema(3)).close()
            let error = #expect(throws: SQLiteError.self) { _ = try Database(named: "a", in: path, schema: schema(2)) }
            #expect(error?.code == .databaseTooNew(found: 3, supported: 2))
            #expect(error?.description.contains("version 3") == true)
            _ = try Database(named: "a", in: path, schema: schema(3))
        }
    }

    @Test(arguments: [
        "PRAGMA application_id = 7; CREATE TABLE t (n)", "CREATE TABLE t (n)", "PRAGMA application_id = 7",
        "PRAGMA user_version = 1", "PRAGMA application_id = 1329746772; PRAGMA user_version = 9; CREATE TABLE t (n)",
        "PRAGMA application_id = 1329746772; PRAGMA user_version = -1; CREATE TABLE t (n)",
    ])
    func `a database of somebody else or of a newer release is refused and not written to`(script: String) throws {
        try withTemporaryDirectory { path, directory in
            try Connection(opening: "\(path)/a").execute(script)
            let before = try directory.read("a", limit: 99_999)
            let error = #expect(throws: SQLiteError.self) { _ = try Database(named: "a", in: path, schema: schema(1)) }
            #expect(error?.code == .foreignDatabase || error?.code == .databaseTooNew(found: 9, supported: 1))
            #expect(try directory.read("a", limit: 99_999) == before)
            #expect(try directory.status(of: "a-wal") == nil)
        }
    }

    @Test func `what is asked after the end is an error`() async throws {
        try await withTemporaryDirectory { path in
            let database = try Database(named: "a", in: path, schema: schema(1))
            await database.close()
            let error = await #expect(throws: SQLiteError.self) { try await database.perform { _ in } }
            #expect(error?.code == .closed)
            let other = await #expect(throws: SQLiteError.self) { try await database.transaction { _ in } }
            #expect(other?.code == .closed)
        }
    }

    @Test func `a migration that failed is tried again, over whatever copies are there`() async throws {
        try await withTemporaryDirectory { path in
            try await Database(named: "a", in: path, schema: schema(1)).close()
            let directory = try Directory(opening: path)
            try directory.writeAtomically(Array("half a copy".utf8), to: "a.version-1.backup.partial")
            let broken = Migration(2) { try $0.execute("this is no statement") }
            let wrong = DatabaseSchema(applicationID: 0x4F42_5354, migrations: [Self.first, broken])
            for _ in 1...2 {
                #expect(throws: SQLiteError.self) { _ = try Database(named: "a", in: path, schema: wrong) }
            }
            try await Database(named: "a", in: path, schema: schema(2)).close()
            #expect(try directory.status(of: "a.version-1.backup")?.permissions == 0o600)
            #expect(try directory.status(of: "a.version-1.backup.partial") == nil)
            let backup = try Connection(opening: "\(path)/a.version-1.backup", isReadOnly: true)
            #expect(try backup.first("PRAGMA user_version") { try $0.integer(0) } == 1)
        }
    }

    @Test func `a copy that can not be made durable leaves the database as it was`() async throws {
        try await withTemporaryDirectory { path in
            try await Database(named: "a", in: path, schema: schema(1)).close()
            var step = 1
            while true {
                let faults = FileFaults(at: step, .failOnce(EIO))
                let isOpened = FileFaults.$current.withValue(faults) {
                    (try? Database(named: "a", in: path, schema: schema(2))) != nil
                }
                if isOpened { break }
                let version = try Connection(opening: "\(path)/a").first("PRAGMA user_version") { try $0.integer(0) }
                #expect(version == 1)
                step += 1
                try #require(step < 50)
            }
            #expect(step > 5)
        }
    }

    @Test func `a copy taken while others write is whole, of one moment, marked and alone`() async throws {
        try await withTemporaryDirectory { path in
            let mark = "INSERT INTO a VALUES (0, 'copy')"
            let schema = DatabaseSchema(applicationID: 0x4F42_5354, migrations: [Self.first], copyMark: mark)
            let database = try Database(named: "a", in: path, schema: schema)
            let copies = "\(path)/copies"
            _ = try Directory(creating: copies)
            // Each transaction adds two rows, so that a torn copy has an odd number of them.
            let writer = Task {
                var next: Int64 = 1
                while !Task.isCancelled {
                    let first = next
                    try await database.transaction { connection in
                        for row in first...first + 1 { try connection.run("INSERT INTO a VALUES (?, 'x')", row) }
                    }
                    next += 2
                }
            }
            for round in 1...10 {
                try await database.copy(as: "copy-\(round)", in: copies)
                let copy = try Connection(opening: "\(copies)/copy-\(round)")
                #expect(try copy.first("PRAGMA integrity_check") { try $0.text(0) } == "ok")
                let rows = try copy.first("SELECT count(*) FROM a WHERE n > 0") { try $0.integer(0) }
                #expect(rows.map { $0 % 2 } == 0)
                #expect(try copy.first("SELECT t FROM a WHERE n = 0") { try $0.text(0) } == "copy")
            }
            writer.cancel()
            try await writer.value
            let marked = try await database.perform { try $0.first("SELECT 1 FROM a WHERE n = 0") { _ in true } }
            #expect(marked == nil)
            let names = try Directory(opening: copies).entries().map(\.name)
            #expect(Set(names) == Set((1...10).map { "copy-\($0)" }))
            #expect(try Directory(opening: copies).status(of: "copy-1")?.permissions == 0o600)
            await database.close()
        }
    }

    @Test func `a file that is no database is refused`() throws {
        try withTemporaryDirectory { path, directory in
            try directory.writeAtomically(Array(repeating: 0x41, count: 5000), to: "a")
            let error = #expect(throws: SQLiteError.self) { _ = try Database(named: "a", in: path, schema: schema(1)) }
            #expect(error?.code == .notADatabase)
            #expect(try directory.read("a", limit: 9999)?.count == 5000)
        }
    }

    @Test func `only one has the database open`() async throws {
        try await withTemporaryDirectory { path in
            let database = try Database(named: "a", in: path, schema: schema(1))
            let error = #expect(throws: SQLiteError.self) { _ = try Database(named: "a", in: path, schema: schema(1)) }
            #expect(error?.code == .inUse(processID: getpid()))
            try await database.perform { _ = try $0.run("INSERT INTO a VALUES (1, 'x')") }
        }
    }

    @Test func `a failed migration leaves the version before`() async throws {
        try await withTemporaryDirectory { path in
            try await Database(named: "a", in: path, schema: schema(1)).close()
            let broken = Migration(2) { connection in
                try connection.execute("ALTER TABLE a ADD COLUMN half INTEGER")
                try connection.execute("this is no statement")
            }
            let wrong = DatabaseSchema(applicationID: 0x4F42_5354, migrations: [Self.first, broken])
            #expect(throws: SQLiteError.self) { _ = try Database(named: "a", in: path, schema: wrong) }
            let database = try Database(named: "a", in: path, schema: schema(1))
            let texts = try await description(database)
            #expect(!texts.contains { $0.contains("half") })
        }
    }

    @Test func `the settings hold`() async throws {
        try await withTemporaryDirectory { path in
            let database = try Database(named: "a", in: path, schema: schema(1))
            let settings = try await database.perform { connection in
                try ["journal_mode", "synchronous", "foreign_keys", "trusted_schema", "cell_size_check"].map { name in
                    try connection.first("SELECT CAST(\(name) AS TEXT) FROM pragma_\(name)") { try $0.text(0) }
                }
            }
            #expect(settings == ["wal", "2", "1", "0", "1"])
            let mode = try Directory(opening: path).status(of: "a")?.permissions
            #expect(mode == 0o600)
        }
    }

    @Test func `what was committed is there after a kill`() async throws {
        try await withTemporaryDirectory { path in
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                let schema = DatabaseSchema(
                    applicationID: 1,
                    migrations: [Migration(1, "CREATE TABLE a (n INTEGER) STRICT")]
                )
                let database = try Database(named: "a", in: path, schema: schema)
                try await database.transaction { _ = try $0.run("INSERT INTO a VALUES (1)") }
                try await database.transaction { connection in
                    _ = try connection.run("INSERT INTO a VALUES (2)")
                    raise(SIGKILL)
                }
            }
            let schema = DatabaseSchema(
                applicationID: 1,
                migrations: [Migration(1, "CREATE TABLE a (n INTEGER) STRICT")]
            )
            let database = try Database(named: "a", in: path, schema: schema)
            let rows = try await database.perform { try $0.all("SELECT n FROM a") { try $0.integer(0) } }
            #expect(rows == [1])
        }
    }

    @Test func `work runs on one thread that ends with the database`() async throws {
        try await withTemporaryDirectory { path in
            var threads: Set<UInt> = []
            do {
                let database = try Database(named: "a", in: path, schema: schema(1))
                for _ in 0..<3 { threads.insert(try await database.perform { _ in UInt(pthread_self()) }) }
                #expect(!threads.contains(UInt(pthread_self())))
            }
            #expect(threads.count == 1)
            // The lock goes with it: the next one opens as soon as the old one is gone.
            let again = try Directory(opening: path)
            _ = try FileLock.waiting(for: .seconds(20), "a.lock", in: again)
        }
    }
}
