import Files
import Hashing

extension BagWriter {
    /// Where changed bytes are kept: beside `data/`, because a bag lists all that lies in there (RFC 8493 section 3).
    package static let changedName = "changed"
    private static let mostNames = 10_000

    /// Moves a changed file out of the way, to a name that nothing has, and makes that durable.
    mutating func setAside(_ name: String) throws(BagError) {
        do throws(FilesError) {
            guard try data.status(at: name) != nil else { return }
            let changed = try root.makeDirectory(Self.changedName, permissions: 0o777)
            let kept = try keep(name, in: changed)
            repairs.append(BagRepair(path: "data/" + name, kept: Self.changedName + "/" + kept))
            try changed.sync()
            try root.sync()
        } catch {
            throw BagError(error)
        }
    }

    private func keep(_ name: String, in changed: borrowing Directory) throws(FilesError) -> String {
        // Flat, whatever folder it lay in.
        let last = String(name[(name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex)...])
        let safe = SafeName(last)
        for number in 1..<Self.mostNames {
            let kept = number == 1 ? last : safe.text(suffix: "-\(number)")
            do throws(FilesError) {
                try data.inFolder(of: name) { folder, entry throws(FilesError) in
                    try folder.move(entry, to: changed, as: kept)
                    try folder.sync()
                }
                return kept
            } catch {
                guard error.code == .alreadyExists else { throw error }
            }
        }
        throw FilesError(code: .alreadyExists, operation: "rename", path: name)
    }

    /// Renews a changed file with the content that the bag has under another name.
    ///
    /// - Returns: False when the bag has no such content; nothing has changed then.
    mutating func renew(_ name: String, _ digest: SHA256Digest) throws(BagError) -> Bool {
        namesByDigest = nil
        for source in try names(of: digest) where source != name {
            guard let status = try bagging({ () throws(FilesError) in try data.status(at: source) }) else {
                continue
            }
            let file = PlacedFile(
                name: name,
                digest: digest,
                byteCount: status.size,
                isPresent: false,
                isChanged: true
            )
            if try duplicate(file) { return true }
        }
        return false
    }
}

extension Directory {
    /// Gives a file another name, also in another directory of the file system, and replaces nothing.
    ///
    /// - Throws: `alreadyExists`, and the usual codes.
    func move(_ name: String, to directory: borrowing Directory, as newName: String) throws(FilesError) {
        do throws(FilesError) {
            try rename(name, to: directory, as: newName, replacing: false)
        } catch  where error.code == .invalid {
            // The file system has no RENAME_NOREPLACE (renameat2(2)); the bag's lock keeps other exporters away.
            guard try directory.status(of: newName) == nil else {
                throw FilesError(code: .alreadyExists, operation: "rename", path: newName)
            }
            try rename(name, to: directory, as: newName, replacing: true)
        }
    }
}
