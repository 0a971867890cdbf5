private import Glibc

/// A file, socket or process operation that the kernel refused.
package struct FilesError: Error, Hashable, Sendable {
    /// What the refusal means to a caller.
    package enum Code: String, Hashable, Sendable {
        case notFound
        case alreadyExists
        /// EACCES or EPERM.
        case notPermitted
        case notADirectory
        case isADirectory
        /// A device, a pipe or a socket where a file is needed.
        case notRegular
        case directoryNotEmpty
        /// ENOSPC or EDQUOT: the disk or the quota is full.
        case noSpace
        /// A symbolic link where none is allowed (ELOOP).
        case symbolicLink
        /// A path that leaves the directory it must stay in, or a rename to another file system (EXDEV).
        case outsideDirectory
        case nameTooLong
        case tooManyOpenFiles
        case readOnly
        /// The lock is held by somebody else.
        case locked
        /// Nothing to read, or no room to write, on a non-blocking descriptor.
        case wouldBlock
        /// EIO: the device failed.
        case inputOutput
        case tooLarge
        /// A message larger than the room for it.
        case messageTooLong
        /// The other end is closed.
        case brokenPipe
        /// No such process, or no child of ours.
        case noProcess
        case busy
        /// Fewer bytes than the caller needs.
        case unexpectedEnd
        case invalid
        case other
    }

    /// What the refusal means.
    package var code: Code
    /// The system's error number; 0 when the kernel did not fail.
    package var errorNumber: Int32
    /// What was tried, in a word: `open`, `rename`, `sync`.
    package var operation: String
    /// The path that the caller named; not part of `description`.
    package var path: String?

    /// An error of the kernel, classified by its number.
    package init(errorNumber: Int32, operation: String, path: String? = nil) {
        code = Code(errorNumber: errorNumber)
        self.errorNumber = errorNumber
        self.operation = operation
        self.path = path
    }

    /// An error found by ourselves.
    package init(code: Code, operation: String, path: String? = nil) {
        self.code = code
        errorNumber = 0
        self.operation = operation
        self.path = path
    }

    /// The error of the call that just failed on this thread.
    static func last(_ operation: String, path: String? = nil) -> FilesError {
        FilesError(errorNumber: errno, operation: operation, path: path)
    }
}

extension FilesError.Code {
    fileprivate init(errorNumber: Int32) {
        self =
            switch errorNumber {
            case ENOENT: .notFound
            case EEXIST: .alreadyExists
            case EACCES, EPERM: .notPermitted
            case ENOTDIR: .notADirectory
            case EISDIR: .isADirectory
            case ENOTEMPTY: .directoryNotEmpty
            case ENOSPC, EDQUOT: .noSpace
            case ELOOP: .symbolicLink
            case EXDEV: .outsideDirectory
            case ENAMETOOLONG: .nameTooLong
            case EMFILE, ENFILE: .tooManyOpenFiles
            case EROFS: .readOnly
            case EWOULDBLOCK: .wouldBlock
            case EIO: .inputOutput
            case EFBIG: .tooLarge
            case EMSGSIZE: .messageTooLong
            case EPIPE, ECONNRESET: .brokenPipe
            case ESRCH, ECHILD: .noProcess
            case EBUSY: .busy
            case EINVAL: .invalid
            default: .other
            }
    }
}

extension FilesError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Operation and system text, without the path.
    package var description: String {
        "\(operation): \(errorNumber == 0 ? code.rawValue : systemText)"
    }

    /// As `description`, with the path.
    package var debugDescription: String {
        path.map { "\(description) (\($0))" } ?? description
    }

    private var systemText: String {
        // glibc's strerror(3) is thread safe since 2.32.
        guard let text = unsafe strerror(errorNumber) else { return "error \(errorNumber)" }
        return unsafe String(cString: text)
    }
}
