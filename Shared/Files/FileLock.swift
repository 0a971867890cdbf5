private import Glibc

/// An exclusive lock on a name in a directory, held while this value lives, also across threads (flock(2)).
///
/// The kernel drops it with the process, so a crash leaves no stale lock. The file holds the holder's pid, for people.
package struct FileLock: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// Takes the lock, without waiting.
    ///
    /// - Throws: `locked` when somebody has it, and the usual codes.
    package init(_ name: String, in directory: borrowing Directory) throws(FilesError) {
        guard let lock = try FileLock.attempt(name, in: directory) else {
            throw FilesError(code: .locked, operation: "lock", path: name)
        }
        self = lock
    }

    /// Takes the lock, without waiting; nil when somebody has it.
    package static func attempt(_ name: String, in directory: borrowing Directory) throws(FilesError) -> FileLock? {
        let file = try directory.open(name, [.readWrite, .create])
        return try lock(file, name) ? FileLock(marking: file) : nil
    }

    /// The pid that the holder of the lock wrote; nil when there is none to read.
    package static func holder(of name: String, in directory: borrowing Directory) -> Int32? {
        // Only for a message to a person: whatever keeps it from being read means "unknown".
        guard let bytes = try? directory.read(name, limit: 64) else { return nil }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    /// Takes the lock, waiting for at most `limit`; polls every 20 ms and blocks the thread.
    ///
    /// - Throws: `locked` when the time is over.
    package static func waiting(
        for limit: Duration,
        _ name: String,
        in directory: borrowing Directory
    ) throws(FilesError) -> FileLock {
        let end = ContinuousClock.now.advanced(by: limit)
        while true {
            do throws(FilesError) {
                return try FileLock(name, in: directory)
            } catch {
                guard error.code == .locked, ContinuousClock.now < end else { throw error }
                usleep(20_000)
            }
        }
    }

    private init(marking file: consuming FileDescriptor) throws(FilesError) {
        try file.truncate(to: 0)
        try file.writeAll(Array("\(getpid())\n".utf8), at: 0)
        descriptor = file
    }

    private static func lock(_ file: borrowing FileDescriptor, _ name: String) throws(FilesError) -> Bool {
        try FileFaults.check("lock", path: name)
        do throws(FilesError) {
            _ = try retrying("lock", path: name) { flock(file.rawValue, LOCK_EX | LOCK_NB) }
            return true
        } catch  where error.code == .wouldBlock {
            return false
        }
    }
}
