import MessageSchema
import SQLite

/// Some assets of an enumeration, and where to go on.
package struct AssetPage: Hashable, Sendable {
    /// The assets.
    package let records: [AssetRecord]
    /// Where the next page begins; nil when this is the last.
    package let next: Enumeration.Cursor?
}

extension AssetTable {
    /// The next `count` assets of an enumeration.
    func page(_ enumeration: Enumeration, in group: GroupRecord?, after cursor: Enumeration.Cursor?, count: Int) throws
        -> AssetPage
    {
        let statement = enumeration.statement(in: group, after: cursor, count: count)
        let rows = try connection.all(statement.text, statement.values) { row in
            (try AssetTable.record(row), try row.integer(35))
        }
        guard rows.count == count, let last = rows.last else { return AssetPage(records: rows.map(\.0), next: nil) }
        let next: Enumeration.Cursor =
            group?.type == .album ? .position(last.1) : .clock(last.0.sortLocal, last.0.row)
        return AssetPage(records: rows.map(\.0), next: next)
    }
}
