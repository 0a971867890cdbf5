private import Files
package import Hashing
package import Redaction

/// Reads placed content, on a thread of its own, so that reading does not wait for arriving uploads.
package actor MediaReader {
    private let thread: BlockingThread
    private let folders: Folders

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe thread.executor.asUnownedSerialExecutor()
    }

    init(_ folders: Folders, named name: String) {
        self.folders = folders
        thread = BlockingThread(name: name)
    }

    isolated deinit {}

    /// Opens content for reading; nil when the store has lost it.
    package func open(_ digest: SHA256Digest) throws -> SharedFile? {
        try folders.open(digest.description)
    }

    /// Reads up to `count` bytes at an offset; fewer only at the end.
    package func read(_ file: SharedFile, at offset: Int64, upTo count: Int) throws -> [UInt8] {
        try file.descriptor.read(at: offset, upTo: count)
    }

    /// Reads up to `count` bytes of redacted content at an offset; fewer at the end, or where the original lost some.
    package func read(
        _ file: SharedFile,
        _ redaction: Redaction,
        at offset: Int64,
        upTo count: Int
    ) throws -> [UInt8] {
        var found: [UInt8] = []
        for piece in redaction.pieces(at: offset, count: Int64(count)) {
            switch piece {
            case .source(let range):
                let bytes = try file.descriptor.read(at: range.lowerBound, upTo: range.count)
                found += bytes
                if bytes.count < range.count { return found }
            case .literal(let bytes): found += bytes
            case .zeros(let count): found += [UInt8](repeating: 0, count: Int(count))
            }
        }
        return found
    }

    /// Hashes redacted content; nil where the original has lost bytes.
    package func hashRedacted(_ file: SharedFile, _ redaction: Redaction) throws -> SHA256Digest? {
        let hasher = SHA256()
        var position: Int64 = 0
        while position < redaction.byteCount {
            let bytes = try read(file, redaction, at: position, upTo: 1 << 20)
            guard !bytes.isEmpty else { return nil }
            hasher.update(bytes)
            position += Int64(bytes.count)
        }
        return hasher.finish()
    }

    /// Hashes content as it lies on the disk; nil when it is not there.
    package func hashPlaced(_ digest: SHA256Digest) throws -> CheckedContent? {
        guard let file = try folders.open(digest.description) else { return nil }
        let content = try hash(of: file.descriptor)
        return CheckedContent(digest: content.digest, bytes: content.bytes)
    }
}

/// What a check found on the disk.
package struct CheckedContent: Hashable, Sendable {
    /// The hash of what is there.
    package let digest: SHA256Digest
    /// Its size.
    package let bytes: Int64
}
