private import CLinux
package import Files
private import Glibc

/// A folder watched with inotify(7), owned; it never waits.
package struct FolderWatch: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// Watches a folder's entries and their attributes, but for what is in them.
    ///
    /// - Throws: `FilesError`: `notFound`; ENOSPC or EMFILE where the user has no watch left
    ///   (`fs.inotify.max_user_watches`).
    package init(_ path: String) throws(FilesError) {
        let number = clinux_inotify()
        guard number >= 0 else { throw FilesError(errorNumber: errno, operation: "inotify") }
        let descriptor = FileDescriptor(adopting: number)
        guard unsafe clinux_watch_folder(number, path) >= 0 else {
            throw FilesError(errorNumber: errno, operation: "inotify")
        }
        self.descriptor = descriptor
    }

    var pollDescriptor: Int32 { descriptor.rawValue }

    /// The changes that wait; nil when the watch can not be read any more.
    borrowing func changes() -> [FolderChange]? {
        do throws(FilesError) {
            // Room for many records: one has 16 bytes and a name of at most 256.
            return FolderChange.all(in: try descriptor.read(upTo: 16 << 10))
        } catch {
            return error.code == .wouldBlock ? [] : nil
        }
    }
}
