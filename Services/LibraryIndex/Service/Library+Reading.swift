package import Media
package import MessageSchema
private import SQLite

extension Library {
    /// The asset with this URL; nil when there is none.
    ///
    /// The extension is not compared.
    package func asset(_ url: AssetURL) async throws -> AssetRecord? {
        guard let id = AssetID(url.id) else { return nil }
        return try await database.perform { try AssetTable(connection: $0).find(id) }
    }

    /// One page of an enumeration.
    ///
    /// - Throws: `LibraryError`: `noSuchGroup`.
    package func page(
        of enumeration: Enumeration,
        after cursor: Enumeration.Cursor?,
        count: Int
    ) async throws -> AssetPage {
        try await database.perform { connection in
            let group = try Library.group(of: enumeration, connection)
            return try AssetTable(connection: connection).page(enumeration, in: group, after: cursor, count: count)
        }
    }

    /// How many assets an enumeration has, by kind.
    ///
    /// - Throws: `LibraryError`: `noSuchGroup`.
    package func count(_ enumeration: Enumeration) async throws -> CountAssets.Reply {
        try await database.perform { connection in
            let group = try Library.group(of: enumeration, connection)
            let statement = enumeration.countStatement(in: group)
            let counts = try connection.all(statement.text, statement.values) { row in
                (try row.text(0), Int(try row.integer(1)))
            }
            func count(_ kind: AssetKind) -> Int { counts.first { $0.0 == kind.rawValue }?.1 ?? 0 }
            let photos = count(.photo)
            let videos = count(.video)
            return CountAssets.Reply(count: photos + videos + count(.unknown), photos: photos, videos: videos)
        }
    }

    private static func group(of enumeration: Enumeration, _ connection: Connection) throws -> GroupRecord? {
        guard let id = enumeration.group else { return nil }
        guard let group = try GroupTable(connection: connection).find(id) else { throw LibraryError(.noSuchGroup) }
        return group
    }

    /// Opens an asset's original for reading.
    ///
    /// - Throws: `LibraryError`: `contentLost`, which is then also the asset's state; `noSuchAsset` and `writeBusy` where it
    ///   was deleted or replaced since the record was read.
    package func open(_ record: AssetRecord) async throws -> SharedFile {
        guard let file = try await reader.open(record.digest) else {
            guard let present = try await asset(record.url) else { throw LibraryError(.noSuchAsset) }
            guard present.digest == record.digest else { throw LibraryError(.writeBusy) }
            try await note(.missing, record)
            throw LibraryError(.contentLost(state: .missing))
        }
        return file
    }

    /// Reads up to `count` bytes of an original at an offset; fewer only at the end, none past it.
    package func read(_ file: SharedFile, at offset: Int64, upTo count: Int) async throws -> [UInt8] {
        try await reader.read(file, at: offset, upTo: count)
    }

    /// How an asset's bytes were found lost or changed, which is not what a decoder thinks of them; nil for whole ones.
    func knownLoss(of record: AssetRecord) async throws -> AssetState? {
        let digest = record.digest
        let state = try await database.perform { try ContentTable(connection: $0).find(digest)?.state }
        return state == .ok ? nil : state
    }

    /// Records that an asset's bytes are lost or whole again, and tells.
    func note(_ state: AssetState, _ record: AssetRecord) async throws {
        let now = now()
        let digest = record.digest
        let events = try await database.transaction { connection in
            let contents = ContentTable(connection: connection)
            guard let content = try contents.find(digest), content.state != state else { return [LibraryEvent]() }
            try contents.setState(state, of: digest)
            return try Library.tellUpdated(digest, connection, now)
        }
        if !events.isEmpty { announce(events) }
    }
}
