/// An entry of the audit log with what chains it to all before it.
package struct ChainedEntry: Codable, Hashable, Sendable {
    package var entry: AuditEntry
    /// SHA-256 of the hash before it and of the entry's canonical form (RFC 8785): 64 hexadecimal digits.
    package var hash: String

    /// Makes one.
    package init(entry: AuditEntry, hash: String) {
        self.entry = entry
        self.hash = hash
    }
}

/// The end of a segment of the audit log: whoever has it knows everything up to there.
package struct AuditCheckpoint: Codable, Hashable, Sendable {
    /// What kind of document it is.
    package static let kind = "obscura.audit-checkpoint/1"

    package var kind: String
    /// The segment's number.
    package var segment: AuditNumber
    /// The segment's last entry.
    package var sequence: AuditNumber
    /// The hash of that entry: 64 hexadecimal digits.
    package var hash: String
    /// When the segment was closed.
    package var time: Moment

    /// Makes a checkpoint.
    package init(segment: AuditNumber, sequence: AuditNumber, hash: String, time: Moment) {
        kind = Self.kind
        self.segment = segment
        self.sequence = sequence
        self.hash = hash
        self.time = time
    }
}

/// A checkpoint with what proves it: an Ed25519 signature (RFC 8032) of its canonical form (RFC 8785).
package struct SignedCheckpoint: Codable, Hashable, Sendable {
    package var checkpoint: AuditCheckpoint
    /// `Ed25519`.
    package var algorithm: String
    /// 64 hexadecimal digits.
    package var publicKey: String
    /// 128 hexadecimal digits.
    package var signature: String

    /// Makes one.
    package init(checkpoint: AuditCheckpoint, algorithm: String, publicKey: String, signature: String) {
        self.checkpoint = checkpoint
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.signature = signature
    }
}
