private import Glibc

/// How a file is opened (open(2)); close-on-exec is always set.
package struct OpenMode: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// For reading only.
    package static let read = OpenMode(rawValue: O_RDONLY)
    /// For writing only.
    package static let write = OpenMode(rawValue: O_WRONLY)
    /// For both.
    package static let readWrite = OpenMode(rawValue: O_RDWR)
    /// Made when it does not exist.
    package static let create = OpenMode(rawValue: O_CREAT)
    /// With `create`: it must not exist.
    package static let exclusive = OpenMode(rawValue: O_EXCL)
    /// Emptied.
    package static let truncate = OpenMode(rawValue: O_TRUNC)
    /// Each write goes to the end.
    package static let append = OpenMode(rawValue: O_APPEND)
    /// A symbolic link as the last part is refused.
    package static let noFollow = OpenMode(rawValue: O_NOFOLLOW)
    /// It must be a directory.
    package static let directory = OpenMode(rawValue: O_DIRECTORY)
    /// Opening a pipe or a device does not wait.
    package static let nonBlocking = OpenMode(rawValue: O_NONBLOCK)
}
