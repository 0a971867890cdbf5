import Media
import MessageSchema
import SQLite
import Timekeeping

/// The rows of `changes`: what happened, numbered without end within one epoch.
///
/// A row says what became of an asset or a group, also of one that is gone: it is its tombstone.
struct ChangeTable {
    /// So long, and so many, changes are kept; a token that is older has expired.
    static let lifetime = Duration.seconds(90 * 24 * 3600)
    static let mostRows: Int64 = 1_000_000

    let connection: Connection

    /// Records a change of an asset.
    func add(_ kind: LibraryEvent.Kind, asset url: AssetURL, id: AssetID, at now: Timestamp) throws -> LibraryEvent {
        try connection.run(
            "INSERT INTO changes (kind, subject, uuid, extension, at_us) VALUES (?, 'asset', ?, ?, ?)",
            kind.rawValue,
            id.bytes,
            url.fileExtension,
            now.microseconds
        )
        return LibraryEvent(generation: connection.lastInsertedRow, kind: kind, url: .asset(url))
    }

    /// Records a change of a group.
    func add(_ kind: LibraryEvent.Kind, group id: AssetID, at now: Timestamp) throws -> LibraryEvent {
        try connection.run(
            "INSERT INTO changes (kind, subject, uuid, at_us) VALUES (?, 'group', ?, ?)",
            kind.rawValue,
            id.bytes,
            now.microseconds
        )
        let url = GroupURL(id: id.description)
        return LibraryEvent(generation: connection.lastInsertedRow, kind: kind, url: .group(url))
    }

    /// The number of the last change; 0 before the first.
    func generation() throws -> Int64 {
        // What AUTOINCREMENT keeps outlives the rows that were forgotten (sqlite.org/autoinc.html).
        try connection.first("SELECT seq FROM sqlite_sequence WHERE name = 'changes'") { try $0.integer(0) } ?? 0
    }

    /// What a reader has to have seen to be told the rest: the number of the last change that was forgotten.
    func floor() throws -> Int64 {
        guard
            let first = try connection.first("SELECT min(generation) FROM changes", row: { try $0.optionalInteger(0) })
                ?? nil
        else { return try generation() }
        return first - 1
    }

    /// The changes after a number, at most `count`.
    func events(after generation: Int64, count: Int) throws -> [LibraryEvent] {
        try connection.all(
            """
            SELECT generation, kind, subject, uuid, extension FROM changes
            WHERE generation > ? ORDER BY generation LIMIT ?
            """,
            generation,
            count
        ) { row in
            guard let id = AssetID(bytes: try row.blob(3)), let kind = LibraryEvent.Kind(rawValue: try row.text(1))
            else { preconditionFailure("the schema keeps kinds and identifiers of 16 bytes") }
            let url: LibraryURL =
                switch try row.optionalText(4) {
                case let fileExtension? where try row.text(2) == "asset":
                    .asset(AssetURL(id: id.description, fileExtension: fileExtension))
                default: .group(GroupURL(id: id.description))
                }
            return LibraryEvent(generation: try row.integer(0), kind: kind, url: url)
        }
    }

    /// Forgets changes that are older than 90 days, and those before the last million.
    func forgetOld(now: Timestamp) throws {
        let last = try generation()
        try connection.run(
            """
            DELETE FROM changes WHERE generation <= max(?1, coalesce(
                (SELECT max(generation) FROM changes WHERE at_us <= ?2), 0))
            """,
            last - Self.mostRows,
            (now - Self.lifetime).microseconds
        )
    }
}
