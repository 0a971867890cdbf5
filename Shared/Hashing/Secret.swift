private import CCrypto

/// HMAC-SHA-256 (RFC 2104) of a message under a key.
package func authenticationCode(for message: [UInt8], key: [UInt8]) -> SHA256Digest {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
        let code = unsafe HMAC(
            EVP_sha256(),
            key,
            Int32(key.count),
            message,
            message.count,
            buffer.baseAddress,
            nil
        )
        precondition(unsafe code != nil, "HMAC-SHA-256 of bytes in memory can not fail")
        count = 32
    }
    guard let digest = SHA256Digest(bytes: bytes) else { preconditionFailure("SHA-256 has 32 bytes") }
    return digest
}

/// Compares secrets in a time that depends on their length alone (CRYPTO_memcmp(3)).
package func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe CRYPTO_memcmp(left, right, left.count) == 0
}

/// Bytes from the system's generator (RAND_bytes(3)), fit for keys; a machine without one traps.
package func randomBytes(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        let isFilled = unsafe count == 0 || RAND_bytes(buffer.baseAddress, Int32(count)) == 1
        precondition(isFilled, "the system has random numbers")
        filled = count
    }
}
