private import Foundation
import Hashing
import Media
package import MessageSchema
import SQLite
import Timekeeping

/// What became of an imported file.
package struct ImportedFile: Hashable, Sendable {
    /// Imported, a duplicate, or skipped.
    package let outcome: ImportAsset.Reply.Outcome
    /// Why it was skipped, or what is wrong with it.
    package let reason: String?
    /// The asset; nil when it was skipped.
    package let record: AssetRecord?
}

extension Library {
    /// Begins to receive a file's bytes.
    ///
    /// - Throws: `LibraryError`: `diskFull`, `writeFailed`.
    package func beginUpload() async throws -> MediaStore.UploadID {
        try await store.beginUpload()
    }

    /// Adds bytes; after an error the upload is gone.
    package func append(_ bytes: [UInt8], to upload: MediaStore.UploadID) async throws {
        try await store.append(bytes, to: upload)
    }

    /// Forgets an upload; harmless when it is over.
    package func cancel(_ upload: MediaStore.UploadID) async {
        await store.cancel(upload)
    }

    /// Makes a new asset of what has arrived, if it can be viewed or played.
    ///
    /// It has committed when this returns.
    ///
    /// `mayReferToAll` is whether `request.original` may be an asset of somebody else; `allowed` runs in the transaction, and
    /// what it throws undoes it.
    /// - Throws: `LibraryError`: `empty`, `unusable`, `otherMediaType`, `otherContent`, `noSuchAsset`, `diskFull`,
    ///   `idempotencyConflict` …; nothing is kept then.
    package func save(
        _ upload: MediaStore.UploadID,
        as request: SaveAsset,
        owner: Owner,
        key: String?,
        mayReferToAll: Bool,
        _ allowed: @escaping @Sendable () throws -> Void = {}
    ) async throws -> AssetRecord {
        let staged = try await store.finish(upload)
        do {
            let metadata = try request.metadata?.checked()
            try check(staged, announced: request.sha256)
            let key =
                try request.effectOf.map { try effectKey($0, owner) }
                ?? idempotencyKey(key, SaveAsset.name, request, staged, owner)
            if let record = try await earlier(key, staged) { return record }
            let report = try await inspect(staged.digest, for: owner) { try await store.open(staged) }
            try check(report, for: request.mediaType)
            var record = AssetRecord(
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
            record.original = request.original
            let arrival = Arrival(
                record: record,
                report: report,
                key: key,
                mayReferToAll: mayReferToAll,
                allowed: allowed
            )
            return try await commit(staged, arrival).record
        } catch {
            await store.discard(staged)
            throw error
        }
    }

    /// Takes what has arrived as it is, with its state and reason; the same bytes of the same owner once only.
    ///
    /// - Throws: `LibraryError`: `diskFull`, `writeFailed`, `noDecoder`, `idempotencyConflict`; nothing is kept then.
    package func importFile(
        _ upload: MediaStore.UploadID,
        as request: ImportAsset,
        owner: Owner,
        key: String?
    ) async throws -> ImportedFile {
        let staged = try await store.finish(upload)
        do {
            guard staged.bytes > 0 else {
                await store.discard(staged)
                return ImportedFile(outcome: .skipped, reason: "it is empty", record: nil)
            }
            let key = try idempotencyKey(key, ImportAsset.name, request, staged, owner)
            if let key, let answered = try await answer(to: key) {
                await store.discard(staged)
                return ImportedFile(outcome: answered.outcome, reason: nil, record: answered.record)
            }
            let report = try await inspect(staged.digest, for: owner) { try await store.open(staged) }
            if report.kind == .unknown, report.state != .quarantined {
                await store.discard(staged)
                return ImportedFile(
                    outcome: .skipped,
                    reason: report.reason ?? "it is neither a picture nor a film",
                    record: nil
                )
            }
            let record = AssetRecord(
                digest: staged.digest,
                bytes: staged.bytes,
                report: report,
                filename: request.filename,
                metadata: nil,
                owner: owner,
                origin: .imported,
                added: now(),
                modified: request.modified.flatMap { Timestamp($0) }
            )
            let arrival = Arrival(record: record, report: report, key: key, mayReferToAll: true, allowed: {})
            let committed = try await commit(staged, arrival)
            return ImportedFile(
                outcome: committed.outcome,
                reason: committed.record.reason,
                record: committed.record
            )
        } catch {
            await store.discard(staged)
            throw error
        }
    }

    /// The asset that a program's request was answered with; nil when it was not answered yet.
    ///
    /// - Throws: `LibraryError`: `idempotencyConflict`, `noSuchAsset` when it is gone, `invalidArgument`.
    package func saved(_ request: RequestKey, owner: Owner) async throws -> AssetRecord? {
        guard let answered = try await answer(to: try effectKey(request, owner)) else { return nil }
        guard let record = answered.record else { throw LibraryError(.noSuchAsset) }
        return record
    }

    // MARK: - Steps

    private struct Arrival: Sendable {
        let record: AssetRecord
        let report: InspectionReport
        let key: IdempotencyKey?
        let mayReferToAll: Bool
        let allowed: @Sendable () throws -> Void
    }

    /// What a request with the same key has got.
    struct Answered: Sendable {
        let outcome: ImportAsset.Reply.Outcome
        /// Nil when it is gone.
        let record: AssetRecord?
    }

    private struct Committed: Sendable {
        let record: AssetRecord
        let outcome: ImportAsset.Reply.Outcome
        let events: [LibraryEvent]
    }

    /// Places the bytes, then commits the rows; either both are there afterwards or neither.
    private func commit(_ staged: MediaStore.Staged, _ arrival: Arrival) async throws -> Committed {
        let committed: Committed
        do {
            try await store.place(staged)
            let now = now()
            committed = try await database.transaction { try Library.insert(arrival, on: $0, at: now) }
        } catch {
            await abandon(staged.digest)
            throw await translated(error, bytes: staged.bytes)
        }
        // The index is asked once more: the row may have been deleted since, or the same request was answered with
        // other bytes while these were looked at.
        await abandon(staged.digest)
        if !committed.events.isEmpty { announce(committed.events) }
        return committed
    }

    /// Gives placed bytes a row, as an import of them, and tells.
    func insert(_ record: AssetRecord, _ report: InspectionReport) async throws {
        let arrival = Arrival(record: record, report: report, key: nil, mayReferToAll: true, allowed: {})
        let now = now()
        do {
            let committed = try await database.transaction { try Library.insert(arrival, on: $0, at: now) }
            if !committed.events.isEmpty { announce(committed.events) }
        } catch {
            throw await translated(error, bytes: 0)
        }
    }

    private static func insert(
        _ arrival: Arrival,
        on connection: Connection,
        at now: Timestamp
    ) throws -> Committed {
        // Before anything else is told, and again below, immediately before the commit.
        try arrival.allowed()
        let assets = AssetTable(connection: connection)
        // The same request may have committed while this one was arriving.
        if let answered = try arrival.key.flatMap({ try Library.answer(to: $0, connection, now) }) {
            guard let record = answered.record else { throw LibraryError(.noSuchAsset) }
            return Committed(record: record, outcome: answered.outcome, events: [])
        }
        var record = arrival.record
        var original: Int64?
        if let url = record.original {
            let found = try AssetID(url.id).flatMap { try assets.find($0) }
            guard let found, arrival.mayReferToAll || found.owner == record.owner else {
                throw LibraryError(.noSuchAsset)
            }
            original = found.row
        }
        let contents = ContentTable(connection: connection)
        let content = try contents.row(for: record.digest, bytes: record.bytes, report: arrival.report)
        var events = content.isHealed ? try Library.tellUpdated(record.digest, connection, now) : []
        if record.origin == .imported, let present = try assets.duplicate(of: record.digest, owner: record.owner) {
            try Library.note(arrival.key, .duplicate, present.row, connection, now)
            return Committed(record: present, outcome: .duplicate, events: events)
        }
        record.row = try assets.insert(record, content: content.row, original: original)
        events.append(
            try ChangeTable(connection: connection).add(.inserted, asset: record.url, id: record.id, at: now)
        )
        try Library.note(arrival.key, .imported, record.row, connection, now)
        try arrival.allowed()
        return Committed(record: record, outcome: .imported, events: events)
    }

    /// Tells of every asset over these bytes: they are lost, damaged or whole again.
    static func tellUpdated(
        _ digest: SHA256Digest,
        _ connection: Connection,
        _ now: Timestamp
    ) throws -> [LibraryEvent] {
        let changes = ChangeTable(connection: connection)
        return try AssetTable(connection: connection).assets(of: digest).map {
            try changes.add(.updated, asset: $0.url, id: $0.id, at: now)
        }
    }

    static func note(
        _ key: IdempotencyKey?,
        _ outcome: ImportAsset.Reply.Outcome,
        _ asset: Int64,
        _ connection: Connection,
        _ now: Timestamp
    ) throws {
        guard let key else { return }
        try AnsweredTable(connection: connection).add(key, outcome: outcome.rawValue, asset: asset, now: now)
    }

    /// Removes a placed file whose row could not commit, unless a row has the same content or may still get one.
    func abandon(_ digest: SHA256Digest) async {
        while let count = await store.beginAbandoning(digest) {
            do {
                if try await database.perform({ try ContentTable(connection: $0).find(digest) != nil }) {
                    return await store.settle(digest)
                }
            } catch {
                return await store.leaveToRepair(digest)
            }
            if await store.abandon(digest, since: count) { return }
        }
    }

    /// What is known about the content, from an earlier asset with the same bytes or from a worker.
    ///
    /// What a worker says is brought into bounds: it has looked at a stranger's file.
    func inspect(
        _ digest: SHA256Digest,
        for owner: Owner,
        opening open: () async throws -> SharedFile
    ) async throws -> InspectionReport {
        let known = try await database.perform { connection in
            try ContentTable(connection: connection).report(of: digest)
                ?? QuarantineTable(connection: connection).reason(for: digest).map { .quarantined($0) }
        }
        if let known { return known }
        let file = try await open()
        switch try await decoders.perform(.inspect(), on: file, for: owner.principal) {
        case .answered(let reply, _):
            return reply.report?.bounded ?? .unplayable(reply.failure)
        case .quarantined(let reason):
            // Kept although nothing else may be: the same bytes cost no worker again, whoever brings them.
            let now = now()
            try await database.transaction { connection in
                try QuarantineTable(connection: connection).add(digest, reason: reason, now: now)
            }
            return .quarantined(reason)
        }
    }

    /// - Throws: `LibraryError`: `otherContent` for bytes that are not those which were announced, `empty`.
    func check(_ staged: MediaStore.Staged, announced: String?) throws {
        if let announced, SHA256Digest(announced) != staged.digest { throw LibraryError(.otherContent) }
        guard staged.bytes > 0 else { throw LibraryError(.empty) }
    }

    /// The asset that an earlier request with this key made, whose bytes need not be kept twice; nil when there was none.
    ///
    /// - Throws: `LibraryError`: `noSuchAsset` when it was deleted since, `idempotencyConflict`.
    func earlier(_ key: IdempotencyKey?, _ staged: MediaStore.Staged) async throws -> AssetRecord? {
        guard let key, let answered = try await answer(to: key) else { return nil }
        await store.discard(staged)
        guard let record = answered.record else { throw LibraryError(.noSuchAsset) }
        return record
    }

    func check(_ report: InspectionReport, for mediaType: MediaType) throws {
        // A program's save is all or nothing: what is cut short is refused, an operator's import keeps it.
        guard report.isUsable, report.state == .ok else { throw LibraryError(.unusable(reason: report.reason)) }
        let expected: AssetKind? =
            switch mediaType {
            case .image: .photo
            case .movie: .video
            default: nil
            }
        guard report.kind == expected else { throw LibraryError(.otherMediaType(found: report.kind)) }
    }

    /// The key as it is stored: bound to the whole request, its bytes included.
    func idempotencyKey(
        _ key: String?,
        _ name: String,
        _ request: some Encodable,
        _ staged: MediaStore.Staged,
        _ owner: Owner
    ) throws -> IdempotencyKey? {
        guard let key else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let hasher = SHA256()
        hasher.update(Array(try encoder.encode(request)))
        hasher.update(staged.digest.bytes)
        return IdempotencyKey(principal: owner.principal, name: name, key: key, request: hasher.finish())
    }

    /// The key of a program's request that a service carried out; apart from those that programs choose for their saves.
    private func effectKey(_ request: RequestKey, _ owner: Owner) throws -> IdempotencyKey {
        guard (1...512).contains(request.key.utf8.count), let hash = SHA256Digest(request.requestHash) else {
            throw LibraryError(.invalidArgument(parameter: "idempotencyKey", rule: "of 1 to 512 bytes, with a SHA-256"))
        }
        return IdempotencyKey(principal: owner.principal, name: FindSaved.name, key: request.key, request: hash)
    }

    func answer(to key: IdempotencyKey) async throws -> Answered? {
        let now = now()
        return try await database.perform { try Library.answer(to: key, $0, now) }
    }

    private static func answer(
        to key: IdempotencyKey,
        _ connection: Connection,
        _ now: Timestamp
    ) throws -> Answered? {
        guard let found = try AnsweredTable(connection: connection).find(key, now: now) else { return nil }
        return Answered(
            outcome: ImportAsset.Reply.Outcome(rawValue: found.outcome) ?? .imported,
            record: try found.asset.flatMap { try AssetTable(connection: connection).find(row: $0) }
        )
    }

    /// Turns a refusal of the database into words of the library.
    func translated(_ error: any Error, bytes: Int64) async -> any Error {
        guard let failure = error as? SQLiteError else { return error }
        switch failure.code {
        case .diskFull: return await store.full(for: bytes)
        case .busy: return LibraryError(.writeBusy)
        case .inputOutput, .readOnly: return LibraryError(.writeFailed(reason: failure.description))
        default: return error
        }
    }
}

extension InspectionReport {
    fileprivate static func unplayable(_ reason: String?) -> InspectionReport {
        InspectionReport(
            kind: .unknown,
            uti: "public.data",
            isUsable: false,
            state: .unplayable,
            reason: reason?.clipped(to: TextBounds.reasonBytes)
        )
    }

    fileprivate static func quarantined(_ reason: String) -> InspectionReport {
        InspectionReport(kind: .unknown, uti: "public.data", isUsable: false, state: .quarantined, reason: reason)
    }
}
