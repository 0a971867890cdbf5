import Hashing
package import Media
package import MessageSchema
import SQLite
private import Timekeeping

extension Library {
    /// So long an asset stays in the trash.
    package static let trashKeeping = Duration.seconds(30 * 24 * 3600)
    /// A clock that has gone on further since the trash was looked at, or back, may have been set.
    private static let longestPause = Duration.seconds(24 * 3600)

    /// Of these assets, those that the library has, in the trash or not.
    package func assets(_ urls: [AssetURL]) async throws -> [AssetRecord] {
        try await database.perform { connection in
            let table = AssetTable(connection: connection)
            return try urls.compactMap { try AssetID($0.id).flatMap { try table.find($0) } }
        }
    }

    /// Marks assets as favourites or not, or gives them a caption; those in the trash are unknown.
    ///
    /// `allowed` runs in the transaction, and what it throws undoes it.
    /// - Throws: `LibraryError`: `invalidArgument` for a caption with control characters.
    package func mark(
        _ urls: [AssetURL],
        favourite: Bool?,
        caption: String?,
        _ allowed: @escaping @Sendable () throws -> Void = {}
    ) async throws -> ChangedAssets {
        if let caption, caption.unicodeScalars.contains(where: { $0.isControl && $0 != "\n" }) {
            throw LibraryError(.invalidArgument(parameter: "caption", rule: "without control characters"))
        }
        return try await change(urls, allowed) { record, assets in
            guard record.trashed == nil else { return .unknown }
            return try assets.mark(record, favourite: favourite, caption: caption) ? .changed(.updated) : .same
        }
    }

    /// Puts assets into the trash: they are found nowhere else then, but keep their place in albums.
    ///
    /// `allowed` runs in the transaction, and what it throws undoes it.
    package func trash(
        _ urls: [AssetURL],
        _ allowed: @escaping @Sendable () throws -> Void = {}
    ) async throws -> ChangedAssets {
        let now = now()
        var reply = try await change(urls, allowed) { record, assets in
            guard record.trashed == nil else { return .same }
            try assets.setTrashed(now, record)
            return .changed(.deleted)
        }
        if reply.changed > 0 { reply.expires = (now + Library.trashKeeping).description }
        return reply
    }

    /// Takes assets out of the trash, to where they were.
    ///
    /// `allowed` runs in the transaction, and what it throws undoes it.
    package func restore(
        _ urls: [AssetURL],
        _ allowed: @escaping @Sendable () throws -> Void = {}
    ) async throws -> ChangedAssets {
        try await change(urls, allowed) { record, assets in
            guard record.trashed != nil else { return .same }
            try assets.setTrashed(nil, record)
            return .changed(.inserted)
        }
    }

    /// Deletes assets for good, and the bytes that no other asset has.
    ///
    /// `allowed` runs in the transaction, and what it throws undoes it.
    package func delete(
        _ urls: [AssetURL],
        _ allowed: @escaping @Sendable () throws -> Void = {}
    ) async throws -> ChangedAssets {
        while true {
            let digests = Set(try await assets(urls).map(\.digest))
            do {
                return try await removing(digests) {
                    try await change(urls, allowed) { record, assets in
                        guard digests.contains(record.digest) else { throw ContentMoved(digest: record.digest) }
                        try assets.delete(record)
                        // Who follows the changes was told when it went into the trash.
                        return record.trashed == nil ? .changed(.deleted) : .changed(nil)
                    }
                }
            } catch is ContentMoved {
                // Replaced meanwhile, which somebody has to go on doing to keep this from ending.
                continue
            }
        }
    }

