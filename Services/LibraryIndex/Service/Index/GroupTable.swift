package import Media
package import MessageSchema
import SQLite
import Timekeeping

/// One row of `groups`.
package struct GroupRecord: Hashable, Sendable {
    var row: Int64
    package let id: AssetID
    package let name: String
    package let type: GroupType

    /// Its name for everybody.
    package var url: GroupURL { GroupURL(id: id.description) }

    /// Whether assets can be put into it: what programs made, and Saved Photos.
    package var isEditable: Bool { type == .album || type == .savedPhotos }
}

/// The rows of `groups` and `memberships`.
///
/// `library` and `savedPhotos` are there from the start and have no memberships: they are a property of the assets.
struct GroupTable {
    let connection: Connection

    /// Makes the two groups that are always there.
    func addBuiltIn(now: Timestamp) throws {
        for (name, type) in [("Library", GroupType.library), ("Saved Photos", .savedPhotos)] {
            try connection.run(
                "INSERT OR IGNORE INTO groups (uuid, name, type, added_us) VALUES (?, ?, ?, ?)",
                AssetID().bytes,
                name,
                type.rawValue,
                now.microseconds
            )
        }
    }

    /// When the library was made.
    func made() throws -> Timestamp {
        let microseconds = try connection.first("SELECT min(added_us) FROM groups") { try $0.optionalInteger(0) } ?? nil
        return Timestamp(microseconds: microseconds ?? 0)
    }

    /// All groups: the built-in ones, then albums by name.
    func all() throws -> [GroupRecord] {
        try connection.all(
            "SELECT id, uuid, name, type FROM groups ORDER BY type = 'album', id * (type <> 'album'), name",
            row: GroupTable.record
        )
    }

    /// How many groups there are, the built-in ones among them.
    func count() throws -> Int {
        Int(try connection.first("SELECT count(*) FROM groups") { try $0.integer(0) } ?? 0)
    }

    /// The group with this identifier; nil when there is none.
    func find(_ id: AssetID) throws -> GroupRecord? {
        try connection.first(
            "SELECT id, uuid, name, type FROM groups WHERE uuid = ?",
            id.bytes,
            row: GroupTable.record
        )
    }

    /// How many assets a group has.
    func count(_ group: GroupRecord) throws -> Int {
        let count =
            switch group.type {
            case .library: try count("SELECT count(*) FROM assets", "true")
            case .savedPhotos: try count("SELECT count(*) FROM assets WHERE is_saved = 1", "is_saved = 1")
            default:
                try connection.first("SELECT count(*) FROM memberships WHERE \"group\" = ?", group.row) {
                    try $0.integer(0)
                }.map { all in
                    let trashed = try connection.first(
                        """
                        SELECT count(*) FROM assets a JOIN memberships m ON m.asset = a.id AND m."group" = ?
                        WHERE a.trashed_us IS NOT NULL
                        """,
                        group.row
                    ) { try $0.integer(0) }
                    return all - (trashed ?? 0)
                }
            }
        return Int(count ?? 0)
    }

    /// All rows less those in the trash, each of which an index counts by itself.
    private func count(_ all: String, _ condition: String) throws -> Int64? {
        let trashed = try connection.first(
            "SELECT count(*) FROM assets WHERE trashed_us IS NOT NULL AND \(condition)"
        ) { try $0.integer(0) }
        return try connection.first(all) { try $0.integer(0) }.map { $0 - (trashed ?? 0) }
    }

    /// The albums in which an asset is.
    func albums(of asset: AssetRecord) throws -> [AssetID] {
        try connection.all(
            "SELECT g.uuid FROM memberships m JOIN groups g ON g.id = m.\"group\" WHERE m.asset = ? ORDER BY g.id",
            asset.row
        ) { row in
            guard let id = AssetID(bytes: try row.blob(0)) else {
                preconditionFailure("the schema keeps identifiers of 16 bytes")
            }
            return id
        }
    }

    /// Deletes an album with its memberships.
    func delete(_ group: GroupRecord) throws {
        try connection.run("DELETE FROM groups WHERE id = ? AND type = 'album'", group.row)
    }

    /// Makes an album; nil when a group has the name, also in another form of the same text (canonical equivalence).
    func addAlbum(_ name: String, now: Timestamp) throws -> GroupRecord? {
        // Swift compares by canonical equivalence, SQLite by bytes; there are few albums.
        guard try !all().contains(where: { $0.name == name }) else { return nil }
        let id = AssetID()
        try connection.run(
            "INSERT INTO groups (uuid, name, type, added_us) VALUES (?, ?, 'album', ?)",
            id.bytes,
            name,
            now.microseconds
        )
        return GroupRecord(row: connection.lastInsertedRow, id: id, name: name, type: .album)
    }

    /// Puts an asset at the end of a group; false when it is in it.
    func add(_ asset: AssetRecord, to group: GroupRecord) throws -> Bool {
        if group.type == .savedPhotos {
            return try connection.run("UPDATE assets SET is_saved = 1 WHERE id = ? AND is_saved = 0", asset.row) > 0
        }
        return try connection.run(
            """
            INSERT INTO memberships ("group", position, asset)
            SELECT ?1, coalesce((SELECT max(position) FROM memberships WHERE "group" = ?1), 0) + 1, ?2
            WHERE NOT EXISTS (SELECT 1 FROM memberships WHERE "group" = ?1 AND asset = ?2)
            """,
            group.row,
            asset.row
        ) > 0
    }

    /// Takes an asset out of a group; false when it is not in it.
    func remove(_ asset: AssetRecord, from group: GroupRecord) throws -> Bool {
        if group.type == .savedPhotos {
            return try connection.run("UPDATE assets SET is_saved = 0 WHERE id = ? AND is_saved = 1", asset.row) > 0
        }
        return try connection.run(
            "DELETE FROM memberships WHERE \"group\" = ? AND asset = ?",
            group.row,
            asset.row
        ) > 0
    }

    private static func record(_ row: borrowing Row) throws -> GroupRecord {
        guard let id = AssetID(bytes: try row.blob(1)), let type = GroupType(rawValue: try row.text(3)) else {
            preconditionFailure("the schema keeps types and identifiers of 16 bytes")
        }
        return GroupRecord(row: try row.integer(0), id: id, name: try row.text(2), type: type)
    }
}
