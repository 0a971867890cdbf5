import Files

extension BagWriter {
    /// Makes the folders that a file is to lie in, as far as they are missing, and makes that durable.
    func makeFolders(of path: String) throws(FilesError) {
        for index in path.indices where path[index] == "/" {
            let folder = String(path[..<index])
            guard try data.status(at: folder) == nil else { continue }
            try data.inFolder(of: folder) { parent, name throws(FilesError) in
                do throws(FilesError) {
                    try parent.createDirectory(name, permissions: 0o777)
                } catch {
                    guard error.code == .alreadyExists else { throw error }
                }
                try parent.sync()
            }
        }
    }
}

extension Directory {
    /// Does something in the folder that a path below this one ends in, with the last name of the path.
    func inFolder<Result>(
        of path: String,
        _ body: (borrowing Directory, String) throws(FilesError) -> Result
    ) throws(FilesError) -> Result {
        guard let slash = path.lastIndex(of: "/") else { return try body(self, path) }
        let folder = try openDirectory(String(path[..<slash]))
        return try body(folder, String(path[path.index(after: slash)...]))
    }

    /// What lies at a path below this one, itself; nil when nothing does.
    ///
    /// No part of the path may be a link.
    func status(at path: String) throws(FilesError) -> FileStatus? {
        do throws(FilesError) {
            return try inFolder(of: path) { folder, name throws(FilesError) in try folder.status(of: name) }
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}
