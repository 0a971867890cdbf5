private import CLinux
private import Glibc

/// How much room a file system has (statfs(2)).
package struct FileSystemSpace: Hashable, Sendable {
    /// Bytes altogether.
    package let totalBytes: UInt64
    /// Bytes that this user can still write.
    package let availableBytes: UInt64
    /// Files that can still be made; 0 altogether means that the file system does not count them.
    package let availableFiles: UInt64
    /// See `availableFiles`.
    package let totalFiles: UInt64
    /// The kernel's number for the kind of file system.
    package let kind: Int64

    /// Whether it is a network file system, where SQLite's WAL does not work (sqlite.org/wal.html).
    ///
    /// NFS, SMB, CIFS, SMB2, AFS, Ceph, 9P by their numbers in linux/magic.h and the kernel's sources.
    package var isRemote: Bool {
        [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F, 0x00C3_6400, 0x0102_1997].contains(kind)
    }
}

extension FileDescriptor {
    /// The room on the file system that holds the open file.
    package func space() throws(FilesError) -> FileSystemSpace {
        try FileFaults.check("space")
        var space = clinux_space()
        _ = try retrying("space") { unsafe clinux_space_of(rawValue, &space) }
        return FileSystemSpace(
            totalBytes: space.total,
            availableBytes: space.available,
            availableFiles: space.available_inodes,
            totalFiles: space.total_inodes,
            kind: space.type & 0xFFFF_FFFF
        )
    }
}
