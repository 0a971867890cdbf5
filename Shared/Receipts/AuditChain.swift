package import Consent
package import Hashing

/// The hash chain of the audit log: each hash stands for an entry and everything before it.
package struct AuditChain: Hashable, Sendable {
    /// How many entries there are.
    package private(set) var count: AuditNumber
    /// The hash of the last one; of an empty log 32 bytes of zero.
    package private(set) var hash: SHA256Digest

    /// An empty chain.
    package init() {
        guard let origin = SHA256Digest(bytes: [UInt8](repeating: 0, count: 32)) else {
            preconditionFailure("32 bytes are a hash")
        }
        self.init(count: AuditNumber(0), hash: origin)
    }

    /// A chain that goes on behind an entry.
    package init(count: AuditNumber, hash: SHA256Digest) {
        self.count = count
        self.hash = hash
    }

    /// Adds a draft behind the last entry.
    package mutating func append(_ draft: AuditEntryDraft) -> ChainedEntry {
        let entry = AuditEntry(draft, sequence: count.next)
        append(canonical: Self.canonicalForm(of: entry))
        return ChainedEntry(entry: entry, hash: hash.description)
    }

    /// Adds the canonical form of an entry.
    mutating func append(canonical form: [UInt8]) {
        count = count.next
        hash = SHA256Digest(hashing: hash.bytes + form)
    }

    /// The canonical form (RFC 8785) of an entry.
    package static func canonicalForm(of entry: AuditEntry) -> [UInt8] {
        do {
            return try CanonicalText(encoding: entry).canonicalForm
        } catch {
            preconditionFailure("an entry has texts, lists and objects alone: \(error)")
        }
    }
}

extension SignedCheckpoint {
    /// Signs a checkpoint.
    package init(_ checkpoint: AuditCheckpoint, signedWith key: SigningKey) {
        let form: [UInt8]
        do {
            form = try CanonicalText(encoding: checkpoint).canonicalForm
        } catch {
            preconditionFailure("a checkpoint has texts alone: \(error)")
        }
        self.init(
            checkpoint: checkpoint,
            algorithm: SignedReceipt.algorithm,
            publicKey: key.publicKey.description,
            signature: key.signature(of: form).hexadecimal
        )
    }
}
