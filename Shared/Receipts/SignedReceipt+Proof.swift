package import Consent
package import Hashing

extension SignedReceipt {
    /// The only algorithm there is.
    package static let algorithm = "Ed25519"

    /// Signs a receipt.
    package init(_ receipt: ConsentReceipt, signedWith key: SigningKey) {
        let form: [UInt8]
        do {
            form = try CanonicalText(encoding: receipt).canonicalForm
        } catch {
            preconditionFailure("a receipt has texts, lists and objects alone: \(error)")
        }
        self.init(
            receipt: receipt,
            algorithm: Self.algorithm,
            publicKey: key.publicKey.description,
            signature: key.signature(of: form).hexadecimal
        )
    }
}

/// Why a receipt proves nothing.
package enum ReceiptFault: Error, Hashable, Sendable {
    /// It is not the JSON of a signed receipt; says what is missing.
    case notAReceipt(String)
    /// It is signed in a way that is not known.
    case unknownAlgorithm(String)
    /// It was changed after it was signed, or signed with another key than it says.
    case wrongSignature
    /// It is signed with this key, not with the one that was expected.
    case otherKey(VerifyingKey)
}

/// A receipt that was checked.
package struct VerifiedReceipt: Sendable {
    /// The whole of what was signed.
    package let document: CanonicalText
    /// The key it was signed with.
    package let key: VerifyingKey

    /// Checks a receipt offline.
    ///
    /// Every field of the receipt is signed, also one that this version does not know. Without an expected key it is
    /// proven that nothing was changed since the holder of the key in the file signed it, and not who that is.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - expected: The key of the controller, known from elsewhere.
    /// - Throws: `ReceiptFault`.
    package init(checking bytes: [UInt8], against expected: VerifyingKey? = nil) throws(ReceiptFault) {
        let file: CanonicalText
        do throws(CanonicalTextError) {
            file = try CanonicalText(decoding: bytes)
        } catch {
            if case .repeatedName = error { throw .notAReceipt("it has a name twice in one object") }
            throw .notAReceipt("it is no JSON of texts, lists and objects")
        }
        func text(_ name: String) throws(ReceiptFault) -> String {
            guard let text = file[name]?.text else { throw .notAReceipt("it has no text \"\(name)\"") }
            return text
        }
        guard let receipt = file["receipt"], receipt["kind"]?.text == ConsentReceipt.kind else {
            throw .notAReceipt("it has no \"receipt\" of the kind \(ConsentReceipt.kind)")
        }
        let algorithm = try text("algorithm")
        guard algorithm == SignedReceipt.algorithm else { throw .unknownAlgorithm(algorithm) }
        guard let key = VerifyingKey(try text("publicKey")) else {
            throw .notAReceipt("its \"publicKey\" is not of 64 hexadecimal digits")
        }
        guard let signature = [UInt8](hexadecimal: try text("signature")) else {
            throw .notAReceipt("its \"signature\" is not of hexadecimal digits")
        }
        guard key.verifies(signature, of: receipt.canonicalForm) else { throw .wrongSignature }
        if let expected, expected != key { throw .otherKey(key) }
        document = receipt
        self.key = key
    }
}
