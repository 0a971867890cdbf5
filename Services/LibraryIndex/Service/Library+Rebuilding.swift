private import Hashing
private import Media
package import MessageSchema
private import SQLite

extension Library {
    /// Makes an asset of every original that no row has, as an import of it would.
    ///
    /// Names, captions, albums, owners and marks were in the index alone: the assets are the owner's, and imported. Nothing is
    /// deleted: what is not what its name says, and what nobody can look at any more, is counted and left. Cancellation ends it
    /// after a block of a file; what is done stays done.
    package func rebuild(for owner: Owner) async throws -> RebuildLibrary.Reply {
        var reply = RebuildLibrary.Reply(orphans: 0, restored: 0, damaged: 0, skipped: 0)
        for part in 0...255 {
            let placed = try await store.placed(in: UInt8(part))
            let known = try await database.perform { try ContentTable(connection: $0).known(placed) }
            for digest in placed where !known.contains(digest) {
                try Task.checkCancellation()
                // Somebody may save the same bytes and delete them at this moment.
                let count = await store.hold(digest)
                let result: Result<Outcome?, any Error>
                do {
                    result = .success(try await rebuild(digest, owner))
                } catch {
                    result = .failure(error)
                }
                if await !store.endHold(digest, since: count) { await abandon(digest) }
                switch try result.get() {
                case .restored: reply.restored += 1
                case .damaged: reply.damaged += 1
                case .skipped: reply.skipped += 1
                case nil: continue
                }
                reply.orphans += 1
            }
        }
        return reply
    }

    /// What became of one original; nil when it is gone.
    private enum Outcome {
        case restored, damaged, skipped
    }

    private func rebuild(_ digest: SHA256Digest, _ owner: Owner) async throws -> Outcome? {
        guard let file = try await checker.open(digest) else { return nil }
        let found = try await checker.hash(file)
        guard found.digest == digest, found.bytes > 0 else { return .damaged }
        let report = try await inspect(digest, for: owner) { file }
        guard report.kind != .unknown || report.state == .quarantined else { return .skipped }
        let record = AssetRecord(
            digest: digest,
            bytes: found.bytes,
            report: report,
            filename: "",
            metadata: nil,
            owner: owner,
            origin: .imported,
            added: now(),
            modified: try await checker.modified(file)
        )
        try await insert(record, report)
        return .restored
    }
}
