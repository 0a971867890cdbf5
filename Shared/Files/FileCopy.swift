private import CLinux
private import Glibc
package import Hashing

/// What a copy carried.
package struct CopiedContent: Hashable, Sendable {
    /// Bytes copied.
    package let bytes: Int64
    /// The hash of exactly those bytes.
    package let digest: SHA256Digest
}

/// Copies from one file's offset to its end, to the other's offset, and hashes the very bytes that are written.
///
/// Blocks, and is not interrupted by cancellation.
/// - Throws: `noSpace` and the usual codes.
package func copyWhileHashing(
    from source: borrowing FileDescriptor,
    to target: borrowing FileDescriptor,
    chunk: Int = 1 << 20
) throws(FilesError) -> CopiedContent {
    let hasher = SHA256()
    var total: Int64 = 0
    while true {
        let bytes = try source.read(upTo: chunk)
        if bytes.isEmpty { return CopiedContent(bytes: total, digest: hasher.finish()) }
        hasher.update(bytes)
        try target.writeAll(bytes)
        total += Int64(bytes.count)
    }
}

/// Hashes from the file's offset to its end.
package func hash(of source: borrowing FileDescriptor, chunk: Int = 1 << 20) throws(FilesError) -> CopiedContent {
    let hasher = SHA256()
    var total: Int64 = 0
    while true {
        let bytes = try source.read(upTo: chunk)
        if bytes.isEmpty { return CopiedContent(bytes: total, digest: hasher.finish()) }
        hasher.update(bytes)
        total += Int64(bytes.count)
    }
}

/// Copies from one file's offset to its end inside the kernel, sharing blocks where the file system can
/// (copy_file_range(2)); through memory where it can not.
///
/// Blocks.
/// - Returns: bytes copied.
package func copyInKernel(
    from source: borrowing FileDescriptor,
    to target: borrowing FileDescriptor
) throws(FilesError) -> Int64 {
    var total: Int64 = 0
    while true {
        try FileFaults.check("copy")
        let step = clinux_copy_range(source.rawValue, target.rawValue, 1 << 26)
        if step > 0 {
            total += Int64(step)
        } else if step == 0 {
            // Pseudo files give 0 at once (copy_file_range(2), BUGS): make sure that this is the end.
            let rest = try copyWhileHashing(from: source, to: target)
            return total + rest.bytes
        } else if [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EBADF].contains(errno) {
            return total + (try copyWhileHashing(from: source, to: target)).bytes
        } else if errno != EINTR {
            throw .last("copy")
        }
    }
}
