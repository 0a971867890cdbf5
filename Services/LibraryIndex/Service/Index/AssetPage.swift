import Media
import MessageSchema
import SQLite

/// Some assets of an enumeration, and where to go on.
package struct AssetPage: Hashable, Sendable {
    /// The assets.
    package let records: [AssetRecord]
    /// Where the next page begins; nil when this is the last.
    package let next: Enumeration.Cursor?
    /// Where to go on after each of the assets.
    private let cursors: [Enumeration.Cursor]

    init(records: [AssetRecord], cursors: [Enumeration.Cursor], isLast: Bool) {
        self.records = records
        self.cursors = cursors
        next = isLast ? nil : cursors.last
    }

    /// As many of the assets, from the first, as are at most so many bytes of JSON; the first one in any case.
    package func prefix(fitting bytes: Int) -> AssetPage {
        var rest = bytes
        let fitting = records.prefix { record in
            rest -= record.encodedByteCount
            return rest >= 0
        }
        let count = max(1, fitting.count)
        guard count < records.count else { return self }
        return AssetPage(records: Array(records.prefix(count)), cursors: Array(cursors.prefix(count)), isLast: false)
    }
}

extension AssetRecord {
    /// Bytes of JSON that its message has at most: its texts as they are written, and what is left is shorter than this.
    package var encodedByteCount: Int {
        let texts = [date?.raw, date?.local, date?.utc, cameraMake, cameraModel, reason, caption]
        let once = texts.reduce(0) { $0 + Self.encodedByteCount(of: $1 ?? "") }
        // The name and the type stand in the representation, too.
        return 1700 + once + 2 * (Self.encodedByteCount(of: filename) + Self.encodedByteCount(of: uti))
    }

    private static func encodedByteCount(of text: String) -> Int {
        text.utf8.reduce(2) { sum, byte in
            sum + (byte < 0x20 ? 6 : byte == 0x22 || byte == 0x2F || byte == 0x5C ? 2 : 1)
        }
    }
}

extension AssetTable {
    /// The next `count` assets of an enumeration.
    func page(_ enumeration: Enumeration, in group: GroupRecord?, after cursor: Enumeration.Cursor?, count: Int) throws
        -> AssetPage
    {
        let statement = enumeration.statement(in: group, after: cursor, count: count)
        let rows = try connection.all(statement.text, statement.values) { row in
            (try AssetTable.record(row), try row.integer(AssetTable.columnCount))
        }
        let cursors = rows.map { record, position -> Enumeration.Cursor in
            group?.type == .album ? .position(position) : .clock(record.sortLocal, record.row)
        }
        return AssetPage(records: rows.map(\.0), cursors: cursors, isLast: rows.count < count)
    }
}
