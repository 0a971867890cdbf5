import Files
package import Hashing

/// Decides which files of a bag assets become, and writes nothing: what a ``BagWriter`` goes by, and a look beforehand.
///
/// All calls block; one thread or actor uses it.
package struct BagPlan: ~Copyable {
    /// A file that was hashed where it lies.
    struct Hashed {
        let name: String
        let status: FileStatus
        let digest: SHA256Digest
    }

    /// Nil for a folder that is not there yet.
    private let root: Directory?
    private let data: Directory?
    /// What the manifest of an earlier export says, when it was asked for.
    private var earlier: [String: SHA256Digest]?
    var journal: BagJournal
    /// The real paths below `data/` by their collision key, folders too.
    var lying: [String: String] = [:]
    /// Those of them that are folders, and the ones that this run will make.
    var folders: Set<String> = []
    private(set) var claimed: Set<String> = []
    /// The hashes that are known of files below `data/`.
    private var known: [String: SHA256Digest] = [:]
    private var hashed: [Hashed] = []

    /// Looks at what lies at a path: an earlier bag, or an empty folder; one that is not there yet is as good as that.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - profile: As of ``BagWriter``.
    /// - Throws: `notABag`, `otherProfile`, `files`.
    package init(at path: String, profile: String? = nil) throws(BagError) {
        let directory: Directory
        do throws(FilesError) {
            directory = try Directory(opening: path)
        } catch {
            guard error.code == .notFound else { throw BagError(error) }
            self.init()
            return
        }
        try BagWriter.check(directory)
        if let profile { try BagWriter.check(profile, in: directory) }
        let journal = BagJournal(readingFrom: directory)
        do throws(FilesError) { try self.init(looking: directory, journal) } catch { throw BagError(error) }
    }

    /// A plan for an empty folder.
    package init() {
        root = nil
        data = nil
        journal = BagJournal()
    }

    /// Looks at a folder that is a bag or becomes one.
    init(looking root: consuming Directory, _ journal: BagJournal) throws(FilesError) {
        let data = try Self.data(in: root)
        let entries = try Self.entries(of: data)
        self.root = consume root
        self.data = consume data
        self.journal = journal
        for (path, isFolder) in entries where path.contains("/") || !BagPayload.isPartial(path) {
            lying[SafeName.key(path)] = path
            if isFolder { folders.insert(path) }
        }
    }

    private static func data(in root: borrowing Directory) throws(FilesError) -> Directory? {
        guard try root.status(of: "data") != nil else { return nil }
        return try root.openDirectory("data")
    }

    private static func entries(
        of data: borrowing Directory?
    ) throws(FilesError) -> [(path: String, isFolder: Bool)] {
        switch data {
        case .some(let data): try BagPayload.paths(in: data)
        case .none: []
        }
    }

    /// Hashes of files that the bag is known to have without looking: of its journal's and this run's files.
    package func presentDigests() throws(BagError) -> Set<SHA256Digest> {
        var found = Set(known.values)
        for file in try payload() {
            if let digest = journal.digest(of: file.name, file.status) { found.insert(digest) }
        }
        return found
    }

    /// Decides the names of an asset's files, all with the same suffix, and finds out which of them are there already.
    ///
    /// A file that lies there with the right content is never copied again and never gets a second name. One that the
    /// bag says is this file, with other bytes, is to be renewed in its place. Any other with another content is left
    /// alone, and the asset gets a suffix made of its identifier.
    /// - Throws: `nameTaken`, `files`.
    package mutating func place(_ asset: BagAsset) throws(BagError) -> [PlacedFile] {
        let id = asset.id.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        var best: (files: [PlacedFile], worth: Int)?
        let folder = try self.folder(asset.folders)
        for suffix in ["", "-" + id.prefix(8), "-" + id.prefix(64)] {
            guard let files = try files(of: asset, in: folder, suffix: suffix) else { continue }
            let present = files.filter(\.isPresent).count
            let worth = 2 * present + files.filter(\.isChanged).count
            if worth > best?.worth ?? -1 { best = (files, worth) }
            if present == files.count { break }
        }
        guard let best else { throw BagError(.nameTaken, "other files have the names of asset \(asset.id)") }
        keepFolder(folder)
        for file in best.files {
            claimed.insert(SafeName.key(file.name))
            if file.isPresent { known[file.name] = file.digest }
        }
        return best.files
    }

    // MARK: What a writer tells and asks

    /// A file was written.
    mutating func lies(_ file: PlacedFile) {
        lying[SafeName.key(file.name)] = file.name
        known[file.name] = file.digest
    }

    /// What was hashed since it was last asked for, to be written down.
    mutating func takeHashed() -> [Hashed] {
        defer { hashed = [] }
        return hashed
    }

    /// The hash of a file as far as it is known without reading it.
    func knownDigest(of file: PayloadFile) -> SHA256Digest? {
        known[file.name] ?? journal.digest(of: file.name, file.status)
    }

    /// The hash of a file that lies there; it is read where nothing else tells.
    mutating func digest(of file: PayloadFile) throws(BagError) -> SHA256Digest {
        if let digest = knownDigest(of: file) { return digest }
        let digest = try contentDigest(file.name)
        known[file.name] = digest
        return digest
    }

    /// What an earlier run put under a name below `data/`; the manifest knows better than the journal.
    mutating func recordedDigest(of name: String) throws(BagError) -> SHA256Digest? {
        try earlierManifest()["data/" + name] ?? journal.lastDigest(of: name)
    }

    /// What the manifest said when the bag was opened; nothing if there is none that can be read.
    mutating func earlierManifest() throws(BagError) -> [String: SHA256Digest] {
        if let earlier { return earlier }
        var bytes: [UInt8]?
        do throws(FilesError) {
            switch root {
            case .some(let root): bytes = try root.read(BagManifest.name, limit: BagManifest.maximumByteCount)
            case .none: break
            }
        } catch {
            throw BagError(error)
        }
        // A damaged manifest is made anew from the files themselves.
        let entries = bytes.flatMap { try? BagManifest.decoded($0) } ?? [:]
        earlier = entries
        return entries
    }

    // MARK: Names

    /// The asset's files with this suffix; nil if a name is another file's.
    private mutating func files(of asset: BagAsset, in folder: String, suffix: String) throws(BagError) -> [PlacedFile]?
    {
        var own: Set<String> = []
        var files: [PlacedFile] = []
        for output in asset.outputs {
            let safe = SafeName(output.name)
            var name = folder + safe.text(suffix: suffix)
            var number = 1
            while !own.insert(SafeName.key(name)).inserted {
                number += 1
                name = folder + safe.text(suffix: "\(suffix)-\(number)")
            }
            if claimed.contains(SafeName.key(name)) { return nil }
            let there = lying[SafeName.key(name)]
            let isPresent = if let there { try has(output, at: there) } else { false }
            // The name of a file that is gone stays its own, so that its loss can be seen.
            if there == nil, let gone = try earlierManifest()["data/" + name], gone != output.digest { return nil }
            if let there, !isPresent, try !isChanged(output, at: there) { return nil }
            files.append(
                PlacedFile(
                    name: there ?? name,
                    digest: output.digest,
                    byteCount: output.byteCount,
                    isPresent: isPresent,
                    isChanged: there != nil && !isPresent
                )
            )
        }
        return files
    }

    private mutating func has(_ output: BagAsset.Output, at name: String) throws(BagError) -> Bool {
        guard let status = try status(at: name), status.kind == .regular, status.size == output.byteCount else {
            return false
        }
        if let digest = known[name] ?? journal.digest(of: name, status) { return digest == output.digest }
        let digest = try contentDigest(name)
        known[name] = digest
        guard digest == output.digest else { return false }
        hashed.append(Hashed(name: name, status: status, digest: digest))
        return true
    }

    /// Whether the bag says that a name is this content.
    private mutating func isChanged(_ output: BagAsset.Output, at name: String) throws(BagError) -> Bool {
        // A folder or link is no changed file: somebody put it there.
        guard try status(at: name)?.kind == .regular else { return false }
        return try recordedDigest(of: name) == output.digest
    }

    // MARK: The disk

    private func status(at name: String) throws(BagError) -> FileStatus? {
        do throws(FilesError) {
            switch data {
            case .some(let data): return try data.status(at: name)
            case .none: return nil
            }
        } catch {
            throw BagError(error)
        }
    }

    private func contentDigest(_ name: String) throws(BagError) -> SHA256Digest {
        do throws(FilesError) {
            switch data {
            case .some(let data): return try hash(of: try data.open(name, [.read, .noFollow])).digest
            case .none: throw FilesError(code: .notFound, operation: "open", path: name)
            }
        } catch {
            throw BagError(error)
        }
    }

    private func payload() throws(BagError) -> [PayloadFile] {
        do throws(FilesError) {
            switch data {
            case .some(let data): return try BagPayload.files(in: data)
            case .none: return []
            }
        } catch {
            throw BagError(error)
        }
    }
}
