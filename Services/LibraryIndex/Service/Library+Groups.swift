package import Media
package import MessageSchema
private import SQLite

extension Library {
    /// So many groups fit into one answer, whatever their names are.
    static let mostGroups = 1_000

    /// All groups of these types, or all of them, with their counts.
    package func groups(of types: [GroupType]?) async throws -> [Group] {
        try await database.perform { connection in
            let table = GroupTable(connection: connection)
            return try table.all().filter { types?.contains($0.type) ?? true }.map { try Library.message($0, table) }
        }
    }

    /// Which media types there are, in all groups and in Saved Photos.
    package func contents() async throws -> LibraryContents.Reply {
        try await database.perform { connection in
            let table = AssetTable(connection: connection)
            return try LibraryContents.Reply(all: table.mediaTypes(), saved: table.mediaTypes(savedOnly: true))
        }
    }

    /// Makes an album; nil when the name is taken.
    ///
    /// `allowed` runs in the transaction, and what it throws undoes it.
    /// - Throws: `LibraryError`: `invalidArgument` for a name that is empty, too long or has control characters.
    package func createAlbum(
        named name: String,
        _ allowed: @Sendable () throws -> Void = {}
    ) async throws -> Group? {
        guard !name.isEmpty, name.utf8.count <= 255, !name.hasControls else {
            throw LibraryError(
                .invalidArgument(parameter: "album", rule: "of 1 to 255 bytes without control characters")
            )
        }
        let now = now()
        let (group, event) = try await database.transaction { connection -> (Group?, LibraryEvent?) in
            try allowed()
            let table = GroupTable(connection: connection)
            guard try table.count() < Self.mostGroups else {
                throw LibraryError(
                    .invalidArgument(parameter: "album", rule: "one that is there: no further one can be made")
                )
            }
            guard let made = try table.addAlbum(name, now: now) else { return (nil, nil) }
            let event = try ChangeTable(connection: connection).add(.inserted, group: made.id, at: now)
            return (try Library.message(made, table), event)
        }
        if let event { announce([event]) }
        return group
    }

    /// Deletes an album; its assets stay.
    ///
    /// False for a group that is not there, or that always is.
    ///
    /// `allowed` runs in the transaction, and what it throws undoes it.
    package func deleteAlbum(_ url: GroupURL, _ allowed: @Sendable () throws -> Void = {}) async throws -> Bool {
        let now = now()
        let event = try await database.transaction { connection -> LibraryEvent? in
            try allowed()
            let table = GroupTable(connection: connection)
            guard let group = try AssetID(url.id).flatMap({ try table.find($0) }), group.type == .album else {
                return nil
            }
            try table.delete(group)
            return try ChangeTable(connection: connection).add(.deleted, group: group.id, at: now)
        }
        guard let event else { return false }
        announce([event])
        return true
    }

    /// Puts assets into a group or takes them out of it.
    ///
    /// `allowed` runs in the transaction, and what it throws undoes it.
    /// - Returns: how many have another place now; 0 for a group that can not be edited. Unknown assets are named.
    /// - Throws: `LibraryError`: `noSuchGroup`.
    package func change(
        _ change: ChangeAlbum.Change,
        _ url: GroupURL,
        _ urls: [AssetURL],
        _ allowed: @Sendable () throws -> Void = {}
    ) async throws -> ChangeAlbum.Reply {
        let now = now()
        let (reply, event) = try await database.transaction { connection -> (ChangeAlbum.Reply, LibraryEvent?) in
            try allowed()
            let groups = GroupTable(connection: connection)
            guard let group = try AssetID(url.id).flatMap({ try groups.find($0) }) else {
                throw LibraryError(.noSuchGroup)
            }
            guard group.isEditable else { return (ChangeAlbum.Reply(changed: 0, editable: false), nil) }
            let assets = AssetTable(connection: connection)
            var changed = 0
            var unknown: [AssetURL] = []
            for url in urls {
                guard let asset = try AssetID(url.id).flatMap({ try assets.find($0) }), asset.trashed == nil else {
                    unknown.append(url)
                    continue
                }
                let isDone =
                    switch change {
                    case .add: try groups.add(asset, to: group)
                    case .remove: try groups.remove(asset, from: group)
                    }
                if isDone { changed += 1 }
            }
            let event =
                changed == 0
                ? nil : try ChangeTable(connection: connection).add(.updated, group: group.id, at: now)
            return (ChangeAlbum.Reply(changed: changed, unknown: unknown.isEmpty ? nil : unknown), event)
        }
        if let event { announce([event]) }
        return reply
    }

    private static func message(_ record: GroupRecord, _ table: GroupTable) throws -> Group {
        Group(
            url: record.url,
            name: record.name,
            type: record.type,
            count: try table.count(record),
            editable: record.isEditable
        )
    }
}
