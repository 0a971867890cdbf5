/// What whoever a consent is about gets to keep: the record as it is after one of its events.
///
/// It has texts, lists and objects alone, so that its canonical form (RFC 8785) is simple.
package struct ConsentReceipt: Codable, Hashable, Sendable {
    /// What kind of document it is.
    package static let kind = "obscura.consent-receipt/1"

    package var kind: String
    package var issuedAt: Moment
    /// How it stood then.
    package var state: ConsentEventType
    package var record: ConsentRecord

    /// Makes a receipt.
    package init(of record: ConsentRecord, at now: Moment) {
        kind = Self.kind
        issuedAt = now
        state = record.state(at: now)
        self.record = record
    }
}

/// A receipt with what proves it: an Ed25519 signature (RFC 8032) of its canonical form (RFC 8785).
package struct SignedReceipt: Codable, Hashable, Sendable {
    package var receipt: ConsentReceipt
    /// `Ed25519`.
    package var algorithm: String
    /// 64 hexadecimal digits.
    package var publicKey: String
    /// 128 hexadecimal digits.
    package var signature: String

    /// Makes one.
    package init(receipt: ConsentReceipt, algorithm: String, publicKey: String, signature: String) {
        self.receipt = receipt
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.signature = signature
    }
}
