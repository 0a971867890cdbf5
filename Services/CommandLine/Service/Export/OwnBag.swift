import Bags
private import EventLoop
private import Files
import Hashing
import Media
import MessageSchema

/// A bag that this user writes, on a thread that may wait for the disk.
actor OwnBag {
    private let loop = EventLoop(name: "bag")
    private let path: String
    private let privacy: PrivacyProfile
    private let names: NameTemplate?
    private var writer: BagWriter?
    private var file: BagFileWriter?
    private(set) var copied = 0
    private(set) var copiedBytes: Int64 = 0
    private(set) var skipped = 0
    /// Files that are without some of their metadata.
    private(set) var redacted = 0
    private(set) var failures: [ExportFailure] = []
    /// What had been changed in the bag and was renewed, and what could not be.
    private(set) var repaired: [ExportRepair] = []
    private(set) var damaged: [String] = []
    /// What earlier exports put there and is gone, and what no export put there.
    private(set) var gone: [String] = []
    private(set) var unlisted: [String] = []
    private var current: Asset?
    /// The folders that were made for the bag.
    private var folders: NewFolders?
    /// Where files lie that come without bytes and that the bag does not have after all, by their assets.
    private var missing: [AssetURL: PlacedFile] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }

    init(path: String, privacy: PrivacyProfile, names: NameTemplate? = nil) {
        self.path = path
        self.privacy = privacy
        self.names = names
    }

    isolated deinit {}

    /// Opens or makes the folder as a bag.
    ///
    /// - Returns: The hashes of files that it has for certain, 32 bytes each, in as many parts as a request may have; of
    ///   more files than that the rest is sent again and not written.
    func open() throws -> [[UInt8]] {
        let directory: Directory
        do throws(FilesError) {
            folders = NewFolders(along: path)
            directory = try Directory(creating: path, permissions: 0o777)
        } catch {
            folders?.removeEmpty()
            throw ErrorReply.cannotCreate(path, error)
        }
        do throws(BagError) {
            writer = try BagWriter(directory, profile: privacy.rawValue)
            return Self.parts(of: try writer?.presentDigests() ?? [])
        } catch {
            throw ErrorReply(error, path)
        }
    }

    /// The assets whose bytes have to be asked for, because the bag has lost them.
    var missingAssets: [AssetURL] { missing.keys.sorted { $0.description < $1.description } }

    /// Takes the next item of the exporter's stream.
    func take(_ item: StreamExport.Item, _ bytes: [UInt8]) throws {
        if let needed = item.bytesToCome { try checkRoom(for: needed) }
        if let failed = item.failed {
            // What was half written of it has failed with this, and not besides.
            if current?.url == failed.url { current = nil }
            abandon()
            failures.append(failed)
            return
        }
        if let next = item.file { try begin(next) }
        guard file != nil else { return }
        try replying { () throws(BagError) in try file?.write(bytes) }
        if item.last == true { try finish() }
    }

    /// Writes the tag files, the manifest last.
    ///
    /// - Returns: Files and bytes of the whole bag.
    func seal(date: String) throws -> (files: Int, bytes: Int64) {
        abandon()
        let info = [("Bagging-Date", String(date.prefix(10))), ("Bag-Software-Agent", "obscura")]
        let summary = try replying { () throws(BagError) in try writer?.seal(info: info) }
        repaired = Self.repairs(summary?.repairs)
        damaged = summary?.damaged ?? []
        gone = summary?.missing ?? []
        unlisted = summary?.unlisted ?? []
        return (summary?.files ?? 0, summary?.bytes ?? 0)
    }

    /// Gives up what is half written; what is complete stays, and a later export goes on from there.
    func abandon() {
        guard let incomplete = file.take() else { return }
        writer?.abandon(incomplete)
        if let current { failures.append(ExportFailure(url: current.url, reason: "the copy was not finished")) }
        current = nil
    }

    /// Ends an export that was not sealed: what is in the bag stays, and of one with nothing in it nothing stays.
    ///
    /// - Returns: What was renewed in it.
    func close() -> [ExportRepair] {
        abandon()
        let repaired = Self.repairs(writer?.repairs)
        writer.take()?.removeIfEmpty()
        folders.take()?.removeEmpty()
        return repaired
    }

    private static func repairs(_ repairs: [BagRepair]?) -> [ExportRepair] {
        repairs?.map { ExportRepair(path: $0.path, kept: $0.kept) } ?? []
    }

    /// Refuses what does not fit before anything is copied.
    private func checkRoom(for needed: Int64) throws {
        let free: Int64
        do throws(FilesError) {
            free = Int64(clamping: try Directory(opening: path).descriptor.space().availableBytes)
        } catch {
            throw ErrorReply.cannotWrite(path, error)
        }
        guard needed <= free else { throw ErrorReply.noRoom(needed: needed, free: free) }
    }

    private func begin(_ next: StreamExport.File) throws {
        abandon()
        if next.asset.privacy != nil, missing[next.asset.url] == nil { redacted += 1 }
        let placed = try missing.removeValue(forKey: next.asset.url) ?? place(next)
        guard !placed.isPresent else {
            skipped += 1
            return
        }
        guard !next.isPresent else {
            // The bag has the content under another asset's name, or had it when it was asked for.
            if try replying({ () throws(BagError) in try writer?.duplicate(placed) }) == true {
                copied += 1
                copiedBytes += next.bytes
            } else {
                missing[next.asset.url] = placed
            }
            return
        }
        current = next.asset
        file = try replying { () throws(BagError) in try writer?.begin(placed) }
    }

    private func place(_ next: StreamExport.File) throws -> PlacedFile {
        let asset = try BagAsset(next, named: names)
        let placed = try replying { () throws(BagError) in try writer?.place(asset).first }
        guard let placed else { throw ErrorReply(.internalFault, "The bag is not open") }
        return placed
    }

    /// Hashes as they go along with a request.
    static func parts(of digests: Set<SHA256Digest>) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var part: [UInt8] = []
        for digest in digests {
            part += digest.bytes
            guard part.count == Limits.frameBytes else { continue }
            parts.append(part)
            part = []
        }
        if !part.isEmpty { parts.append(part) }
        return Array(parts.prefix(Limits.frames - 3))
    }

    private func finish() throws {
        guard let complete = file.take(), let asset = current else { return }
        current = nil
        do throws(BagError) {
            try writer?.finish(complete)
            copied += 1
            copiedBytes += asset.bytes
        } catch {
            guard error.code == .contentMismatch || error.code == .nameTaken else { throw ErrorReply(error, path) }
            failures.append(ExportFailure(url: asset.url, reason: error.description))
        }
    }

    private func replying<Result: ~Copyable>(_ body: () throws(BagError) -> Result) throws -> Result {
        do throws(BagError) {
            return try body()
        } catch {
            throw ErrorReply(error, path)
        }
    }
}

