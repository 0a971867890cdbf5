import Hashing
import Media
import SQLite
import Timekeeping

/// The rows of `assets`.
struct AssetTable {
    let connection: Connection

    /// The columns that `record(_:)` reads, over `assets a JOIN contents c`.
    static let columns = """
        a.id, a.uuid, c.sha256, c.bytes, a.owner, a.owner_label, a.origin, a.is_saved, a.kind, a.uti, a.extension, \
        a.filename, a.stored_width, a.stored_height, a.orientation, a.date_raw, a.date_local, a.date_offset_minutes, \
        a.date_offset_source, a.date_utc, a.sort_local, a.duration_seconds, a.latitude, a.longitude, \
        a.altitude_metres, a.camera_make, a.camera_model, a.state, a.reason, a.added_us, a.modified_us, c.state, \
        (SELECT o.uuid FROM assets o WHERE o.id = a.original), (SELECT o.extension FROM assets o WHERE o.id = a.original), \
        a.may_hold_place, a.is_favourite, a.caption, a.trashed_us
        """
    /// How many columns these are.
    static let columnCount = 38
    static let source = "assets a JOIN contents c ON c.id = a.content"

    /// The media types of all assets, or of those in Saved Photos.
    func mediaTypes(savedOnly: Bool = false) throws -> [MediaType] {
        try [(MediaType.image, "photo"), (.movie, "video")].filter { _, kind in
            let condition =
                savedOnly ? "kind = ? AND is_saved = 1 AND trashed_us IS NULL" : "kind = ? AND trashed_us IS NULL"
            let found = try connection.first("SELECT EXISTS (SELECT 1 FROM assets WHERE \(condition))", kind) {
                try $0.integer(0)
            }
            return found == 1
        }
        .map(\.0)
    }

    /// Inserts a row over a content that is there.
    ///
    /// - Returns: the row.
    func insert(_ record: AssetRecord, content: Int64, original: Int64?) throws -> Int64 {
        let own: KeyValuePairs<String, any SQLBindable> = [
            "uuid": record.id.bytes,
            "owner": record.owner,
            "owner_label": record.ownerLabel,
            "origin": record.origin.rawValue,
            "is_saved": record.isSaved,
            "extension": record.fileExtension,
            "original": original,
            "added_us": record.added.microseconds,
            "modified_us": record.modified?.microseconds,
        ]
        let columns = Array(own) + Array(Self.fileColumns(of: record, content: content))
        let names = columns.map(\.key).joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        try connection.run("INSERT INTO assets (\(names)) VALUES (\(places))", columns.map(\.value.sqlValue))
        let row = connection.lastInsertedRow
        try WordTable(connection: connection).add(row, filename: record.filename, caption: record.caption)
        return row
    }

    /// The asset with this identifier; nil when there is none.
    func find(_ id: AssetID) throws -> AssetRecord? {
        try connection.first(
            "SELECT \(AssetTable.columns) FROM \(AssetTable.source) WHERE a.uuid = ?",
            id.bytes,
            row: AssetTable.record
        )
    }

    /// The asset in this row; nil when there is none.
    func find(row: Int64) throws -> AssetRecord? {
        try connection.first(
            "SELECT \(AssetTable.columns) FROM \(AssetTable.source) WHERE a.id = ?",
            row,
            row: AssetTable.record
        )
    }

    /// An asset of this owner with this content that is not in the trash; nil when there is none.
    func duplicate(of digest: SHA256Digest, owner: String) throws -> AssetRecord? {
        try connection.first(
            """
            SELECT \(AssetTable.columns) FROM \(AssetTable.source)
            WHERE c.sha256 = ? AND a.owner = ? AND a.trashed_us IS NULL ORDER BY a.id LIMIT 1
            """,
            digest.bytes,
            owner,
            row: AssetTable.record
        )
    }

    /// The assets over one content.
    func assets(of digest: SHA256Digest) throws -> [AssetRecord] {
        try connection.all(
            "SELECT \(AssetTable.columns) FROM \(AssetTable.source) WHERE c.sha256 = ? ORDER BY a.id",
            digest.bytes,
            row: AssetTable.record
        )
    }

    static func record(_ row: borrowing Row) throws -> AssetRecord {
        let contentState = try row.text(31)
        let lost = AssetState(rawValue: contentState).flatMap { $0 == .ok ? nil : $0 }
        let location = try row.optionalReal(22).flatMap { latitude in
            try row.optionalReal(23).flatMap { longitude in
                Location(latitude: latitude, longitude: longitude, altitude: try row.optionalReal(24))
            }
        }
        var record = AssetRecord(
            row: try row.integer(0),
            id: try id(row.blob(1)),
            digest: try digest(row.blob(2)),
            bytes: try row.integer(3),
            owner: try row.text(4),
            ownerLabel: try row.optionalText(5),
            origin: AssetRecord.Origin(rawValue: try row.text(6)) ?? .imported,
            isSaved: try row.boolean(7),
            kind: AssetKind(rawValue: try row.text(8)) ?? .unknown,
            uti: try row.text(9),
            fileExtension: try row.text(10),
            filename: try row.text(11),
            storedWidth: Int(try row.integer(12)),
            storedHeight: Int(try row.integer(13)),
            orientation: Orientation(rawValue: Int(try row.integer(14))) ?? .up,
            date: try date(row),
            sortLocal: try row.text(20),
            duration: try row.optionalReal(21),
            location: location,
            mayHoldPlace: try row.boolean(34),
            cameraMake: try row.optionalText(25),
            cameraModel: try row.optionalText(26),
            state: AssetState(rawValue: try row.text(27)) ?? .ok,
            reason: try row.optionalText(28),
            original: nil,
            added: Timestamp(microseconds: try row.integer(29)),
            modified: try row.optionalInteger(30).map(Timestamp.init(microseconds:)),
            isFavourite: try row.boolean(35),
            caption: try row.optionalText(36),
            trashed: try row.optionalInteger(37).map(Timestamp.init(microseconds:))
        )
        if let lost {
            record.state = lost
            record.reason = lost == .missing ? "the media store has lost its bytes" : "its bytes are not what they were"
        }
        if let original = try row.optionalBlob(32) {
            record.original = AssetURL(id: try id(original).description, fileExtension: try row.text(33))
        }
        return record
    }

    private static func date(_ row: borrowing Row) throws -> AssetDate? {
        guard let raw = try row.optionalText(15) else { return nil }
        return AssetDate(
            raw: raw,
            local: try row.optionalText(16),
            offsetMinutes: try row.optionalInteger(17).map { Int($0) },
            offsetSource: AssetDate.OffsetSource(rawValue: try row.text(18)) ?? .unknown,
            utc: try row.optionalText(19)
        )
    }

    private static func id(_ bytes: [UInt8]) throws -> AssetID {
        guard let id = AssetID(bytes: bytes) else { preconditionFailure("the schema keeps identifiers of 16 bytes") }
        return id
    }

    private static func digest(_ bytes: [UInt8]) throws -> SHA256Digest {
        guard let digest = SHA256Digest(bytes: bytes) else {
            preconditionFailure("the schema keeps hashes of 32 bytes")
        }
        return digest
    }
}
