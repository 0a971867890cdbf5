package import Consent
package import Hashing

/// Why an audit log proves less than it should; the first thing in it that does not fit.
package enum AuditFault: Error, Hashable, Sendable {
    /// It is not what it has to be; says where, and what.
    case malformed(String)
    /// Another entry stands where this one has to: it is missing, or they are in another order.
    case notTheNext(expected: AuditNumber, found: AuditNumber)
    /// The entry, or its hash, is not as it was written.
    case changed(AuditNumber)
    /// The hashes fit each other and not the signed checkpoint: of these entries at least one was changed, and hashed anew.
    case rewritten(from: AuditNumber, through: AuditNumber)
    /// The log ends with the first entry, and a signed checkpoint knows of more.
    case cutOff(after: AuditNumber, known: AuditNumber)
    /// A checkpoint stands where it does not belong.
    case misplaced(segment: AuditNumber)
    /// A checkpoint was changed after it was signed, or signed with another key than it names.
    case wrongSignature(segment: AuditNumber)
    /// A checkpoint is signed with this key, not with the one that was expected.
    case otherKey(segment: AuditNumber, VerifyingKey)
    /// No checkpoint stands behind the last entry.
    case unsealed(after: AuditNumber)
    /// Up to this entry it is another log than the one that was exported before.
    case differs(through: AuditNumber)
}

/// What an audit log proves.
package struct AuditProof: Hashable, Sendable {
    /// How many entries there are, all chained to each other.
    package let entries: AuditNumber
    /// The last checkpoint: nobody without its key has changed anything up to there; nil when nothing is signed yet.
    package let checkpoint: AuditCheckpoint?
    /// The checkpoint of an export made before: not even the holder of the key has changed anything up to there since.
    package let earlier: AuditCheckpoint?
    /// The key of the checkpoints.
    package let key: VerifyingKey
}

/// Checks an audit log, entry by entry, as it comes; a value without input or output.
package struct AuditVerifier: Sendable {
    private let key: VerifyingKey
    private let earlier: AuditCheckpoint?
    private var chain = AuditChain()
    private var last: AuditCheckpoint?

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - key: What checkpoints have to be signed with.
    ///   - earlier: The last checkpoint of an export that was made before, and checked.
    package init(key: VerifyingKey, against earlier: AuditCheckpoint? = nil) {
        self.key = key
        self.earlier = earlier
    }

    /// How many entries were taken, and fit each other.
    package var count: AuditNumber { chain.count }

    /// Takes the next entry.
    ///
    /// - Throws: `AuditFault`.
    package mutating func take(_ entry: ChainedEntry) throws(AuditFault) {
        let form: CanonicalText
        do {
            form = try CanonicalText(encoding: entry.entry)
        } catch {
            throw .malformed("entry \(entry.entry.sequence)")
        }
        try take(entry: form, hash: entry.hash)
    }

    /// Takes the next entry, with every field that it has, also one that this version does not know.
    ///
    /// - Throws: `AuditFault`.
    package mutating func take(entry: CanonicalText, hash: String) throws(AuditFault) {
        guard let sequence = entry["sequence"]?.text.flatMap(AuditNumber.init) else {
            throw .malformed("an entry behind entry \(chain.count) has no \"sequence\"")
        }
        guard sequence == chain.count.next else {
            throw .notTheNext(expected: chain.count.next, found: sequence)
        }
        var longer = chain
        longer.append(canonical: entry.canonicalForm)
        guard longer.hash.description == hash else { throw .changed(sequence) }
        chain = longer
        if let earlier, earlier.sequence == sequence, earlier.hash != hash { throw .differs(through: sequence) }
    }

    /// Takes a checkpoint behind the entry that it is about.
    ///
    /// - Throws: `AuditFault`.
    package mutating func take(_ checkpoint: SignedCheckpoint) throws(AuditFault) {
        let form: CanonicalText
        do {
            form = try CanonicalText(encoding: checkpoint)
        } catch {
            throw .malformed("the checkpoint of segment \(checkpoint.checkpoint.segment)")
        }
        try take(checkpoint: form)
    }

    /// Takes a checkpoint, with every field that it has, behind the entry that it is about.
    ///
    /// - Throws: `AuditFault`.
    package mutating func take(checkpoint signed: CanonicalText) throws(AuditFault) {
        guard let document = signed["checkpoint"], document["kind"]?.text == AuditCheckpoint.kind,
            let segment = document["segment"]?.text.flatMap(AuditNumber.init),
            let sequence = document["sequence"]?.text.flatMap(AuditNumber.init),
            let hash = document["hash"]?.text,
            let time = document["time"]?.text.flatMap(Moment.init),
            signed["algorithm"]?.text == SignedReceipt.algorithm,
            let signer = signed["publicKey"]?.key,
            let signature = signed["signature"]?.bytes
        else { throw .malformed("a checkpoint behind entry \(chain.count)") }
        guard signer.verifies(signature, of: document.canonicalForm) else { throw .wrongSignature(segment: segment) }
        guard signer == key else { throw .otherKey(segment: segment, signer) }
        guard sequence <= chain.count else { throw .cutOff(after: chain.count, known: sequence) }
        let before = last?.segment ?? AuditNumber(0)
        guard sequence == chain.count, segment == before.next else { throw .misplaced(segment: segment) }
        guard hash == chain.hash.description else {
            throw .rewritten(from: (last?.sequence ?? AuditNumber(0)).next, through: sequence)
        }
        last = AuditCheckpoint(segment: segment, sequence: sequence, hash: hash, time: time)
    }

    /// Says what was proven, when everything was taken.
    ///
    /// `isSealed` is whether a checkpoint has to stand at the end, as in an export.
    ///
    /// - Throws: `AuditFault`.
    package func finish(isSealed: Bool) throws(AuditFault) -> AuditProof {
        if let earlier, earlier.sequence > chain.count {
            throw .cutOff(after: chain.count, known: earlier.sequence)
        }
        if isSealed, last?.sequence != chain.count { throw .unsealed(after: chain.count) }
        return AuditProof(entries: chain.count, checkpoint: last, earlier: earlier, key: key)
    }
}

extension CanonicalText {
    /// The key that the text is, written as keys are.
    var key: VerifyingKey? {
        guard let text, let key = VerifyingKey(text), key.description == text else { return nil }
        return key
    }

    /// The bytes that the text is, in hexadecimal digits in lower case.
    fileprivate var bytes: [UInt8]? {
        guard let text, let bytes = [UInt8](hexadecimal: text), bytes.hexadecimal == text else { return nil }
        return bytes
    }
}
