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
        try connection.run(
            """
            UPDATE assets SET content = ?, kind = ?, uti = ?, filename = ?, filename_key = ?, width = ?, height = ?,
                stored_width = ?, stored_height = ?, orientation = ?, date_raw = ?, date_local = ?,
                date_offset_minutes = ?, date_offset_source = ?, date_utc = ?, sort_local = ?, duration_seconds = ?,
                latitude = ?, longitude = ?, altitude_metres = ?, camera_make = ?, camera_model = ?, state = ?,
                reason = ?, may_hold_place = ?
            WHERE id = ?
            """,
            content,
            record.kind.rawValue,
            record.uti,
            record.filename,
            record.filename.lowercased(),
            record.width,
            record.height,
            record.storedWidth,
            record.storedHeight,
            record.orientation.rawValue,
            record.date?.raw,
            record.date?.local,
            record.date?.offsetMinutes,
            record.date?.offsetSource.rawValue,
            record.date?.utc,
            record.sortLocal,
            record.duration,
            record.location?.latitude,
            record.location?.longitude,
            record.location?.altitude,
            record.cameraMake,
            record.cameraModel,
            record.state.rawValue,
            record.reason,
            record.mayHoldPlace,
            record.row
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
}
