package import Hashing
package import MessageSchema
package import Redaction

/// Contents without metadata that were made: the pieces of the newest, and the hash of each.
///
/// What is made again after a restart is the same: a redaction depends on the bytes and the profile alone. Each is made
/// once at a time, however many wait for it.
package actor RedactionShelf {
    /// So many bytes of pieces are kept of all of them, but the newest always.
    private static let mostBytes = 64 << 20
    /// A piece and where it ends.
    private static let bytesPerPiece = 32
    private static let mostRedactions = 256
    private static let mostDigests = 100_000
    private static let mostRefusals = 10_000

    /// Of which content, and what was taken out.
    package struct Key: Hashable, Sendable {
        let digest: SHA256Digest
        let profile: PrivacyProfile

        package init(digest: SHA256Digest, profile: PrivacyProfile) {
            self.digest = digest
            self.profile = profile
        }
    }

    /// A content without metadata.
    package struct Made: Hashable, Sendable {
        /// Its pieces.
        package let redaction: Redaction
        /// The hash of the whole.
        package let digest: SHA256Digest

        package init(redaction: Redaction, digest: SHA256Digest) {
            self.redaction = redaction
            self.digest = digest
        }
    }

    /// One that is being made.
    private struct Making {
        let number: Int
        let task: Task<Made, any Error>
        var waiting: Int
    }

    private var redactions: [(key: Key, redaction: Redaction, bytes: Int)] = []
    private var digests: [Key: SHA256Digest] = [:]
    private var refusals: [Key: String] = [:]
    private var makings: [Key: Making] = [:]
    private var count = 0

    /// An empty shelf.
    package init() {}

    /// The content for a key; made by `make` when it is not here, which is handed the hash where that is known.
    ///
    /// Whoever is cancelled waits no more; when nobody waits, the making is cancelled.
    /// - Throws: `LibraryError`: `notRedacted` for what was refused before; what `make` throws.
    package func made(
        _ key: Key,
        _ make: @escaping @Sendable (_ digest: SHA256Digest?) async throws -> Made
    ) async throws -> Made {
        if let reason = refusals[key] { throw LibraryError(.notRedacted(reason: reason)) }
        if let redaction = redaction(key), let digest = digests[key] {
            return Made(redaction: redaction, digest: digest)
        }
        let making = join(key, make)
        return try await withTaskCancellationHandler {
            try await making.task.value
        } onCancel: {
            // Of a handler that can not wait; it is over at once.
            Task { await self.leave(key, making.number) }
        }
    }

    /// Remembers that a content costs decoders, so that it is not tried again before the next start.
    package func refuse(_ key: Key, because reason: String) {
        if refusals.count >= Self.mostRefusals { refusals.removeAll() }
        refusals[key] = reason
    }

    /// How many wait for a content that is being made.
    package func waiting(for key: Key) -> Int { makings[key]?.waiting ?? 0 }

    // MARK: - Making

    private func join(
        _ key: Key,
        _ make: @escaping @Sendable (SHA256Digest?) async throws -> Made
    ) -> Making {
        if var making = makings[key] {
            making.waiting += 1
            makings[key] = making
            return making
        }
        count += 1
        let number = count
        let known = digests[key]
        // It belongs to all who wait; the last one who leaves ends it.
        let task = Task {
            do {
                let made = try await make(known)
                finish(key, number, made)
                return made
            } catch {
                finish(key, number, nil)
                throw error
            }
        }
        let making = Making(number: number, task: task, waiting: 1)
        makings[key] = making
        return making
    }

    private func leave(_ key: Key, _ number: Int) {
        guard let making = makings[key], making.number == number else { return }
        makings[key]?.waiting -= 1
        guard making.waiting == 1 else { return }
        making.task.cancel()
        makings[key] = nil
    }

    private func finish(_ key: Key, _ number: Int, _ made: Made?) {
        if makings[key]?.number == number { makings[key] = nil }
        if let made { keep(made, key) }
    }

    // MARK: - Keeping

    private func redaction(_ key: Key) -> Redaction? {
        guard let place = redactions.firstIndex(where: { $0.key == key }) else { return nil }
        let found = redactions.remove(at: place)
        redactions.append(found)
        return found.redaction
    }

    private func keep(_ made: Made, _ key: Key) {
        redactions.removeAll { $0.key == key }
        redactions.append((key, made.redaction, Self.byteCount(of: made.redaction)))
        var bytes = redactions.reduce(0) { $0 + $1.bytes }
        while redactions.count > Self.mostRedactions || (bytes > Self.mostBytes && redactions.count > 1) {
            bytes -= redactions.removeFirst().bytes
        }
        if digests.count >= Self.mostDigests { digests.removeAll() }
        digests[key] = made.digest
    }

    private static func byteCount(of redaction: Redaction) -> Int {
        redaction.pieces.reduce(0) { sum, piece in
            guard case .literal(let bytes) = piece else { return sum + bytesPerPiece }
            return sum + bytesPerPiece + bytes.count
        }
    }
}
