import Hashing
import MessageSchema
import Redaction

/// Contents without metadata that were made: the pieces of the newest, and the hash of each.
///
/// What is made again after a restart is the same: a redaction depends on the bytes and the profile alone.
actor RedactionShelf {
    /// Pieces are small for most files and a few megabytes for the worst; a hash is nothing.
    private static let mostRedactions = 32
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
        if redactions.count > Self.mostRedactions { redactions.removeFirst() }
    }

    func digest(_ key: Key) -> SHA256Digest? { digests[key] }

    func keep(_ digest: SHA256Digest, _ key: Key) {
        if digests.count >= Self.mostDigests { digests.removeAll() }
        digests[key] = digest
    }
}
