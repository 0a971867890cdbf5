private import Files
package import Logging
package import MessageSchema
import SQLite
package import Timekeeping

/// The library: what is in it, whose it is, and its bytes.
///
/// Everything that waits for a disk has a thread of its own.
///
/// It knows nothing of permission; the service asks the gate before it asks the library.
package final class Library: Sendable {
    /// Where the library is and who decodes for it.
    package struct Location: Sendable {
        /// The directory of the index.
        package var index: String
        /// The directory of the media store; may be the root of a disk of its own.
        package var media: String
        /// The path of `obscura-decoder`.
        package var decoder: String

        package init(index: String, media: String, decoder: String) {
            self.index = index
            self.media = media
            self.decoder = decoder
        }
    }

    /// Where the index is.
    let directory: String
    let database: Database
    let store: MediaStore
    let reader: MediaReader
    /// Hashes whole files, which those that are being read must not wait for.
    let checker: MediaReader
    let decoders: DecoderPool
    let shelf = RedactionShelf()
    let log: Logger
    let now: @Sendable () -> Timestamp
    let announce: @Sendable ([LibraryEvent]) -> Void

    /// Opens the library, brings index and store into agreement, and makes both when they are new.
    ///
    /// Blocks the calling thread while the database is opened and migrated.
    /// `announce` is called with what has changed, after it has committed.
    /// - Throws: `SQLiteError`, `LibraryError` (`storeLost`, `alreadyRunning`), `FilesError`.
    package init(
        at location: Location,
        limits: DecoderPool.Limits = DecoderPool.Limits(),
        log: Logger,
        now: @escaping @Sendable () -> Timestamp = { .now() },
        announce: @escaping @Sendable ([LibraryEvent]) -> Void = { _ in }
    ) async throws {
        _ = try Directory(creating: location.index)
        directory = location.index
        database = try Database(named: "library.sqlite", in: location.index, schema: LibrarySchema.schema)
        let expected = try await database.perform { connection in
            try connection.first("SELECT value FROM facts WHERE name = 'store'") { try $0.text(0) }
        }
        store = try MediaStore(at: location.media, expecting: expected)
        reader = MediaReader(store.folders, named: "media-read")
        checker = MediaReader(store.folders, named: "media-check")
        decoders = DecoderPool(executable: location.decoder, limits: limits, log: log)
        self.log = log
        self.now = now
        self.announce = announce
        try await begin(isNew: expected == nil)
        let isRestored = try await beginAnewIfCopied()
        try await repair(keepingAll: isRestored)
    }

    /// Closes the index and lets go of the store, so that another process can open them at once.
    ///
    /// What is asked afterwards is refused: work that outlives a drain may still come.
    package func close() async {
        await store.close()
        await database.close()
        store.folders.unlock()
    }

    private func begin(isNew: Bool) async throws {
        let identity = store.identity
        let now = now()
        try await database.transaction { connection in
            if isNew {
                try connection.run("INSERT INTO facts (name, value) VALUES ('store', ?)", identity)
                try connection.run("INSERT INTO facts (name, value) VALUES ('epoch', ?)", AssetID().description)
            }
            try GroupTable(connection: connection).addBuiltIn(now: now)
        }
    }

    /// Finishes or undoes what a kill has interrupted.
    ///
    /// `keepingAll` keeps placed files that no row has: an older index does not know all that was acknowledged.
    private func repair(keepingAll: Bool) async throws {
        let left = try await store.clearStaging()
        guard !left.pending.isEmpty || left.partialUploads > 0 else { return }
        let known = try await database.perform { try ContentTable(connection: $0).known(left.pending) }
        for digest in left.pending {
            if keepingAll || known.contains(digest) {
                await store.settle(digest)
            } else {
                try await store.remove(digest)
            }
        }
        log.info(
            "the media store was repaired",
            [
                "store.partialUploads": .count(left.partialUploads),
                "store.removed": .count(keepingAll ? 0 : left.pending.count - known.count),
                "store.settled": .count(keepingAll ? left.pending.count : known.count),
            ]
        )
    }
}

extension Library {
    /// How many decoders live now.
    package var decoderCount: Int {
        get async { await decoders.workerCount }
    }
}
