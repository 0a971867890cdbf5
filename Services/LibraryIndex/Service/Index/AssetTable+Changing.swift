import Hashing
import Media
import SQLite
import Timekeeping

/// Changes of rows that are there.
extension AssetTable {
    /// Marks an asset; false when it was marked so already.
    func mark(_ record: AssetRecord, favourite: Bool?, caption: String?) throws -> Bool {
        let favourite = favourite ?? record.isFavourite
        let caption = caption.map { $0.isEmpty ? nil : $0 } ?? record.caption
        guard favourite != record.isFavourite || caption != record.caption else { return false }
        try connection.run(
            "UPDATE assets SET is_favourite = ?, caption = ? WHERE id = ?",
            favourite,
            caption,
            record.row
        )
        try WordTable(connection: connection).change(record.row, filename: record.filename, caption: caption)
        return true
    }

    /// Puts an asset into the trash, or takes it out of it.
    func setTrashed(_ time: Timestamp?, _ record: AssetRecord) throws {
        try connection.run("UPDATE assets SET trashed_us = ? WHERE id = ?", time?.microseconds, record.row)
    }

    /// Deletes a row, and that of its content where no other asset has it.
    func delete(_ record: AssetRecord) throws {
        try connection.run("DELETE FROM assets WHERE id = ?", record.row)
        try WordTable(connection: connection).remove(record.row)
        try removeContentIfUnused(record.digest)
    }

    /// Deletes the row of a content that no asset has.
    func removeContentIfUnused(_ digest: SHA256Digest) throws {
        try connection.run(
            """
            DELETE FROM contents WHERE sha256 = ?
            AND NOT EXISTS (SELECT 1 FROM assets WHERE assets.content = contents.id)
            """,
            digest.bytes
        )
    }

    /// Gives a row what the record says about its content.
    func setContent(_ record: AssetRecord, content: Int64) throws {
        let columns = Self.fileColumns(of: record, content: content)
        let changes = columns.map { "\($0.key) = ?" }.joined(separator: ", ")
        try connection.run(
            "UPDATE assets SET \(changes) WHERE id = ?",
            columns.map(\.value.sqlValue) + [record.row.sqlValue]
        )
        try WordTable(connection: connection).change(record.row, filename: record.filename, caption: record.caption)
    }

    /// Assets that were put into the trash at this time or before, the first ones, at most `count`.
    func trashed(upTo time: Timestamp, count: Int) throws -> [AssetRecord] {
        try connection.all(
            """
            SELECT \(AssetTable.columns) FROM \(AssetTable.source)
            WHERE a.trashed_us IS NOT NULL AND a.trashed_us <= ? ORDER BY a.trashed_us, a.id LIMIT ?
            """,
            time.microseconds,
            count,
            row: AssetTable.record
        )
    }

    /// The columns of what an asset's file says, which change with the file.
    static func fileColumns(
        of record: AssetRecord,
        content: Int64
    ) -> KeyValuePairs<String, any SQLBindable> {
        [
            "content": content,
            "kind": record.kind.rawValue,
            "uti": record.uti,
            "filename": record.filename,
            "filename_key": record.filename.lowercased(),
            "width": record.width,
            "height": record.height,
            "stored_width": record.storedWidth,
            "stored_height": record.storedHeight,
            "orientation": record.orientation.rawValue,
            "date_raw": record.date?.raw,
            "date_local": record.date?.local,
            "date_offset_minutes": record.date?.offsetMinutes,
            "date_offset_source": record.date?.offsetSource.rawValue,
            "date_utc": record.date?.utc,
            "sort_local": record.sortLocal,
            "duration_seconds": record.duration,
            "latitude": record.location?.latitude,
            "longitude": record.location?.longitude,
            "altitude_metres": record.location?.altitude,
            "camera_make": record.cameraMake,
            "camera_model": record.cameraModel,
            "state": record.state.rawValue,
            "reason": record.reason,
            "may_hold_place": record.mayHoldPlace,
        ]
    }
}