extension BagAsset {
    /// What the exporter sends, named by a template or by its own name.
    init(_ next: StreamExport.File, named names: NameTemplate?) throws(ErrorReply) {
        guard let digest = SHA256Digest(next.sha256) else {
            throw ErrorReply(.badMessage, "The exporter gave a hash that is none")
        }
        self.init(NameTemplate.Subject(next.asset), named: names, digest: digest, byteCount: next.bytes)
    }
}

extension ErrorReply {
    /// A bag's refusal, in the words of the command line.
    init(_ error: BagError, _ path: String) {
        switch error.code {
        case .notABag:
            self.init(
                .destinationExists,
                "The destination is no bag",
                reason: "'\(path)': \(error.detail)",
                recoverySuggestion: "Choose an empty folder, or an earlier export"
            )
        case .otherProfile:
            self.init(
                .destinationExists,
                "The folder has another privacy profile",
                reason: "'\(path)': \(error.detail)",
                recoverySuggestion: "Choose an empty folder, or export with the --privacy that this one has"
            )
        case .inUse: self.init(.inUse, "Another export writes into the folder", reason: "'\(path)': \(error.detail)")
        case .unfinished:
            self.init(
                .damaged,
                "The export is unfinished",
                reason: "'\(path)': it has no manifest yet",
                recoverySuggestion: "Run the same export again to finish it"
            )
        case .contentMismatch, .damagedTagFile: self.init(.damaged, "The bag is damaged", reason: error.detail)
        case .nameTaken: self.init(.destinationExists, "Another file has the name", reason: error.detail)
        case .files:
            self = error.cause.map { ErrorReply.cannotWrite(path, $0) } ?? ErrorReply(.inputOutput, error.detail)
        }
    }
}
