private import Glibc

/// A movie file on disk, owned: it is closed when the value goes.
package struct DescriptorMovieFile: MovieFile, ~Copyable {
    private let descriptor: Int32
    /// What is left free; nil where the movie may fill the disk.
    private var reserve: DiskReserve?
    /// Bytes that the movie's end needs, with what was written so far.
    private var endByteCount: Int64 = 0

    /// Creates a file that must not exist, readable and writable by its owner alone.
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - reserve: With it, the movie is full (`noSpace`) while there is still room for its end, for a copy of it, and for
    ///     what the reserve says.
    /// - Throws: `notCreated`, `noSpace` or `inputOutput` with errno.
    package init(creating path: String, reserve: DiskReserve? = nil) throws(MovieError) {
        let result = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard result >= 0 else { throw Self.error(errno, other: .notCreated) }
        descriptor = result
        self.reserve = reserve
    }

    /// Opens a file that is there, never through a symbolic link.
    ///
    /// - Throws: `notCreated` with errno.
    package init(opening path: String) throws(MovieError) {
        let result = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard result >= 0 else { throw Self.error(errno, other: .notCreated) }
        descriptor = result
    }

    deinit {
        // Nothing is lost when close fails: everything that counts was synchronised before.
        _ = close(descriptor)
    }

    package mutating func write(_ parts: [[UInt8]], at offset: Int64) throws(MovieError) {
        // One pwrite for all: a crash leaves a fragment written or cut short, never one with a hole.
        let bytes = parts.count == 1 ? parts[0] : Array(parts.joined())
        try checkReserve(end: offset + Int64(bytes.count), adding: Int64(bytes.count))
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer.dropFirst(written))
                return unsafe pwrite(descriptor, rest.baseAddress, rest.count, Int(offset) + written)
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw Self.error(result == 0 ? EIO : errno) }
            written += result
        }
    }

    /// A disk that does not say what is free (some network file systems) is written to until it is full.
    private func checkReserve(end: Int64, adding byteCount: Int64) throws(MovieError) {
        guard let reserve, let free = reserve.free.map({ $0() }) ?? freeByteCount() else { return }
        guard reserve.isKept(free: free - byteCount, size: end, end: endByteCount) else { throw Self.error(ENOSPC) }
    }

    private func freeByteCount() -> Int64? {
        var space = statvfs()
        guard unsafe fstatvfs(descriptor, &space) == 0, space.f_blocks > 0 else { return nil }
        return Int64(clamping: space.f_bavail.multipliedReportingOverflow(by: space.f_frsize).partialValue)
    }

    package mutating func keepRoom(forEnd byteCount: Int64) { endByteCount = byteCount }

    package mutating func useReserve() { reserve = nil }

    package func read(_ count: Int, at offset: Int64) throws(MovieError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.dropFirst(filled))
                return unsafe pread(descriptor, rest.baseAddress, rest.count, Int(offset) + filled)
            }
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw Self.error(errno) }
            guard result > 0 else { break }
            filled += result
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    package mutating func synchroniseData() throws(MovieError) {
        guard fdatasync(descriptor) == 0 else { throw Self.error(errno) }
    }

    package mutating func synchronise() throws(MovieError) {
        guard fsync(descriptor) == 0 else { throw Self.error(errno) }
    }

    package mutating func truncate(to byteCount: Int64) throws(MovieError) {
        guard ftruncate(descriptor, Int(byteCount)) == 0 else { throw Self.error(errno) }
    }

    package func byteCount() throws(MovieError) -> Int64 {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.error(errno) }
        return Int64(status.st_size)
    }

    private static func error(_ number: Int32, other: MovieError.Code = .inputOutput) -> MovieError {
        MovieError([ENOSPC, EDQUOT, EFBIG].contains(number) ? .noSpace : other, errorNumber: number)
    }
}
