private import Files
private import Glibc
package import Hashing

/// The directory of originals, each named by the hash of its content, on a thread of its own.
///
/// ```
/// .obscura-media              the marker: whose store it is; without it the disk is not mounted
/// staging/<random>            what is arriving
/// staging/<hash>.pending      placed, and its row not yet committed
/// media/ab/cd/<hash>          what is there for good
/// ```
///
/// A file is complete, synced and renamed before its row commits. Nothing is ever written into a placed file.
package actor MediaStore {
    /// What has arrived and is synced, waiting to be placed or discarded.
    package struct Staged: Hashable, Sendable {
        let name: String
        /// The hash of the content.
        package let digest: SHA256Digest
        /// Bytes of content.
        package let bytes: Int64
    }

    /// An upload that is arriving.
    package struct UploadID: Hashable, Sendable {
        let name: String
    }

    /// The placements of one content whose rows have neither committed nor failed.
    private struct Placements {
        var inFlight = 0
        /// How many there have been while some were in flight.
        var count = 0
    }

    private struct Upload {
        let file: SharedFile
        let hasher: SHA256
        var bytes: Int64
    }

    /// This much is left free for the database, which must be able to record a removal on a full disk.
    static let reservedBytes: UInt64 = 16 << 20

    private let thread: BlockingThread
    let folders: Folders
    private var uploads: [String: Upload] = [:]
    private var isClosed = false
    private var placements: [SHA256Digest: Placements] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe thread.executor.asUnownedSerialExecutor()
    }

    /// Opens the store below a directory, and makes it when the directory is new.
    ///
    /// Blocks, before there is anything to stall.
    /// `identity` is the store that is expected; nil for a library without a database yet, which takes what is there.
    /// - Throws: `LibraryError`: `alreadyRunning`, `storeLost`; `FilesError`.
    package init(at path: String, expecting identity: String?) throws {
        folders = try Folders(at: path, expecting: identity)
        thread = BlockingThread(name: "media")
    }

    isolated deinit {}

    /// Refuses whatever would write from now on: the store may soon be another process's.
    package func close() {
        isClosed = true
    }

    private func checkOpen() throws {
        if isClosed { throw LibraryError(.closing) }
    }

    /// Whose store it is: the text of its marker.
    package nonisolated var identity: String { folders.identity }

    // MARK: - Arriving

    /// Begins to receive a file.
    ///
    /// - Throws: `diskFull` when nothing but the reserve is left.
    package func beginUpload() throws -> UploadID {
        try checkOpen()
        try checkSpace(for: 0)
        let name = randomBytes(12).hexadecimal
        let file = try storing(0) { try folders.staging.open(name, [.readWrite, .create, .exclusive]) }
        uploads[name] = Upload(file: SharedFile(file), hasher: SHA256(), bytes: 0)
        return UploadID(name: name)
    }

    /// Adds bytes to an arriving file; after an error the upload is gone.
    package func append(_ bytes: [UInt8], to id: UploadID) throws {
        guard var upload = uploads[id.name] else { preconditionFailure("an upload is written while it is open") }
        do {
            try checkOpen()
            try checkSpace(for: Int64(bytes.count))
            try storing(upload.bytes + Int64(bytes.count)) { try upload.file.descriptor.writeAll(bytes) }
        } catch {
            cancel(id)
            throw error
        }
        upload.hasher.update(bytes)
        upload.bytes += Int64(bytes.count)
        uploads[id.name] = upload
    }

    /// Makes what has arrived durable; after an error the upload is gone.
    package func finish(_ id: UploadID) throws -> Staged {
        guard let upload = uploads[id.name] else { preconditionFailure("an upload is finished once") }
        do {
            try storing(upload.bytes) { try upload.file.descriptor.sync() }
        } catch {
            cancel(id)
            throw error
        }
        uploads[id.name] = nil
        return Staged(name: id.name, digest: upload.hasher.finish(), bytes: upload.bytes)
    }

    /// Forgets an upload and its bytes; one that is over is forgotten already.
    package func cancel(_ id: UploadID) {
        guard uploads.removeValue(forKey: id.name) != nil else { return }
        // What stays behind is cleaned at the next start.
        _ = try? folders.staging.remove(id.name)
    }

    /// Forgets a staged file.
    package func discard(_ staged: Staged) {
        _ = try? folders.staging.remove(staged.name)
    }

    /// A descriptor of a staged file for reading from its start, to hand to a decoder.
    package func open(_ staged: Staged) throws -> SharedFile {
        SharedFile(try folders.staging.open(staged.name, .read))
    }

    // MARK: - Placing

    /// Gives a staged file its name for good, before its row commits; `settle` or `abandon` must follow, also an error.
    ///
    /// It takes the place of what is there: that was complete once, but what was staged has just been hashed and synced.
    package func place(_ staged: Staged) throws {
        hold(staged.digest)
        let name = staged.digest.description
        try storing(staged.bytes) {
            try checkOpen()
            try folders.staging.open("\(name).pending", [.write, .create]).close()
            let folder = try folders.makeFolder(for: name)
            try folders.staging.rename(staged.name, to: folder, as: name, replacing: true)
            try folder.sync()
        }
    }

    /// Says that the row of a placed file is about to go: `abandon` or `settle` must follow, also an error.
    ///
    /// What a kill leaves is judged by the next start, as after a placement.
    package func beginRemoving(_ digest: SHA256Digest) {
        hold(digest)
        // On a full disk there may be no marker; a kill then leaves a file that no row has, which a check counts.
        _ = try? folders.staging.open("\(digest).pending", [.write, .create]).close()
    }

    /// Keeps a placed file from being removed until `endHold`; there is no marker, so that a kill changes nothing.
    ///
    /// - Returns: What to hand to `endHold`.
    @discardableResult
    package func hold(_ digest: SHA256Digest) -> Int {
        var placement = placements[digest, default: Placements()]
        placement.inFlight += 1
        placement.count += 1
        placements[digest] = placement
        return placement.count
    }

    /// Ends a hold, and leaves the file as it is, unless the same content was placed or removed since `count` was told.
    ///
    /// - Returns: Whether it is over; if not, `beginAbandoning` must follow, as for a placement that has failed.
    package func endHold(_ digest: SHA256Digest, since count: Int) -> Bool {
        guard placements[digest]?.count == count else { return false }
        _ = leave(digest)
        return true
    }

    /// The row of a placed file has committed, or there is one with the same content.
    ///
    /// The marker goes with the last placement in flight.
    package func settle(_ digest: SHA256Digest) {
        guard leave(digest) else { return }
        removeMarker(of: digest)
    }

    /// Whether a placement that has failed is the only one of its content in flight; another one answers for the file
    /// otherwise, and this one is over.
    ///
    /// - Returns: What to hand to `abandon` after the index was asked for a row; nil when it is over.
    package func beginAbandoning(_ digest: SHA256Digest) -> Int? {
        guard let found = placements[digest] else { return nil }
        if found.inFlight == 1 { return found.count }
        placements[digest]?.inFlight -= 1
        return nil
    }

    /// Removes a placed file that has no row, unless the same content was placed again since `count` was told.
    ///
    /// - Returns: Whether it is over; if not, the index has to be asked again.
    package func abandon(_ digest: SHA256Digest, since count: Int) -> Bool {
        guard placements[digest]?.count == count else { return false }
        // What can not be removed keeps its marker, and the next start looks at it.
        _ = try? remove(digest)
        _ = leave(digest)
        return true
    }

    /// Leaves a placed file to the next start to judge, when the index can not be asked.
    package func leaveToRepair(_ digest: SHA256Digest) {
        _ = leave(digest)
    }

    /// Counts a placement as over.
    ///
    /// - Returns: Whether none of this content is in flight now.
    private func leave(_ digest: SHA256Digest) -> Bool {
        placements[digest]?.inFlight -= 1
        guard let left = placements[digest]?.inFlight, left > 0 else {
            placements[digest] = nil
            return true
        }
        return false
    }

    private func removeMarker(of digest: SHA256Digest) {
        // A marker that stays is looked at, and found settled, at the next start.
        _ = try? folders.staging.remove("\(digest).pending")
    }

    // MARK: - Space

    /// The bytes that can still be stored.
    package func availableBytes() throws -> Int64 {
        let space = try folders.root.descriptor.space()
        return Int64(clamping: space.availableBytes) - Int64(MediaStore.reservedBytes)
    }

    private func checkSpace(for bytes: Int64) throws {
        guard try availableBytes() > bytes else { throw full(for: bytes) }
    }

    /// That the disk is full: as `df` shows it, and what a file needs of it, with the reserve that has to stay free.
    package func full(for bytes: Int64) -> LibraryError {
        let reserve = Int64(MediaStore.reservedBytes)
        let available = ((try? availableBytes()) ?? -reserve) + reserve
        return LibraryError(.diskFull(needed: bytes + reserve, available: available))
    }

    /// Turns a refusal of the disk into words of the library.
    private func storing<Result: ~Copyable>(_ bytes: Int64, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FilesError where error.code == .noSpace {
            throw full(for: bytes)
        } catch let error as FilesError {
            throw LibraryError(.writeFailed(reason: error.description))
        }
    }
}
