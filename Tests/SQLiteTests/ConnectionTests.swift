import SQLite
import TestSupport
import Testing

@Suite(.tags(.unit), .timeLimit(.minutes(1)))
struct ConnectionTests {
    private func withConnection(_ body: (Connection) throws -> Void) throws {
        try withTemporaryDirectory { path, _ in try body(try Connection(opening: "\(path)/test.sqlite")) }
    }

    @Test func `every type comes back as it went in`() throws {
        try withConnection { connection in
            try connection.execute("CREATE TABLE t (i INTEGER, r REAL, t TEXT, b BLOB, n TEXT) STRICT")
            let text = "a\0b 🇳🇵 'quoted'"
            try connection.run(
                "INSERT INTO t VALUES (?, ?, ?, ?, ?)",
                Int64.min,
                0.5,
                text,
                [0, 255] as [UInt8],
                String?.none
            )
            let row = try connection.first("SELECT i, r, t, b, n FROM t") { row in
                try (row.integer(0), row.real(1), row.text(2), row.blob(3), row.optionalText(4))
            }
            #expect(row?.0 == .min)
            #expect(row?.1 == 0.5)
            #expect(row?.2 == text)
            #expect(row?.3 == [0, 255])
            #expect(row?.4 == nil)
        }
    }

    @Test func `nothing and empty are not the same`() throws {
        try withConnection { connection in
            try connection.execute("CREATE TABLE t (t TEXT, b BLOB) STRICT")
            try connection.run("INSERT INTO t VALUES (?, ?)", "", [] as [UInt8])
            let empty = try connection.first("SELECT t, b FROM t") { row in
                try (row.optionalText(0), row.optionalBlob(1))
            }
            #expect(empty?.0 == "")
            #expect(empty?.1 == [])
        }
    }

    @Test func `a column of another type is an error`() throws {
        try withConnection { connection in
            let error = #expect(throws: SQLiteError.self) {
                _ = try connection.first("SELECT '7' AS seven") { try $0.integer(0) }
            }
            #expect(error?.code == .unexpectedType)
            #expect(error?.message.contains("seven") == true)
        }
    }

    @Test func `a taken key is told apart from other constraints`() throws {
        try withConnection { connection in
            try connection.execute("CREATE TABLE t (k TEXT PRIMARY KEY, n INTEGER NOT NULL CHECK (n > 0)) STRICT")
            try connection.run("INSERT INTO t VALUES ('a', 1)")
            let taken = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES ('a', 1)") }
            #expect(taken?.code == .constraint(isUniqueness: true))
            let checked = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES ('b', 0)") }
            #expect(checked?.code == .constraint(isUniqueness: false))
        }
    }

    @Test func `the same statement can run inside itself`() throws {
        try withConnection { connection in
            let numbers = "SELECT value FROM json_each(?)"
            let pairs = try connection.all(numbers, "[1,2]") { outer in
                let number = try outer.integer(0)
                return try connection.all(numbers, "[3,4]") { try $0.integer(0) + number }
            }
            #expect(pairs == [[4, 5], [5, 6]])
        }
    }

    @Test func `a failed transaction leaves nothing, and the connection usable`() throws {
        struct Stop: Error {}
        try withConnection { connection in
            try connection.execute("CREATE TABLE t (n INTEGER) STRICT")
            #expect(throws: Stop.self) {
                try connection.transaction {
                    try connection.run("INSERT INTO t VALUES (1)")
                    throw Stop()
                }
            }
            let changed = try connection.transaction { try connection.run("INSERT INTO t VALUES (2)") }
            #expect(changed == 1)
            #expect(try connection.all("SELECT n FROM t") { try $0.integer(0) } == [2])
        }
    }

    @Test func `a full disk is named and leaves the rows that were there`() throws {
        try withConnection { connection in
            try connection.execute("CREATE TABLE t (b BLOB) STRICT; INSERT INTO t VALUES (x'01')")
            try connection.execute("PRAGMA max_page_count = 4")
            let error = #expect(throws: SQLiteError.self) {
                try connection.transaction {
                    for _ in 0..<20 { try connection.run("INSERT INTO t VALUES (zeroblob(4000))") }
                }
            }
            #expect(error?.code == .diskFull)
            #expect(try connection.first("SELECT count(*) FROM t") { try $0.integer(0) } == 1)
        }
    }

    @Test func `transactions do not nest`() async {
        await #expect(processExitsWith: .failure) {
            try withTemporaryDirectory { path, _ in
                let connection = try Connection(opening: "\(path)/test.sqlite")
                try connection.transaction { try connection.transaction {} }
            }
        }
    }
}
