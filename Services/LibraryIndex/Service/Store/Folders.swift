import Files
private import Glibc
private import Hashing
private import Synchronization

/// The directories of the media store, held open, with the lock that keeps a second library out.
final class Folders: Sendable {
    static let markerName = ".obscura-media"

    let root: Directory
    let staging: Directory
    let media: Directory
    /// The text of the marker.
    let identity: String

    private let lock: Mutex<FileLock?>

    init(at path: String, expecting expected: String?) throws {
        let root = try Directory(creating: path)
        guard let lock = try FileLock.attempt("media.lock", in: root) else {
            throw LibraryError(.alreadyRunning(processID: FileLock.holder(of: "media.lock", in: root)))
        }
        identity = try Folders.identity(in: root, expecting: expected)
        staging = try root.makeDirectory("staging")
        media = try root.makeDirectory("media")
        try root.sync()
        self.root = root
        self.lock = Mutex(lock)
    }

    /// Lets another library have the store.
    func unlock() {
        lock.withLock { $0 = nil }
    }

    /// The marker's text; written when a library without a database finds a directory without a marker.
    private static func identity(in root: borrowing Directory, expecting expected: String?) throws -> String {
        let found = try root.read(markerName, limit: 256).map { String(decoding: $0, as: UTF8.self) }
        let text = found.map { String($0.prefix { !$0.isNewline }) }
        switch (text, expected) {
        case (let text?, nil): return text
        case (let text?, let expected?) where text == expected: return text
        case (nil, nil):
            guard try root.status(of: "media") == nil else { throw LibraryError(.storeLost) }
            let made = AssetID().description
            try root.writeAtomically(Array("\(made)\n".utf8), to: markerName)
            return made
        default: throw LibraryError(.storeLost)
        }
    }

    /// The folder of a hash, made where it is missing; its parents are synced.
    func makeFolder(for name: String) throws -> Directory {
        let parts = Folders.parts(of: name)
        let isNew = try media.status(of: parts.outer) == nil
        let outer = try media.makeDirectory(parts.outer)
        if isNew { try media.sync() }
        let isInnerNew = try outer.status(of: parts.inner) == nil
        let inner = try outer.makeDirectory(parts.inner)
        if isInnerNew { try outer.sync() }
        return inner
    }

    /// The folder of a hash.
    func folder(for name: String) throws(FilesError) -> Directory {
        let parts = Folders.parts(of: name)
        return try media.openDirectory("\(parts.outer)/\(parts.inner)")
    }

    /// Opens a placed file for reading; nil when it is not there.
    func open(_ name: String) throws(FilesError) -> SharedFile? {
        let parts = Folders.parts(of: name)
        do throws(FilesError) {
            return SharedFile(try media.open("\(parts.outer)/\(parts.inner)/\(name)", [.read, .noFollow]))
        } catch  where error.code == .notFound {
            return nil
        }
    }

    /// The size of a placed file; nil when it is not there.
    func size(of name: String) throws(FilesError) -> Int64? {
        let parts = Folders.parts(of: name)
        do throws(FilesError) {
            return try media.openDirectory("\(parts.outer)/\(parts.inner)").status(of: name)?.size
        } catch  where error.code == .notFound {
            return nil
        }
    }

    private static func parts(of name: String) -> (outer: String, inner: String) {
        (String(name.prefix(2)), String(name.dropFirst(2).prefix(2)))
    }
}
