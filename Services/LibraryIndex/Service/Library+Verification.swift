private import Hashing
private import Media
package import MessageSchema
private import SQLite

extension Library {
    /// Damaged assets that an answer names at most.
    private static let mostNamed = 4000

    /// Reads and hashes every content, and looks for files that no row has.
    ///
    /// Damage and loss become states of the assets; content that is whole again is told as repaired. Orphans are counted and
    /// left alone. Cancellation ends it after a block of a file.
    package func verify() async throws -> VerifyLibrary.Reply {
        var reply = VerifyLibrary.Reply(checked: 0, damaged: [], missing: 0, orphans: 0, repaired: 0)
        var last: SHA256Digest?
        while true {
            let after = last
            let page = try await database.perform { try ContentTable(connection: $0).page(after: after, count: 100) }
            for content in page {
                try Task.checkCancellation()
                try await verify(content.digest, &reply)
            }
            guard let end = page.last else { break }
            last = end.digest
        }
        for part in 0...255 {
            try Task.checkCancellation()
            let placed = try await store.placed(in: UInt8(part))
            let known = try await database.perform { try ContentTable(connection: $0).known(placed) }
            reply.orphans += placed.count - known.count
        }
        return reply
    }

    private func verify(_ digest: SHA256Digest, _ reply: inout VerifyLibrary.Reply) async throws {
        let found = try await checker.hashPlaced(digest)
        let records = try await database.perform { try AssetTable(connection: $0).assets(of: digest) }
        guard let first = records.first else { return }
        reply.checked += 1
        if let found, found.digest == digest {
            if try await isLost(digest) {
                try await note(.ok, first)
                reply.repaired += 1
            }
            return
        }
        let state: AssetState = found == nil ? .missing : .damaged
        let reason = found == nil ? "the media store has lost its bytes" : "its bytes are not what they were"
        try await note(state, first)
        // So many fit into a message; all of them have their state.
        let room = max(0, Self.mostNamed - reply.damaged.count)
        reply.damaged += records.prefix(room).map { VerifyLibrary.Damage(url: $0.url, reason: reason) }
        if found == nil { reply.missing += 1 }
    }

    /// Whether the content itself, and not only what a decoder thinks of it, was found lost or changed.
    private func isLost(_ digest: SHA256Digest) async throws -> Bool {
        try await database.perform { try ContentTable(connection: $0).find(digest).map { $0.state != .ok } ?? false }
    }
}
