import Hashing
import MessageSchema
import Redaction

/// Contents without metadata that were made: the pieces of the newest, and the hash of each.
///
/// What is made again after a restart is the same: a redaction depends on the bytes and the profile alone.
actor RedactionShelf {
    /// Most files have a few pieces, the worst films a million; so many are kept of all of them, but the newest always.
    private static let mostPieces = 1 << 20
    private static let mostRedactions = 256
    private static let mostDigests = 100_000

    /// Of which content, and what was taken out.
    struct Key: Hashable {
        let digest: SHA256Digest
        let profile: PrivacyProfile
    }

    private var redactions: [(key: Key, redaction: Redaction)] = []
    private var digests: [Key: SHA256Digest] = [:]

    func redaction(_ key: Key) -> Redaction? {
        guard let place = redactions.firstIndex(where: { $0.key == key }) else { return nil }
        let found = redactions.remove(at: place)
        redactions.append(found)
        return found.redaction
    }

    func keep(_ redaction: Redaction, _ key: Key) {
        redactions.removeAll { $0.key == key }
        redactions.append((key, redaction))
        var pieces = redactions.reduce(0) { $0 + $1.redaction.pieces.count }
        while redactions.count > Self.mostRedactions || (pieces > Self.mostPieces && redactions.count > 1) {
            pieces -= redactions.removeFirst().redaction.pieces.count
        }
    }

    func digest(_ key: Key) -> SHA256Digest? { digests[key] }

    func keep(_ digest: SHA256Digest, _ key: Key) {
        if digests.count >= Self.mostDigests { digests.removeAll() }
        digests[key] = digest
    }
}
