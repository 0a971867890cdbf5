private import CLinux
private import Glibc
private import Hashing

/// An open directory: every name is resolved below it, and never through a symbolic link (openat2(2), Linux 5.6).
///
/// Because it is held open, renaming or replacing the path it was opened by changes nothing for its user.
package struct Directory: ~Copyable, Sendable {
    /// The directory's own descriptor.
    package let descriptor: FileDescriptor

    /// Takes over a descriptor of a directory.
    package init(adopting descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Opens a path as the process sees it.
    ///
    /// - Throws: `FilesError`: `notFound`, `notADirectory`, `notPermitted`.
    package init(opening path: String) throws(FilesError) {
        descriptor = try FileDescriptor(opening: path, [.read, .directory])
    }

    /// Opens a path as the process sees it, and makes it and its parents first where they are missing.
    package init(creating path: String, permissions: UInt32 = 0o700) throws(FilesError) {
        do throws(FilesError) {
            try self.init(opening: path)
        } catch  where error.code == .notFound {
            let end = path.utf8.count
            var index = path.startIndex
            while index < path.endIndex {
                index = path[path.index(after: index)...].firstIndex(of: "/") ?? path.endIndex
                let part = String(path[..<index])
                try FileFaults.check("createDirectory", path: part)
                if unsafe mkdir(part, permissions) != 0, errno != EEXIST, errno != EISDIR {
                    throw .last("createDirectory", path: part)
                }
            }
            precondition(end > 0, "a directory has a path")
            try self.init(opening: path)
        }
    }

    /// Opens a file below the directory.
    ///
    /// - Throws: `outsideDirectory` for a path that leads out, `symbolicLink` for one through a link, and the usual codes.
    package func open(_ path: String, _ mode: OpenMode, permissions: UInt32 = 0o600) throws(FilesError)
        -> FileDescriptor
    {
        let operation = mode.contains(.create) ? "create" : "open"
        try FileFaults.check(operation, path: path)
        try FilesError.refuseNUL(in: path, operation)
        let opened = try retrying(operation, path: path) {
            unsafe clinux_open_beneath(descriptor.rawValue, path, mode.rawValue | O_CLOEXEC, permissions)
        }
        return FileDescriptor(adopting: opened)
    }

    /// Opens a directory below the directory.
    package func openDirectory(_ path: String) throws(FilesError) -> Directory {
        Directory(adopting: try open(path, [.read, .directory]))
    }

    /// Opens a directory below the directory, and makes it first when it is missing (its parent must exist).
    package func makeDirectory(_ name: String, permissions: UInt32 = 0o700) throws(FilesError) -> Directory {
        do throws(FilesError) {
            try createDirectory(name, permissions: permissions)
        } catch  where error.code == .alreadyExists {}
        return try openDirectory(name)
    }

    /// Makes a directory.
    ///
    /// - Throws: `alreadyExists` and the usual codes.
    package func createDirectory(_ name: String, permissions: UInt32 = 0o700) throws(FilesError) {
        try FileFaults.check("createDirectory", path: name)
        try check(name, "createDirectory")
        _ = try retrying("createDirectory", path: name) { unsafe mkdirat(descriptor.rawValue, name, permissions) }
    }

    /// Renames an entry of this directory, also to another directory of the same file system.
    ///
    /// - Throws: `alreadyExists` when something has the new name and `replacing` is false (renameat2(2) RENAME_NOREPLACE).
    package func rename(
        _ name: String,
        to directory: borrowing Directory,
        as newName: String,
        replacing: Bool
    ) throws(FilesError) {
        try FileFaults.check("rename", path: name)
        try check(name, "rename")
        try check(newName, "rename")
        _ = try retrying("rename", path: name) {
            unsafe clinux_rename(descriptor.rawValue, name, directory.descriptor.rawValue, newName, replacing ? 0 : 1)
        }
    }

    /// Renames an entry within this directory.
    package func rename(_ name: String, as newName: String, replacing: Bool) throws(FilesError) {
        try rename(name, to: self, as: newName, replacing: replacing)
    }

    /// Removes a file's name; false when there was none.
    @discardableResult
    package func remove(_ name: String) throws(FilesError) -> Bool {
        try FileFaults.check("remove", path: name)
        try check(name, "remove")
        return try unlink(name, 0)
    }

    /// Removes an empty directory; false when there was none.
    @discardableResult
    package func removeDirectory(_ name: String) throws(FilesError) -> Bool {
        try FileFaults.check("remove", path: name)
        try check(name, "remove")
        return try unlink(name, AT_REMOVEDIR)
    }

    /// Removes whatever has this name, with everything below it; symbolic links are removed, not followed.
    package func removeAll(_ name: String) throws(FilesError) {
        guard try status(of: name)?.kind == .directory else {
            try remove(name)
            return
        }
        let inner = try openDirectory(name)
        for entry in try inner.entries() { try inner.removeAll(entry.name) }
        try removeDirectory(name)
    }

    /// Makes the directory's entries durable: after a create, rename or remove in it (fsync(2)).
    package func sync() throws(FilesError) {
        try descriptor.sync()
    }

    /// What has this name, a symbolic link itself; nil when nothing has.
    package func status(of name: String) throws(FilesError) -> FileStatus? {
        try descriptor.status(of: name)
    }

    private func unlink(_ name: String, _ flags: Int32) throws(FilesError) -> Bool {
        do throws(FilesError) {
            _ = try retrying("remove", path: name) { unsafe unlinkat(descriptor.rawValue, name, flags) }
            return true
        } catch  where error.code == .notFound {
            return false
        }
    }

    /// One part of a path and nothing else: the calls above have no kernel guard against leaving the directory.
    private func check(_ name: String, _ operation: String) throws(FilesError) {
        try FilesError.refuseNUL(in: name, operation)
        if name.isEmpty || name == "." || name == ".." || name.utf8.contains(UInt8(ascii: "/")) {
            throw FilesError(code: .outsideDirectory, operation: operation, path: name)
        }
    }
}
