private import CCrypto

/// A SHA-256 hash in the making (OpenSSL EVP_DigestInit_ex(3), which uses the processor's instructions where it has them).
///
/// It belongs to one thread or actor at a time; nothing blocks. libcrypto can only fail here for want of memory, which traps.
@safe package final class SHA256 {
    private let context: OpaquePointer

    /// A hash of nothing so far.
    package init() {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("no memory for a hash") }
        unsafe self.context = context
        let started = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
        precondition(started == 1, "libcrypto has SHA-256")
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }

    /// Adds bytes.
    package func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Adds bytes.
    package func update(_ bytes: ArraySlice<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Adds bytes.
    package func update(_ bytes: borrowing RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Adds bytes.
    package func update(_ bytes: UnsafeRawBufferPointer) {
        let updated = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(updated == 1, "hashing bytes in memory can not fail")
    }

    /// The hash of all bytes so far; more can be added afterwards.
    package func finish() -> SHA256Digest {
        guard let copy = unsafe EVP_MD_CTX_new() else { preconditionFailure("no memory for a hash") }
        defer { unsafe EVP_MD_CTX_free(copy) }
        let isCopied = unsafe EVP_MD_CTX_copy_ex(copy, context)
        precondition(isCopied == 1, "no memory for a hash")
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            let isFinished = unsafe EVP_DigestFinal_ex(copy, buffer.baseAddress, nil)
            precondition(isFinished == 1, "a started hash can be finished")
            count = 32
        }
        guard let digest = SHA256Digest(bytes: bytes) else { preconditionFailure("SHA-256 has 32 bytes") }
        return digest
    }
}

@available(*, unavailable)
extension SHA256: Sendable {}