    /// Deletes for good what has been in the trash for longer than it is kept, and forgets old changes.
    ///
    /// Nothing is deleted when the clock has jumped since the last time, or there was none: a machine without a clock of
    /// its own starts anywhere, and is set right soon. Cancellation ends it between two assets.
    /// - Returns: How many assets were deleted.
    @discardableResult
    package func sweep() async throws -> Int {
        let now = now()
        let isSteady = try await database.transaction { connection in
            try ChangeTable(connection: connection).forgetOld(now: now)
            return try Library.noteSweep(now, connection)
        }
        var count = 0
        while isSteady, !Task.isCancelled {
            let expired = try await database.perform { connection in
                try AssetTable(connection: connection).trashed(upTo: now - Library.trashKeeping, count: 100)
            }
            guard !expired.isEmpty else { break }
            count += try await removing(Set(expired.map(\.digest))) {
                try await database.transaction { connection in
                    let assets = AssetTable(connection: connection)
                    // One that was restored or has got other bytes meanwhile stays, the latter until the next time.
                    let still = try expired.filter { record in
                        let present = try assets.find(row: record.row)
                        return present?.trashed == record.trashed && present?.digest == record.digest
                    }
                    for record in still { try assets.delete(record) }
                    return still.count
                }
            }
        }
        return count
    }

    /// Notes when the trash was looked at; nothing is written while it is empty.
    ///
    /// - Returns: Whether the clock has gone on since the last time as clocks do.
    private static func noteSweep(_ now: Timestamp, _ connection: Connection) throws -> Bool {
        let holdsAny = try connection.first("SELECT EXISTS (SELECT 1 FROM assets WHERE trashed_us IS NOT NULL)") {
            try $0.integer(0) == 1
        }
        guard holdsAny == true else { return true }
        let last = try connection.first("SELECT value FROM facts WHERE name = 'swept_us'") { try $0.text(0) }
        try connection.run(
            """
            INSERT INTO facts (name, value) VALUES ('swept_us', ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """,
            now.microseconds.description
        )
        guard let last = last.flatMap({ Int64($0) }) else { return false }
        let pause = now - Timestamp(microseconds: last)
        return pause >= .zero && pause <= longestPause
    }

    // MARK: - Steps

    /// What became of one asset.
    private enum Outcome {
        case same
        case unknown
        /// With what is told about it, if anything is.
        case changed(LibraryEvent.Kind?)
    }

    private func change(
        _ urls: [AssetURL],
        _ allowed: @escaping @Sendable () throws -> Void,
        _ body: @escaping @Sendable (AssetRecord, AssetTable) throws -> Outcome
    ) async throws -> ChangedAssets {
        let now = now()
        let (reply, events) = try await database.transaction { connection -> (ChangedAssets, [LibraryEvent]) in
            try allowed()
            let assets = AssetTable(connection: connection)
            let groups = GroupTable(connection: connection)
            let changes = ChangeTable(connection: connection)
            var events: [LibraryEvent] = []
            var albums: [AssetID] = []
            var changed = 0
            var unknown: [AssetURL] = []
            for url in urls {
                guard let record = try AssetID(url.id).flatMap({ try assets.find($0) }) else {
                    unknown.append(url)
                    continue
                }
                let memberships = try groups.albums(of: record)
                switch try body(record, assets) {
                case .same: break
                case .unknown: unknown.append(url)
                case .changed(let kind):
                    changed += 1
                    guard let kind else { continue }
                    events.append(try changes.add(kind, asset: record.url, id: record.id, at: now))
                    if kind != .updated { albums += memberships.filter { !albums.contains($0) } }
                }
            }
            for album in albums { events.append(try changes.add(.updated, group: album, at: now)) }
            try allowed()
            return (ChangedAssets(changed: changed, unknown: unknown.isEmpty ? nil : unknown), events)
        }
        if !events.isEmpty { announce(events) }
        return reply
    }

    /// Runs what may delete the last rows of some contents; then the files go that have no row any more.
    func removing<Result: Sendable>(
        _ digests: Set<SHA256Digest>,
        _ body: () async throws -> Result
    ) async throws -> Result {
        for digest in digests { await store.beginRemoving(digest) }
        do {
            let result = try await body()
            for digest in digests { await abandon(digest) }
            return result
        } catch {
            for digest in digests { await abandon(digest) }
            throw await translated(error, bytes: 0)
        }
    }
}
