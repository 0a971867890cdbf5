package import Consent
package import Hashing

/// The audit log as a file: lines of JSON in their canonical form, a head with the key, then entries, and each checkpoint behind
/// the entry that it is about.
package enum AuditExport {
    /// What kind of file it is.
    package static let kind = "obscura.audit-export/1"
    /// The longest line, in bytes.
    package static let lineLimit = 1 << 20

    /// The first line, without its end.
    package static func head(_ key: VerifyingKey) -> [UInt8] {
        CanonicalText.object([
            "kind": .text(kind), "algorithm": .text(SignedReceipt.algorithm), "publicKey": .text(key.description),
        ]).canonicalForm
    }

    /// The line of an entry or of a checkpoint, without its end.
    ///
    /// - Throws: `EncodingError`, or `CanonicalTextError` for what has numbers in it.
    package static func line(_ value: some Encodable) throws -> [UInt8] {
        try CanonicalText(encoding: value).canonicalForm
    }
}

/// Reads an exported audit log line by line, and checks it.
///
/// Each line has to be in its canonical form, so that no byte of the file can be another one.
package struct AuditExportReader: Sendable {
    private var verifier: AuditVerifier?
    private let expected: VerifyingKey?
    private let earlier: AuditCheckpoint?

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - expected: The coordinator's key, known from elsewhere.
    ///   - earlier: The last checkpoint of an export that was made before, and checked.
    package init(expecting expected: VerifyingKey? = nil, against earlier: AuditCheckpoint? = nil) {
        self.expected = expected
        self.earlier = earlier
    }

    /// How many entries were read.
    package var count: AuditNumber { verifier?.count ?? AuditNumber(0) }

    /// Takes the next line, without its end.
    ///
    /// - Throws: `AuditFault`.
    package mutating func take(_ line: [UInt8]) throws(AuditFault) {
        let document: CanonicalText
        do throws(CanonicalTextError) {
            document = try CanonicalText(decoding: line)
        } catch {
            throw .malformed("the line behind entry \(count) is no JSON of texts, lists and objects")
        }
        guard document.canonicalForm == line else {
            throw .malformed("the line behind entry \(count) is not written as it was exported")
        }
        guard var verifier else { return verifier = try begin(document) }
        if let entry = document["entry"], let hash = document["hash"]?.text, document.count == 2 {
            try verifier.take(entry: entry, hash: hash)
        } else if document["checkpoint"] != nil, document.count == 4 {
            try verifier.take(checkpoint: document)
        } else {
            throw .malformed("the line behind entry \(count) is neither an entry nor a checkpoint")
        }
        self.verifier = verifier
    }

    /// Says what was proven, at the end of the file.
    ///
    /// - Throws: `AuditFault`.
    package func finish() throws(AuditFault) -> AuditProof {
        guard let verifier else { throw .malformed("it is empty") }
        return try verifier.finish(isSealed: true)
    }

    private func begin(_ head: CanonicalText) throws(AuditFault) -> AuditVerifier {
        guard head["kind"]?.text == AuditExport.kind, head["algorithm"]?.text == SignedReceipt.algorithm,
            let key = head["publicKey"]?.key, head.count == 3
        else { throw .malformed("it does not begin with the head of an exported audit log") }
        if let expected, expected != key { throw .otherKey(segment: AuditNumber(0), key) }
        return AuditVerifier(key: key, against: earlier)
    }
}

extension CanonicalText {
    /// How many names an object has.
    fileprivate var count: Int {
        if case .object(let object) = self { object.count } else { 0 }
    }
}
