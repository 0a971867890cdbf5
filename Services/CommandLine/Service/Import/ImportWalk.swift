private import Files
import MessageSchema

/// Finds the files of an import: everything below the given paths, hidden files too.
///
/// Symbolic links are never followed, and each directory is entered once, however often it is named or mounted below
/// itself.
struct ImportWalk {
    /// Directories deeper than this are not entered; each level holds a descriptor open.
    static let deepest = 128

    private(set) var candidates: [ImportCandidate] = []
    private var visited: Set<Identity> = []

    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// Looks below one path that the user named.
    ///
    /// - Throws: `noSuchFile` if there is nothing of that name.
    mutating func add(_ path: String) throws(ErrorReply) {
        let parts = Self.split(path)
        do throws(FilesError) {
            let root = try ImportRoot(parts.parent)
            // "." and ".." and "/" are directories under another name.
            guard let name = parts.name else {
                return descend(try root.openDirectory(), ImportPlace(root: root, shown: path, relative: ""), depth: 0)
            }
            guard let status = try root.status(of: name) else {
                throw FilesError(code: .notFound, operation: "open", path: path)
            }
            let place = ImportPlace(root: root, shown: path, relative: name)
            let before = candidates.count
            take(place, status.kind, depth: 0) { () throws(FilesError) in try root.openDirectory().openDirectory(name) }
            if status.kind != .directory { candidates[before].isNamed = true }
        } catch {
            throw .cannotRead(path, error)
        }
    }

    private mutating func take(
        _ place: ImportPlace,
        _ kind: FileStatus.Kind,
        depth: Int,
        _ open: () throws(FilesError) -> Directory
    ) {
        switch kind {
        case .regular: add(place, .upload)
        case .symbolicLink: add(place, .skip("a symbolic link; name what it points to"))
        case .other: add(place, .skip("not a regular file"))
        case .directory where depth > Self.deepest: add(place, .fail("too deep below the path that was named"))
        case .directory:
            do throws(FilesError) {
                descend(try open(), place, depth: depth)
            } catch {
                add(place, .fail(error.words))
            }
        }
    }

    private mutating func descend(_ directory: consuming Directory, _ place: ImportPlace, depth: Int) {
        do throws(FilesError) {
            let status = try directory.descriptor.status()
            guard visited.insert(Identity(device: status.device, inode: status.inode)).inserted else { return }
            for entry in try directory.entries() {
                let inner = place.appending(entry.name)
                guard entry.isExact else {
                    add(inner, .fail("the name is not UTF-8"))
                    continue
                }
                do throws(FilesError) {
                    var kind = entry.kind
                    if kind == nil { kind = try directory.status(of: entry.name)?.kind }
                    // A file that went away since the directory was listed is not there.
                    guard let kind else { continue }
                    take(inner, kind, depth: depth + 1) { () throws(FilesError) in
                        try directory.openDirectory(entry.name)
                    }
                } catch {
                    add(inner, .fail(error.words))
                }
            }
        } catch {
            add(place, .fail(error.words))
        }
    }

    private mutating func add(_ place: ImportPlace, _ fate: ImportCandidate.Fate) {
        candidates.append(
            ImportCandidate(path: place.shown, fate: fate, root: place.root, relativePath: place.relative)
        )
    }

    /// The directory of a path, and the name in it; no name for a path that ends in `.`, `..` or is `/`.
    private static func split(_ path: String) -> (parent: String, name: String?) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed = trimmed.dropLast() }
        let name = trimmed.split(separator: "/").last.map(String.init)
        guard let name, name != ".", name != ".." else { return (String(trimmed), nil) }
        let parent = trimmed.dropLast(name.count)
        return (parent.isEmpty ? "." : String(parent), name)
    }
}

/// Where the walk is.
private struct ImportPlace {
    let root: ImportRoot
    let shown: String
    let relative: String

    func appending(_ name: String) -> ImportPlace {
        ImportPlace(
            root: root,
            shown: shown.hasSuffix("/") ? shown + name : shown + "/" + name,
            relative: relative.isEmpty ? name : relative + "/" + name
        )
    }
}
