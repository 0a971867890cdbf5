import Files

/// A file that an import found below the paths it was given.
struct ImportCandidate: Sendable {
    /// What is to be done with it.
    enum Fate: Sendable {
        case upload
        /// Nothing, for this reason.
        case skip(String)
        /// It can not be read, for this reason.
        case fail(String)
    }

    /// The path as the user sees it.
    let path: String
    let fate: Fate
    /// Where it is opened.
    let root: ImportRoot
    /// Its path below the root.
    let relativePath: String
    /// Whether the user named this very file, and no folder that it lies in.
    var isNamed = false
}

/// A directory that an import looks below; names below it are resolved without following symbolic links.
final class ImportRoot: Sendable {
    private let directory: Directory

    init(_ path: String) throws(FilesError) { directory = try Directory(opening: path) }

    /// Opens a file below it for reading.
    func open(_ relativePath: String) throws(FilesError) -> FileDescriptor {
        try directory.open(relativePath, [.read, .nonBlocking, .noFollow])
    }

    /// The open directory itself.
    func openDirectory() throws(FilesError) -> Directory { try directory.openDirectory(".") }

    /// What has a name in it.
    func status(of name: String) throws(FilesError) -> FileStatus? { try directory.status(of: name) }
}
