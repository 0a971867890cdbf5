private import Files
package import Hashing
package import Redaction
import Timekeeping

/// Reads placed content, on a thread of its own, so that reading does not wait for arriving uploads.
package actor MediaReader {
    /// So much is hashed at a time.
    private static let blockBytes = 1 << 20

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

    /// Hashes redacted content, in blocks between which others read; nil where the original has lost bytes.
    ///
    /// Cancellation ends it after a block.
    package func hashRedacted(_ file: SharedFile, _ redaction: Redaction) async throws -> SHA256Digest? {
        let hasher = SHA256()
        var position: Int64 = 0
        while position < redaction.byteCount {
            try Task.checkCancellation()
            let bytes = try read(file, redaction, at: position, upTo: Self.blockBytes)
            guard !bytes.isEmpty else { return nil }
            hasher.update(bytes)
            position += Int64(bytes.count)
            await Task.yield()
        }
        return hasher.finish()
    }

    /// Hashes an open file, in blocks between which others read.
    ///
    /// Cancellation ends it after a block.
    package func hash(_ file: SharedFile) async throws -> CheckedContent {
        let hasher = SHA256()
        var position: Int64 = 0
        while true {
            try Task.checkCancellation()
            let bytes = try file.descriptor.read(at: position, upTo: Self.blockBytes)
            guard !bytes.isEmpty else { return CheckedContent(digest: hasher.finish(), bytes: position) }
            hasher.update(bytes)
            position += Int64(bytes.count)
            await Task.yield()
        }
    }

    /// The size of placed content; nil when it is not there.
    func size(of digest: SHA256Digest) throws -> Int64? {
        try folders.size(of: digest.description)
    }

    /// When an open file was written.
    func modified(_ file: SharedFile) throws -> Timestamp {
        Timestamp(microseconds: try file.descriptor.status().modifiedNanoseconds / 1000)
    }

    /// Hashes content as it lies on the disk; nil when it is not there.
    package func hashPlaced(_ digest: SHA256Digest) async throws -> CheckedContent? {
        guard let file = try folders.open(digest.description) else { return nil }
        return try await hash(file)
    }
}

/// What a check found on the disk.
package struct CheckedContent: Hashable, Sendable {
    /// The hash of what is there.
    package let digest: SHA256Digest
    /// Its size.
    package let bytes: Int64
}
