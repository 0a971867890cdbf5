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
            var group: GroupRecord?
            if let id = enumeration.group {
                group = try GroupTable(connection: connection).find(id)
                guard group != nil else { throw LibraryError(.noSuchGroup) }
            }
            return try AssetTable(connection: connection).page(enumeration, in: group, after: cursor, count: count)
        }
    }

    /// Opens an asset's original for reading.
    ///
    /// - Throws: `LibraryError`: `contentLost`, which is then also the asset's state.
    package func open(_ record: AssetRecord) async throws -> SharedFile {
        guard let file = try await reader.open(record.digest) else {
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

extension Library {
    /// The number of the last change; 0 before the first.
    package func generation() async throws -> Int64 {
        try await database.perform { try ChangeTable(connection: $0).generation() }
    }

    /// The changes of assets after a number, at most `count`, in order.
    package func events(after generation: Int64, count: Int) async throws -> [LibraryEvent] {
        try await database.perform { try ChangeTable(connection: $0).events(after: generation, count: count) }
    }
}
