private import Files

/// The folders along a path that were not there, so that whoever makes them and has no use for them removes no others.
struct NewFolders: Sendable {
    /// From the outmost.
    private var folders: [(parent: String, name: String)] = []

    init() {}

    /// Looks which folders along an absolute path are missing; blocks.
    init(along path: String) {
        var parent = "/"
        for name in path.split(separator: "/").map({ String($0) }) where name != "." {
            let folder = parent == "/" ? "/" + name : parent + "/" + name
            if !folders.isEmpty || Self.isMissing(folder) { folders.append((parent, name)) }
            parent = folder
        }
    }

    private static func isMissing(_ path: String) -> Bool {
        do throws(FilesError) {
            _ = try Directory(opening: path)
            return false
        } catch {
            return error.code == .notFound
        }
    }

    /// Removes those that are there now and empty, from the inmost; blocks.
    func removeEmpty() {
        for (parent, name) in folders.reversed() {
            // A folder that something lies in stays, with those around it.
            guard let folder = try? Directory(opening: parent), (try? folder.removeDirectory(name)) == true else {
                return
            }
        }
    }
}
