import SQLite

/// The rows of `words`: what assets are found by, one for each asset.
///
/// Kept up here and not by triggers: a database is not trusted to have FTS5 do anything by itself
/// (sqlite.org/pragma.html#pragma_trusted_schema).
struct WordTable {
    let connection: Connection

    /// Takes the words of a new asset.
    func add(_ row: Int64, filename: String, caption: String?) throws {
        try connection.run(
            "INSERT INTO words (rowid, filename, caption) VALUES (?, ?, ?)",
            row,
            filename,
            caption
        )
    }

    /// Takes other words of an asset.
    func change(_ row: Int64, filename: String, caption: String?) throws {
        try remove(row)
        try add(row, filename: filename, caption: caption)
    }

    /// Forgets an asset.
    func remove(_ row: Int64) throws {
        try connection.run("DELETE FROM words WHERE rowid = ?", row)
    }
}
