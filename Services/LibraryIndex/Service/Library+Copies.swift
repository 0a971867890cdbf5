private import Files
private import Hashing
private import Logging
private import Media
package import MessageSchema
import SQLite
private import Timekeeping

extension Library {
    /// So many copies of the index are kept.
    package static let keptCopies = 7
    /// So long after the last copy the next one is due.
    private static let copyInterval = Duration.seconds(24 * 3600)
    private static let copies = "backups"

    /// Copies the index while it is in use, and removes the oldest copies beyond seven; the originals are not copied.
    ///
    /// Cancellation does not interrupt it.
    /// - Throws: `LibraryError`: `diskFull`, `writeFailed`, `closing`; what was there stays then.
    package func backUp() async throws -> BackUpLibrary.Reply {
        let bytes = try await database.byteCount()
        do {
            let folder = try Directory(creating: "\(directory)/\(Self.copies)")
            let free = Int64(clamping: try folder.descriptor.space().availableBytes)
            let needed = bytes + Int64(MediaStore.reservedBytes)
            guard free > needed else { throw LibraryError(.diskFull(needed: needed, available: free)) }
            // Changes that come meanwhile may be in it; the name says the least that is.
            let copy = IndexCopy(time: now(), generation: try await generation())
            try await database.copy(as: copy.name, in: "\(directory)/\(Self.copies)")
            for old in try Self.copies(in: folder).dropFirst(Self.keptCopies) { try folder.remove(old.name) }
            let size = try folder.status(of: copy.name)?.size ?? 0
            return BackUpLibrary.Reply(name: copy.name, bytes: size)
        } catch let error as FilesError {
            throw LibraryError(.writeFailed(reason: error.description))
        } catch {
            throw await translated(error, bytes: bytes)
        }
    }

    /// Copies the index when the last copy is a day old and something has changed since.
    ///
    /// - Returns: The copy; nil when none is due.
    package func backUpIfDue() async throws -> BackUpLibrary.Reply? {
        let generation = try await generation()
        let last: IndexCopy? = try {
            guard let folder = try? Directory(opening: "\(directory)/\(Self.copies)") else { return nil }
            return try Self.copies(in: folder).first
        }()
        guard generation != last?.generation ?? 0 else { return nil }
        let made = try await database.perform { try GroupTable(connection: $0).made() }
        let pause = now() - (last?.time ?? made)
        // A clock that was set back is no reason to wait.
        guard pause >= Self.copyInterval || pause < .zero else { return nil }
        return try await backUp()
    }

    /// All copies, the newest first.
    private static func copies(in folder: borrowing Directory) throws -> [IndexCopy] {
        try folder.entries().compactMap { IndexCopy(name: $0.name) }.sorted { $0.time > $1.time }
    }

    /// Makes an index that was a copy until now the library's: another history begins, since numbers of changes would be
    /// used again, and contents that the store does not have are missing.
    ///
    /// A kill in between leaves it to the next start.
    /// - Returns: Whether it was a copy.
    func beginAnewIfCopied() async throws -> Bool {
        let isCopy = try await database.perform { connection in
            try connection.first("SELECT 1 FROM facts WHERE name = 'copied'") { _ in true } ?? false
        }
        guard isCopy else { return false }
        var missing = 0
        var last: SHA256Digest?
        while true {
            let after = last
            let page = try await database.perform { try ContentTable(connection: $0).page(after: after, count: 100) }
            for content in page where try await checker.size(of: content.digest) == nil {
                let assets = try await database.perform { try AssetTable(connection: $0).assets(of: content.digest) }
                guard let asset = assets.first else { continue }
                try await note(.missing, asset)
                missing += assets.count
            }
            guard let end = page.last else { break }
            last = end.digest
        }
        try await database.transaction { connection in
            try connection.run("UPDATE facts SET value = ? WHERE name = 'epoch'", AssetID().description)
            try connection.run("DELETE FROM facts WHERE name = 'copied'")
        }
        log.warning(
            "the index is a copy that was restored: all change tokens have expired",
            ["missing": .count(missing)]
        )
        return true
    }
}
