private import Hashing

extension Directory {
    /// Puts a complete, synced file in the place of that name, or leaves what was there.
    ///
    /// An exclusive temporary name, write, fsync, rename, fsync of the directory.
    package func writeAtomically(_ bytes: [UInt8], to name: String, permissions: UInt32 = 0o600) throws(FilesError) {
        let temporary = ".\(name).\(randomBytes(8).hexadecimal).partial"
        do throws(FilesError) {
            let file = try open(temporary, [.write, .create, .exclusive], permissions: permissions)
            try file.writeAll(bytes)
            try file.sync()
            try file.close()
            try rename(temporary, as: name, replacing: true)
        } catch {
            // The first error is the one to report; a name that stays behind is harmless.
            _ = try? remove(temporary)
            throw error
        }
        try sync()
    }

    /// All bytes of a file below the directory, at most `limit`; nil when there is none.
    ///
    /// - Throws: `tooLarge` and the usual codes.
    package func read(_ name: String, limit: Int) throws(FilesError) -> [UInt8]? {
        do throws(FilesError) {
            return try open(name, .read).readAll(limit: limit)
        } catch  where error.code == .notFound {
            return nil
        }
    }
}
