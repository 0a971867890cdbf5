private import Bags
package import EventLoop
private import Files
private import Hashing
package import Media
package import MessageSchema

/// One bag under construction, on the thread where waiting for the disk stalls nobody.
package actor BagDesk {
    /// A file of the bag, and the asset that it comes from.
    package struct File: Hashable, Sendable {
        package let asset: Asset
        package let byteCount: Int64
        package let isPresent: Bool
        let placed: Int
    }

    private let disk: EventLoop
    private let names: NameTemplate?
    private var writer: BagWriter?
    private var file: BagFileWriter?
    private var placed: [PlacedFile] = []
    /// The folders that were made for the bag.
    private var folders: NewFolders?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe disk.unownedExecutor }

    /// A desk on a loop of its own kind, which may block.
    package init(disk: EventLoop, names: NameTemplate? = nil) {
        self.disk = disk
        self.names = names
    }

    /// Opens the bag, for copies from which `privacy` is taken out.
    ///
    /// - Throws: `destinationRefused`, `destinationExists` for a folder with other files or of another profile, `inUse`, `diskFull` …
    package func open(_ destination: String, below roots: ExportRoots, privacy: PrivacyProfile) throws {
        folders = try roots.newFolders(of: destination)
        let directory = try roots.open(destination)
        do throws(BagError) {
            writer = try BagWriter(directory, profile: privacy.rawValue)
        } catch {
            throw ErrorReply(error)
        }
    }

    /// Decides the file of an asset.
    ///
    /// - Throws: `dataUnavailable` for an asset whose original is not the program's to see; what the file system refuses.
    package func place(_ asset: Asset) throws -> File {
        guard let digest = asset.sha256.flatMap({ SHA256Digest($0) }) else {
            throw ErrorReply(.dataUnavailable, "The original is not this program's to see")
        }
        let bagged = BagAsset(NameTemplate.Subject(asset), named: names, digest: digest, byteCount: asset.bytes)
        guard
            let found = try Self.replying({ () throws(BagError) in
                try writer?.place(bagged)
            })?.first
        else { throw Self.closed }
        placed.append(found)
        return File(asset: asset, byteCount: found.byteCount, isPresent: found.isPresent, placed: placed.count - 1)
    }

    /// Bytes that are free where the bag lies.
    package func availableBytes() throws -> Int64 {
        let count = try Self.replying { () throws(BagError) in try writer?.availableBytes() }
        return Int64(clamping: count ?? 0)
    }

    /// Begins to write a file.
    package func begin(_ next: File) throws {
        file = try Self.replying { () throws(BagError) in try writer?.begin(placed[next.placed]) }
    }

    /// Appends a chunk, when the export may still go on.
    package func write(_ bytes: [UInt8], _ pass: ExportPass) throws {
        try pass.check()
        try Self.replying { () throws(BagError) in try file?.write(bytes) }
    }

    /// Puts the file into its place when its content is what the library says.
    package func finish() throws {
        guard let complete = file.take() else { throw Self.closed }
        try Self.finish(complete, &writer)
    }

    /// Gives up the file that is being written.
    package func abandon() {
        guard let incomplete = file.take() else { return }
        writer?.abandon(incomplete)
    }

    /// Writes the tag files, the manifest last.
    ///
    /// - Returns: What was found in the bag.
    package func seal(info: [(label: String, value: String)]) throws -> ExportFindings {
        let summary = try Self.replying { () throws(BagError) in try writer?.seal(info: info) }
        return summary.map { ExportFindings($0) } ?? ExportFindings()
    }

    /// Ends work that was not sealed: what is in the bag stays, and of one with nothing in it nothing stays.
    ///
    /// - Returns: What was renewed in it.
    package func close() -> ExportFindings {
        abandon()
        let findings = (writer?.repairs).map { ExportFindings($0) }
        writer.take()?.removeIfEmpty()
        folders.take()?.removeEmpty()
        return findings ?? ExportFindings()
    }

    private static func finish(_ file: consuming BagFileWriter, _ writer: inout BagWriter?) throws {
        do throws(BagError) {
            try writer?.finish(file)
        } catch {
            throw ErrorReply(error)
        }
    }

    private static var closed: ErrorReply { ErrorReply(.internalFault, "The bag is not open") }

    private static func replying<Result: ~Copyable>(_ body: () throws(BagError) -> Result) throws -> Result {
        do throws(BagError) {
            return try body()
        } catch {
            throw ErrorReply(error)
        }
    }
}

extension ErrorReply {
    /// A bag's refusal as programs see it.
    fileprivate init(_ error: BagError) {
        switch error.code {
        case .notABag, .unfinished:
            self.init(.destinationExists, "The destination has other files in it", reason: error.detail)
        case .otherProfile:
            self.init(
                .destinationExists,
                "The destination has another privacy profile",
                reason: error.detail,
                recoverySuggestion: "Choose another destination, or the privacy profile that this one has"
            )
        case .inUse: self.init(.inUse, "Another export writes into this bag", reason: error.detail)
        case .contentMismatch: self.init(.damaged, "The copy is not what the library has", reason: error.detail)
        case .nameTaken: self.init(.destinationExists, "Another file has the name", reason: error.detail)
        case .damagedTagFile: self.init(.damaged, "The bag's own files are damaged", reason: error.detail)
        case .files:
            if error.isOutOfSpace {
                self.init(.diskFull, "The disk is full", reason: error.detail)
            } else if error.cause?.code == .notPermitted || error.cause?.code == .readOnly {
                self.init(.cannotCreate, "The destination can not be made", reason: error.detail)
            } else {
                self.init(.inputOutput, "The destination can not be written", reason: error.detail)
            }
        }
    }
}
