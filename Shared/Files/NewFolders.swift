/// The folders on the way to a place that were not there, so that whoever makes them and has no use for them removes no
/// others.
package struct NewFolders: Sendable {
    /// A folder that is not removed; its own path may lead through links.
    private let root: String
    /// The folders below it on the way, from the outmost; no link is followed among them.
    private let parts: [String]
    /// How many of them were there.
    private let found: Int

    /// Looks which folders are missing; blocks.
    ///
    /// What is there and can not be opened counts like those below it, so that nobody takes them for new.
    package init(_ parts: [String], below root: String) {
        self.root = root
        self.parts = parts
        found = Self.found(parts, below: root)
    }

    /// Looks which folders along an absolute path are missing, wherever its links lead; blocks.
    package init(along path: String) {
        var root = "/"
        var rest = path.split(separator: "/").map { String($0) }.filter { $0 != "." }[...]
        while let name = rest.first {
            let folder = root == "/" ? "/" + name : root + "/" + name
            do throws(FilesError) {
                _ = try Directory(opening: folder)
            } catch {
                // What can not be opened was there.
                if error.code != .notFound { rest = [] }
                break
            }
            root = folder
            rest = rest.dropFirst()
        }
        self.root = root
        parts = Array(rest)
        found = 0
    }

    private static func found(_ parts: [String], below root: String) -> Int {
        for count in 0...parts.count {
            do throws(FilesError) {
                let top = try Directory(opening: root)
                _ = try top.openDirectory(count == 0 ? "." : parts.prefix(count).joined(separator: "/"))
            } catch {
                return error.code == .notFound ? max(0, count - 1) : parts.count
            }
        }
        return parts.count
    }

    /// Removes those that are there now and empty, from the inmost; blocks.
    package func removeEmpty() {
        for count in stride(from: parts.count, to: found, by: -1) {
            let parent = parts.prefix(count - 1).joined(separator: "/")
            do throws(FilesError) {
                let folder = try Directory(opening: root).openDirectory(parent.isEmpty ? "." : parent)
                try folder.removeDirectory(parts[count - 1])
            } catch {
                // One that was not made in the end is not in the way; one that something lies in stays, with those around it.
                guard error.code == .notFound else { return }
            }
        }
    }
}
