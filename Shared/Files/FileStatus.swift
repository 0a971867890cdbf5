private import CLinux
private import Glibc

/// What the kernel knows about a file (stat(2)).
package struct FileStatus: Hashable, Sendable {
    /// What kind of file it is.
    package enum Kind: Hashable, Sendable {
        case regular, directory, symbolicLink, other
    }

    /// The kind.
    package let kind: Kind
    /// Bytes of content.
    package let size: Int64
    /// Device and inode together are the file's identity on this machine.
    package let device: UInt64
    /// See `device`.
    package let inode: UInt64
    /// How many names it has.
    package let links: UInt64
    /// The permission bits.
    package let permissions: UInt32
    /// User id of the owner.
    package let owner: UInt32
    /// Group id.
    package let group: UInt32
    /// Last change of the content, in nanoseconds since 1970; a time beyond the years 1677 to 2262, which any user can give
    /// a file (utimensat(2)), is the first or the last that fits.
    package let modifiedNanoseconds: Int64
    /// Last change of content or metadata, in nanoseconds since 1970; limited as `modifiedNanoseconds`.
    package let changedNanoseconds: Int64

    fileprivate init(_ status: clinux_status) {
        kind =
            switch status.mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        size = status.size
        device = status.device
        inode = status.inode
        links = status.links
        permissions = status.mode & 0o7777
        owner = status.owner
        group = status.group
        modifiedNanoseconds = Self.nanoseconds(status.modified_seconds, status.modified_nanoseconds)
        changedNanoseconds = Self.nanoseconds(status.changed_seconds, status.changed_nanoseconds)
    }

    private static func nanoseconds(_ seconds: Int64, _ part: Int64) -> Int64 {
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = whole.addingReportingOverflow(part)
        return overflow || sumOverflow ? (seconds < 0 ? .min : .max) : sum
    }
}

extension FileDescriptor {
    /// What the kernel knows about the open file.
    package func status() throws(FilesError) -> FileStatus {
        try FileFaults.check("status")
        var status = clinux_status()
        _ = try retrying("status") { unsafe clinux_status_of(rawValue, &status) }
        return FileStatus(status)
    }

    /// What the kernel knows about a name below this directory, a symbolic link itself; nil when there is none.
    func status(of name: String) throws(FilesError) -> FileStatus? {
        try FileFaults.check("status", path: name)
        try FilesError.refuseNUL(in: name, "status")
        var status = clinux_status()
        do throws(FilesError) {
            _ = try retrying("status", path: name) { unsafe clinux_status_at(rawValue, name, &status) }
        } catch  where error.code == .notFound {
            return nil
        }
        return FileStatus(status)
    }
}
