private import Glibc
private import Hashing

/// A directory of our own that disappears, with everything in it, with this value.
package struct TemporaryDirectory: ~Copyable, Sendable {
    /// The absolute path.
    package let path: String

    private let parent: Directory
    private let name: String

    /// Makes `prefix-<random>` in `parent` (default `$TMPDIR`, else `/tmp`), only for this user.
    package init(prefix: String = "obscura", in parent: String? = nil) throws(FilesError) {
        let variable = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        let place = parent ?? variable ?? "/tmp"
        let opened = try Directory(opening: place)
        let name = "\(prefix)-\(randomBytes(8).hexadecimal)"
        try opened.createDirectory(name)
        self.parent = opened
        self.name = name
        path = "\(place)/\(name)"
    }

    deinit {
        // Nobody is there to hear of what could not be removed.
        try? parent.removeAll(name)
    }

    /// Opens the directory.
    package func open() throws(FilesError) -> Directory {
        try parent.openDirectory(name)
    }
}
