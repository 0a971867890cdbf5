import Media
import MessageSchema
import SQLite
import Timekeeping

/// The rows of `changes`: what happened, numbered without end within one epoch.
struct ChangeTable {
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
        return LibraryEvent(generation: connection.lastInsertedRow, kind: kind, url: url)
    }

    /// Records a change of a group.
    func add(_ kind: LibraryEvent.Kind, group id: AssetID, at now: Timestamp) throws {
        try connection.run(
            "INSERT INTO changes (kind, subject, uuid, at_us) VALUES (?, 'group', ?, ?)",
            kind.rawValue,
            id.bytes,
            now.microseconds
        )
    }

    /// The number of the last change; 0 before the first.
    func generation() throws -> Int64 {
        try connection.first("SELECT coalesce(max(generation), 0) FROM changes") { try $0.integer(0) } ?? 0
    }

    /// The changes of assets after a number, at most `count`.
    func events(after generation: Int64, count: Int) throws -> [LibraryEvent] {
        try connection.all(
            """
            SELECT generation, kind, uuid, extension FROM changes
            WHERE generation > ? AND subject = 'asset' ORDER BY generation LIMIT ?
            """,
            generation,
            count
        ) { row in
            guard let id = AssetID(bytes: try row.blob(2)), let kind = LibraryEvent.Kind(rawValue: try row.text(1))
            else { preconditionFailure("the schema keeps kinds and identifiers of 16 bytes") }
            let url = AssetURL(id: id.description, fileExtension: try row.text(3))
            return LibraryEvent(generation: try row.integer(0), kind: kind, url: url)
        }
    }
}
