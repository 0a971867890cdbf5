package import Files
package import MessageSchema

/// Where jobs may write: below the configured roots and nowhere else.
package struct ExportRoots: Hashable, Sendable {
    private static let deepest = 16

    /// Absolute paths; the first one is meant by a relative destination.
    package let paths: [String]

    /// Roots at these absolute paths.
    package init(_ paths: [String]) {
        self.paths = paths.map { path in
            var path = path
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            return path
        }
    }

    /// The absolute path that a destination means.
    ///
    /// - Throws: `destinationRefused` for one that is no place below a root.
    package func path(of destination: String) throws(ErrorReply) -> String {
        let (root, parts) = try split(destination)
        return ([root] + parts).joined(separator: "/")
    }

    /// Opens a destination, and makes it where it is missing; no link is followed below the root, and the call blocks.
    ///
    /// - Throws: `destinationRefused`; `cannotCreate` or `diskFull` when the file system refuses.
    package func open(_ destination: String) throws(ErrorReply) -> Directory {
        let (root, parts) = try split(destination)
        do throws(FilesError) {
            var directory = try Directory(creating: root)
            for part in parts {
                let isNew = try directory.status(of: part) == nil
                let inner = try directory.makeDirectory(part, permissions: 0o777)
                // A folder is there after a loss of power only when the one that names it has been synced.
                if isNew { try directory.sync() }
                directory = inner
            }
            return directory
        } catch {
            switch error.code {
            case .noSpace: throw ErrorReply(.diskFull, "The disk is full", reason: error.description)
            case .symbolicLink, .outsideDirectory, .notADirectory:
                throw Self.refusal("It leads out of the export folder or is no folder.")
            default: throw ErrorReply(.cannotCreate, "The destination can not be made", reason: error.description)
            }
        }
    }

    /// The folders on the way to a destination that are not there yet, below its root; blocks.
    ///
    /// - Throws: `destinationRefused`.
    package func newFolders(of destination: String) throws(ErrorReply) -> NewFolders {
        let (root, parts) = try split(destination)
        return NewFolders(parts, below: root)
    }

    private func split(_ destination: String) throws(ErrorReply) -> (root: String, parts: [String]) {
        guard let first = paths.first else { throw Self.refusal("No export folder is configured.") }
        var root = first
        var rest = destination[...]
        if destination.hasPrefix("/") {
            guard let found = paths.first(where: { destination.hasPrefix($0 + "/") }) else {
                throw Self.refusal("It is not below \(paths.joined(separator: ", ")).")
            }
            root = found
            rest = destination.dropFirst(found.count + 1)
        }
        let parts = rest.split(separator: "/", omittingEmptySubsequences: true).map { String($0) }
        guard !parts.isEmpty, parts.count <= Self.deepest else { throw Self.refusal("It names no folder of its own.") }
        guard parts.allSatisfy({ $0 != "." && $0 != ".." && !$0.utf8.contains(0) && $0.utf8.count <= 255 }) else {
            throw Self.refusal("It has parts that are no names.")
        }
        return (root, parts)
    }

    private static func refusal(_ reason: String) -> ErrorReply {
        ErrorReply(
            .destinationRefused,
            "The exporter does not write there",
            reason: reason,
            recoverySuggestion: "Name a folder below an export folder, or let the command line write the files itself."
        )
    }
}
