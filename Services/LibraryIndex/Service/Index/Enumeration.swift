import Media
package import MessageSchema
import SQLite
private import Timekeeping

/// A query understood: which assets, in which order.
///
/// A value; it touches no database.
package struct Enumeration: Hashable, Sendable {
    /// Where the last page ended.
    package enum Cursor: Hashable, Sendable {
        /// In the order of wall clocks: the last one's clock and row.
        case clock(String, Int64)
        /// In the order of an album: the last one's position.
        case position(Int64)
    }

    let group: AssetID?
    let kind: AssetKind?
    let since: String?
    let until: String?
    let filter: String?
    let isReversed: Bool
    /// What FTS5 is asked for.
    let words: String?
    /// Whether a text is asked for that has no words, which nothing has.
    let isWordless: Bool
    let camera: String?
    let area: MapArea?
    let isFavourite: Bool
    /// Whether the trash is meant, in place of everything else.
    package let isTrash: Bool
    /// How many assets are left out before the first.
    let offset: Int
    /// How many assets at most; nil for all.
    package let limit: Int?

    /// Understands a query.
    ///
    /// - Throws: `LibraryError`: `invalidArgument` for a time that is none.
    package init(_ query: AssetQuery) throws {
        group = query.group.flatMap { AssetID($0.id) }
        kind = query.kind
        since = try query.since.map { try Enumeration.wallClock($0, "since").text }
        until = try query.until.map { text in
            let clock = try Enumeration.wallClock(text, "until")
            // "~" is after every character of a time: a day is meant with all its hours, a second with its fractions.
            return clock.text + "~"
        }
        filter = query.filter.flatMap { $0.isEmpty ? nil : $0.lowercased() }
        isReversed = query.reverse ?? false
        limit = query.limit
        offset = query.offset ?? 0
        let text = query.text.flatMap { $0.isEmpty ? nil : $0 }
        words = text.flatMap { Enumeration.words($0) }
        isWordless = text != nil && words == nil
        camera = query.camera.flatMap { $0.isEmpty ? nil : $0.lowercased() }
        area = query.area
        isFavourite = query.favourite ?? false
        isTrash = query.trashed ?? false
    }

    /// The statement that counts a group's assets, by kind.
    func countStatement(in group: GroupRecord?) -> (text: String, values: [SQLValue]) {
        let (conditions, values) = self.conditions(in: group)
        let membership = group?.type == .album ? " JOIN memberships m ON m.asset = a.id" : ""
        let filtered = conditions.joined(separator: " AND ")
        return ("SELECT a.kind, count(*) FROM assets a\(membership) WHERE \(filtered) GROUP BY a.kind", values)
    }

    /// The statement for one page of a group's assets.
    func statement(in group: GroupRecord?, after cursor: Cursor?, count: Int) -> (text: String, values: [SQLValue]) {
        let isAlbum = group?.type == .album
        let comparison = isReversed ? "<" : ">"
        let direction = isReversed ? " DESC" : ""
        var (conditions, values) = self.conditions(in: group)
        switch cursor {
        case .clock(let clock, let row):
            conditions.append("(a.sort_local, a.id) \(comparison) (?, ?)")
            values += [.text(clock), .integer(row)]
        case .position(let position):
            conditions.append("m.position \(comparison) ?")
            values.append(.integer(position))
        case nil: break
        }
        let membership = isAlbum ? " JOIN memberships m ON m.asset = a.id" : ""
        let filtered = conditions.joined(separator: " AND ")
        let order = isAlbum ? "m.position\(direction)" : "a.sort_local\(direction), a.id\(direction)"
        let position = isAlbum ? "m.position" : "a.id"
        let text = """
            SELECT \(AssetTable.columns), \(position) FROM \(AssetTable.source)\(membership) WHERE \(filtered) \
            ORDER BY \(order) LIMIT ? OFFSET ?
            """
        // Only the first page is preceded by what is left out.
        return (text, values + [.integer(Int64(count)), .integer(Int64(cursor == nil ? offset : 0))])
    }

    /// What an asset has to be like, over `assets a` and, for an album, `memberships m`.
    private func conditions(in group: GroupRecord?) -> (texts: [String], values: [SQLValue]) {
        var conditions = [isTrash ? "a.trashed_us IS NOT NULL" : "a.trashed_us IS NULL"]
        var values: [SQLValue] = []
        if isWordless { conditions.append("0") }
        if isFavourite { conditions.append("a.is_favourite = 1") }
        if let group, group.type == .album {
            conditions.append("m.\"group\" = ?")
            values.append(.integer(group.row))
        }
        if group?.type == .savedPhotos { conditions.append("a.is_saved = 1") }
        if let kind {
            conditions.append("a.kind = ?")
            values.append(.text(kind.rawValue))
        }
        if let since {
            conditions.append("a.sort_local >= ?")
            values.append(.text(since))
        }
        if let until {
            conditions.append("a.sort_local < ?")
            values.append(.text(until))
        }
        if let filter {
            conditions.append("instr(a.filename_key, ?) > 0")
            values.append(.text(filter))
        }
        if let words {
            conditions.append("a.id IN (SELECT rowid FROM words WHERE words MATCH ?)")
            values.append(.text(words))
        }
        if let camera {
            conditions.append("instr(lower(coalesce(a.camera_make, '') || ' ' || coalesce(a.camera_model, '')), ?) > 0")
            values.append(.text(camera))
        }
        if let area {
            let isAcross = area.west > area.east
            let meridians = isAcross ? "(a.longitude >= ? OR a.longitude <= ?)" : "a.longitude BETWEEN ? AND ?"
            conditions.append("a.latitude BETWEEN ? AND ? AND \(meridians)")
            values += [.real(area.south), .real(area.north), .real(area.west), .real(area.east)]
        }
        return (conditions, values)
    }

    /// Each word as the beginning of one (sqlite.org/fts5.html, section 3.3): nothing in it is an operator; nil without words.
    private static func words(_ text: String) -> String? {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        return words.isEmpty ? nil : words.map { "\"\($0)\"*" }.joined(separator: " ")
    }

    /// The wall clock of RFC 3339 text or of a date alone; an offset is not converted, as wall clocks are compared.
    private static func wallClock(_ text: String, _ name: String) throws -> (text: String, isDay: Bool) {
        let wrong = LibraryError(.invalidArgument(parameter: "query." + name, rule: "a date or an RFC 3339 time"))
        guard text.utf8.allSatisfy({ $0 < 0x80 }), text.utf8.count >= 10, text.utf8.count <= 64 else { throw wrong }
        if text.utf8.count == 10 {
            guard Timestamp("\(text)T00:00:00Z") != nil else { throw wrong }
            return (text, true)
        }
        let clock = String(text.prefix(19))
        let hasOffset = Timestamp(text) != nil
        guard hasOffset || Timestamp("\(text)Z") != nil else { throw wrong }
        let rest = text.dropFirst(19)
        let fraction = rest.first == "." ? "." + rest.dropFirst().prefix { $0.isNumber } : ""
        return (String(clock.prefix(10)) + "T" + clock.dropFirst(11) + fraction, false)
    }
}
