import Hashing
package import Media
package import MessageSchema
private import SQLite
private import Timekeeping

extension Library {
    /// Gives an asset other bytes, if they can be viewed or played; its URL stays.
    ///
    /// Only its owner may, and only what was saved here can be replaced. It has committed when this returns. `allowed` runs
    /// in the transaction, and what it throws undoes it.
    /// - Throws: `LibraryError`: `notEditable`, `empty`, `unusable`, `otherMediaType`, `otherContent`, `diskFull`,
    ///   `idempotencyConflict` …; nothing has changed then.
    package func replace(
        _ upload: MediaStore.UploadID,
        as request: ReplaceAsset,
        owner: Owner,
        key: String?,
        _ allowed: @escaping @Sendable () throws -> Void = {}
    ) async throws -> AssetRecord {
        let staged = try await store.finish(upload)
        do {
            let metadata = try request.metadata?.checked()
            try check(staged, announced: request.sha256)
            let key = try idempotencyKey(key, ReplaceAsset.name, request, staged, owner)
            if let record = try await earlier(key, staged) { return record }
            guard let old = try await asset(request.url), Library.mayReplace(old, owner) else {
                throw LibraryError(.notEditable)
            }
            let report = try await inspect(staged.digest, for: owner) { try await store.open(staged) }
            try check(report, for: request.mediaType)
            guard report.kind == old.kind else { throw LibraryError(.otherMediaType(found: report.kind)) }
            let new = AssetRecord(
                digest: staged.digest,
                bytes: staged.bytes,
                report: report,
                filename: request.filename,
                metadata: metadata,
                owner: owner,
                origin: .saved,
                added: now(),
                modified: nil
            )
            return try await exchange(old, for: new, staged, report, key, allowed)
        } catch {
            await store.discard(staged)
            throw error
        }
    }

    /// What a decoder says about bytes; nothing is kept of them.
    ///
    /// `owner` is who asks.
    /// - Throws: `LibraryError`: `noDecoder`, `diskFull`.
    package func check(_ upload: MediaStore.UploadID, for owner: Owner) async throws -> InspectionReport {
        let staged = try await store.finish(upload)
        do {
            guard staged.bytes > 0 else { throw LibraryError(.empty) }
            let report = try await inspect(staged.digest, for: owner) { try await store.open(staged) }
            await store.discard(staged)
            return report
        } catch {
            await store.discard(staged)
            throw error
        }
    }

    private static func mayReplace(_ record: AssetRecord, _ owner: Owner) -> Bool {
        record.origin == .saved && record.owner == owner.principal && record.trashed == nil
    }

    /// Places the new bytes, then commits the row; the old ones go afterwards, where no other asset has them.
    private func exchange(
        _ old: AssetRecord,
        for new: AssetRecord,
        _ staged: MediaStore.Staged,
        _ report: InspectionReport,
        _ key: IdempotencyKey?,
        _ allowed: @escaping @Sendable () throws -> Void
    ) async throws -> AssetRecord {
        let exchange = Exchange(
            id: old.id,
            owner: Owner(principal: old.owner, label: old.ownerLabel),
            new: new,
            report: report,
            key: key,
            allowed: allowed
        )
        return try await removing([old.digest, new.digest]) {
            do {
                try await store.place(staged)
            } catch {
                await abandon(staged.digest)
                throw error
            }
            // `removing` has begun for both, and answers for the placed file from here.
            await store.settle(staged.digest)
            return try await commit(exchange, announced: [old.digest, new.digest])
        }
    }

    /// Which asset gets what.
    private struct Exchange: Sendable {
        let id: AssetID
        let owner: Owner
        let new: AssetRecord
        let report: InspectionReport
        let key: IdempotencyKey?
        let allowed: @Sendable () throws -> Void
    }

    /// Commits the row; bytes by which somebody has replaced the old ones meanwhile go, too, announced to the store first.
    private func commit(_ exchange: Exchange, announced: Set<SHA256Digest>) async throws -> AssetRecord {
        let now = now()
        do {
            let (record, events) = try await database.transaction {
                try Library.take(exchange, announced: announced, on: $0, at: now)
            }
            if !events.isEmpty { announce(events) }
            return record
        } catch let moved as ContentMoved {
            return try await removing([moved.digest]) {
                try await commit(exchange, announced: announced.union([moved.digest]))
            }
        }
    }

    private static func take(
        _ exchange: Exchange,
        announced: Set<SHA256Digest>,
        on connection: Connection,
        at now: Timestamp
    ) throws -> (AssetRecord, [LibraryEvent]) {
        try exchange.allowed()
        let new = exchange.new
        let assets = AssetTable(connection: connection)
        guard let present = try assets.find(exchange.id), Library.mayReplace(present, exchange.owner) else {
            throw LibraryError(.notEditable)
        }
        guard announced.contains(present.digest) else { throw ContentMoved(digest: present.digest) }
        var record = present.replaced(by: new)
        record.row = present.row
        let content = try ContentTable(connection: connection)
            .row(for: new.digest, bytes: new.bytes, report: exchange.report)
        try assets.setContent(record, content: content.row)
        try assets.removeContentIfUnused(present.digest)
        var events = content.isHealed ? try Library.tellUpdated(new.digest, connection, now) : []
        if !content.isHealed {
            events.append(
                try ChangeTable(connection: connection).add(.updated, asset: record.url, id: record.id, at: now)
            )
        }
        try Library.note(exchange.key, .imported, record.row, connection, now)
        try exchange.allowed()
        return (record, events)
    }
}

/// An asset has other bytes than those that were announced to the store to go: nothing has happened.
struct ContentMoved: Error {
    /// The bytes that it has.
    let digest: SHA256Digest
}
