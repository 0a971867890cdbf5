private import CLinux
private import Glibc

/// An open file, pipe or socket that this value owns: dropped means closed.
///
/// Calls block the thread like the kernel calls they are, and start again after a signal (EINTR).
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number, for calls that borrow it; it is closed with this value.
    package let rawValue: Int32

    /// Takes over an open descriptor.
    package init(adopting rawValue: Int32) {
        precondition(rawValue >= 0, "an open descriptor is not negative")
        self.rawValue = rawValue
    }

    deinit {
        // The outcome matters only to writers, and they call `sync()` before.
        _ = Glibc.close(rawValue)
    }

    /// Opens a path as the process sees it.
    ///
    /// Programs' paths never come here (see `Directory`).
    ///
    /// - Throws: `FilesError` by code: `notFound`, `notPermitted`, `symbolicLink` …
    package init(opening path: String, _ mode: OpenMode, permissions: UInt32 = 0o600) throws(FilesError) {
        let operation = mode.contains(.create) ? "create" : "open"
        try FileFaults.check(operation, path: path)
        try FilesError.refuseNUL(in: path, operation)
        rawValue = try retrying(operation, path: path) {
            unsafe clinux_openat(AT_FDCWD, path, mode.rawValue | O_CLOEXEC, permissions)
        }
    }

    /// Closes and reports what the kernel says, which `deinit` can not.
    package consuming func close() throws(FilesError) {
        let descriptor = rawValue
        discard self
        // Not tried again on EINTR: Linux has closed it (close(2)).
        guard Glibc.close(descriptor) == 0 || errno == EINTR else { throw .last("close") }
    }

    /// Gives the descriptor away; the caller closes it.
    package consuming func release() -> Int32 {
        let descriptor = rawValue
        discard self
        return descriptor
    }

    /// A second descriptor for the same open file, sharing its offset.
    package func duplicate() throws(FilesError) -> FileDescriptor {
        try FileFaults.check("duplicate")
        return FileDescriptor(adopting: try retrying("duplicate") { clinux_duplicate(rawValue) })
    }

    /// Chooses whether reads and writes wait or fail with `wouldBlock`.
    package func setNonBlocking(_ isNonBlocking: Bool) throws(FilesError) {
        _ = try retrying("setNonBlocking") { clinux_set_nonblocking(rawValue, isNonBlocking ? 1 : 0) }
    }

    /// Waits until it can be read, or the other end has closed; false when the time is over first.
    ///
    /// Blocks the thread. Nil waits without end.
    package func waitUntilReadable(for limit: Duration? = nil) throws(FilesError) -> Bool {
        let milliseconds = limit.map { Int32(clamping: $0.components.seconds * 1000 + $0.milliseconds) } ?? -1
        return try retrying("wait") { clinux_wait(rawValue, Int16(POLLIN), milliseconds) } > 0
    }
}

extension Duration {
    /// The part below a second, in milliseconds.
    fileprivate var milliseconds: Int64 { components.attoseconds / 1_000_000_000_000_000 }
}

/// Calls until it is not interrupted by a signal.
///
/// - Returns: what the call gave, never negative.
func retrying<Result: SignedInteger>(
    _ operation: String,
    path: String? = nil,
    _ call: () -> Result
) throws(FilesError) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        let number = errno
        if number == EINTR { continue }
        throw FilesError(errorNumber: number, operation: operation, path: path)
    }
}

extension FilesError {
    /// Refuses names that C would cut at a NUL.
    static func refuseNUL(in path: String, _ operation: String) throws(FilesError) {
        if path.utf8.contains(0) { throw FilesError(code: .invalid, operation: operation, path: path) }
    }
}
