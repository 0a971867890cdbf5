private import CCrypto

/// A private key for Ed25519 signatures (RFC 8032), by OpenSSL's EVP_PKEY (EVP_SIGNATURE-ED25519(7)).
///
/// A value of 32 bytes; whoever has them can sign. Nothing here blocks.
package struct SigningKey: Sendable {
    /// The 32 bytes of the key, to be kept where nobody else can read them.
    package let seed: [UInt8]
    /// What a signature is checked with.
    package let publicKey: VerifyingKey

    /// The key with these bytes; nil unless there are 32.
    package init?(seed: [UInt8]) {
        guard seed.count == VerifyingKey.length,
            let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        else { return nil }
        defer { unsafe EVP_PKEY_free(key) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: VerifyingKey.length) { buffer, count in
            count = VerifyingKey.length
            let isGiven = unsafe EVP_PKEY_get_raw_public_key(key, buffer.baseAddress, &count) == 1
            precondition(isGiven && count == VerifyingKey.length, "a private key has its public one")
        }
        guard let publicKey = VerifyingKey(bytes: bytes) else { return nil }
        self.seed = seed
        self.publicKey = publicKey
    }

    /// A new key from the system's generator.
    package static func random() -> SigningKey {
        guard let key = SigningKey(seed: randomBytes(VerifyingKey.length)) else {
            preconditionFailure("any 32 bytes are a key")
        }
        return key
    }

    /// The 64 bytes of the signature of a message; the same for the same message.
    package func signature(of message: [UInt8]) -> [UInt8] {
        guard let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count),
            let context = unsafe EVP_MD_CTX_new()
        else { preconditionFailure("no memory for a signature") }
        defer {
            unsafe EVP_MD_CTX_free(context)
            unsafe EVP_PKEY_free(key)
        }
        return unsafe [UInt8](unsafeUninitializedCapacity: VerifyingKey.signatureLength) { buffer, count in
            count = VerifyingKey.signatureLength
            let isSigned =
                unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1
                && EVP_DigestSign(context, buffer.baseAddress, &count, message, message.count) == 1
            precondition(isSigned && count == VerifyingKey.signatureLength, "bytes in memory can be signed")
        }
    }
}

/// Shown by its public key alone, so that the seed comes into no log and no report of a test.
extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "the private key of \(publicKey)" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}

/// A public key for Ed25519 signatures; written as 64 hexadecimal digits in lower case.
package struct VerifyingKey: Hashable, Sendable, LosslessStringConvertible {
    static let length = 32
    static let signatureLength = 64

    /// The 32 bytes.
    package let bytes: [UInt8]

    /// The key with these bytes; nil unless there are 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Reads 64 hexadecimal digits of either case; nil for anything else.
    package init?(_ description: String) {
        guard let bytes = [UInt8](hexadecimal: description) else { return nil }
        self.init(bytes: bytes)
    }

    package var description: String { bytes.hexadecimal }

    /// Whether the holder of the private key has signed exactly this message; a signature of any form may be given.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureLength,
            let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count),
            let context = unsafe EVP_MD_CTX_new()
        else { return false }
        defer {
            unsafe EVP_MD_CTX_free(context)
            unsafe EVP_PKEY_free(key)
        }
        return unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
