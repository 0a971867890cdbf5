package import Files
package import Hashing

/// Puts assets into a bag (RFC 8493) below one directory, so that a kill at any moment loses nothing that was done.
///
/// Each file is copied under an exclusive temporary name in `data/`, hashed on the way, synced, compared with the
/// hash it must have, and renamed without replacing anything; then the directory is synced and the journal written.
/// The manifest is written last: a bag without one, or with an old one, is not finished. Nothing outside the directory
/// is ever touched (openat2(2), RESOLVE_BENEATH). A file of the bag whose bytes were changed is renewed in its place, and
/// what lay there is kept in `changed/`. All calls block; one thread or actor uses it.
package struct BagWriter: ~Copyable {
    private static let lockName = ".obscura-lock"
    private static let declaration = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"

    let root: Directory
    let data: Directory
    private let lock: FileLock
    private let journalFile: FileDescriptor
    /// The names that this value found in the root, so that it removes none but its own.
    private let found: Set<String>
    /// What was taken out of the copies, where whoever writes them says it.
    private let profile: String?
    /// Which files assets become, with what is known of those that lie there.
    var plan: BagPlan
    /// The names in `data/` that have the content which they must have, as far as this run has seen it.
    private var confirmed: Set<String> = []
    /// What was renewed in its place.
    package internal(set) var repairs: [BagRepair] = []
    /// The files of each content that lay there when it was first asked for.
    var namesByDigest: [SHA256Digest: [String]]?

    /// Opens the directory as a bag: a new one if it is empty, else one to go on with.
    ///
    /// - Parameters:
    ///   - root: The directory.
    ///   - profile: The word for what is taken out of the copies, `none` for originals: a bag keeps to one. Without it the
    ///     bag says nothing about it, and is not asked.
    /// - Throws: `notABag` when something else lies there, `otherProfile`, `inUse`, `files`.
    package init(_ root: consuming Directory, profile: String? = nil) throws(BagError) {
        try Self.check(root)
        if let profile { try Self.check(profile, in: root) }
        do throws(FilesError) {
            try self.init(opening: root, profile)
        } catch {
            if error.code == .locked { throw BagError(.inUse, "another process writes into this bag", cause: error) }
            throw BagError(error)
        }
    }

    private init(opening root: consuming Directory, _ profile: String?) throws(FilesError) {
        // A child that was forked at the wrong moment holds a copy of an earlier lock until it has become its program.
        let hadLock = try root.status(of: Self.lockName) != nil
        let lock = try FileLock.waiting(for: .milliseconds(500), Self.lockName, in: root)
        // One that gave up its bag has removed the lock's name, and with that the lock.
        guard try root.status(of: Self.lockName) != nil else {
            throw FilesError(code: .locked, operation: "lock", path: Self.lockName)
        }
        // Another export has begun the bag since its profile was looked at.
        if let profile, let earlier = try Self.earlierProfile(of: root), earlier != profile {
            throw FilesError(code: .locked, operation: "lock", path: Self.lockName)
        }
        var found = Set(try root.entries().map(\.name))
        if !hadLock { found.remove(Self.lockName) }
        if try root.status(of: "bagit.txt") == nil {
            try root.writeAtomically(Array(Self.declaration.utf8), to: "bagit.txt", permissions: 0o666)
        }
        let data = try root.makeDirectory("data", permissions: 0o777)
        var journal = BagJournal(readingFrom: root)
        let journalFile = try root.open(BagJournal.name, [.write, .create, .append], permissions: 0o666)
        // A line that a kill cut short must not swallow the next one.
        try journalFile.writeAll([0x0A])
        if let profile { try Self.tell(profile, in: root, &journal, journalFile) }
        for entry in try data.entries() where BagPayload.isPartial(entry.name) { try data.remove(entry.name) }
        // Looked at apart, because a directory has one owner; both are below the one that was opened.
        plan = try BagPlan(looking: root.openDirectory("."), journal)
        self.root = root
        self.data = data
        self.lock = lock
        self.journalFile = journalFile
        self.found = found
        self.profile = profile
    }

    /// Hashes of files that the bag is known to have without looking: of its journal's and this run's files.
    package func presentDigests() throws(BagError) -> Set<SHA256Digest> { try plan.presentDigests() }

    /// Bytes that are free where the bag lies.
    package func availableBytes() throws(BagError) -> UInt64 {
        do throws(FilesError) {
            return try data.descriptor.space().availableBytes
        } catch {
            throw BagError(error)
        }
    }

    /// Decides the names of an asset's files, as ``BagPlan/place(_:)`` does, and writes down what was hashed for it.
    ///
    /// - Throws: `nameTaken`, `files`.
    package mutating func place(_ asset: BagAsset) throws(BagError) -> [PlacedFile] {
        let files = try plan.place(asset)
        for file in files where file.isPresent { confirmed.insert(file.name) }
        do throws(FilesError) {
            for found in plan.takeHashed() {
                try plan.journal.add(found.name, found.status, found.digest, to: journalFile)
            }
        } catch {
            throw BagError(error)
        }
        return files
    }

    /// Begins to write a placed file.
    package func begin(_ file: PlacedFile) throws(BagError) -> BagFileWriter {
        let name = ".obscura-\(randomBytes(8).hexadecimal).partial"
        do throws(FilesError) {
            let descriptor = try data.open(name, [.write, .create, .exclusive, .noFollow], permissions: 0o666)
            return BagFileWriter(file, temporaryName: name, descriptor: descriptor)
        } catch {
            throw BagError(error)
        }
    }

    /// Puts a written file into its place, when its content is what was announced; else it is gone.
    ///
    /// - Throws: `contentMismatch`, `nameTaken` when something got the name meanwhile, `files`.
    package mutating func finish(_ writer: consuming BagFileWriter) throws(BagError) {
        let file = writer.file
        let temporaryName = writer.temporaryName
        do throws(BagError) {
            let status = try writer.complete()
            if file.isChanged { try setAside(file.name) }
            try put(temporaryName, as: file.name)
            confirmed.insert(file.name)
            plan.lies(file)
            do throws(FilesError) {
                try plan.journal.add(file.name, status, file.digest, to: journalFile)
            } catch {
                throw BagError(error)
            }
        } catch {
            // The first error is the one to report; what stays behind is removed when the bag is opened again.
            _ = try? data.remove(temporaryName)
            throw error
        }
    }

    /// Gives up a file that is being written.
    package func abandon(_ writer: consuming BagFileWriter) {
        // What stays behind is removed when the bag is opened again.
        _ = try? data.remove(writer.temporaryName)
    }

    private func put(_ temporaryName: String, as name: String) throws(BagError) {
        do throws(FilesError) {
            try makeFolders(of: name)
            try data.inFolder(of: name) { folder, last throws(FilesError) in
                try data.move(temporaryName, to: folder, as: last)
                try folder.sync()
            }
            try data.sync()
        } catch {
            if error.code == .alreadyExists {
                throw BagError(.nameTaken, "something else got the name meanwhile", cause: error)
            }
            throw BagError(error)
        }
    }

    /// Writes the tag files, the manifest last: from then on the bag is complete.
    ///
    /// A file of an earlier export with other bytes than it had, or that is gone, keeps its line in the manifest, so that a
    /// check names it; where the bag has the content of a changed one under another name, it is renewed from there. A file
    /// that neither the manifest nor the journal nor this run knows gets no line.
    ///
    /// - Parameter info: Lines for `bag-info.txt`, such as `Bagging-Date`; the profile and `Payload-Oxum` are added.
    /// - Returns: How many files and bytes the whole bag has, those of earlier runs included, and what was changed.
    /// - Throws: `files`.
    package mutating func seal(info: [(label: String, value: String)]) throws(BagError) -> BagSummary {
        let damaged = try mendEarlier()
        var digests: [String: SHA256Digest] = [:]
        var unlisted: [String] = []
        var bytes: Int64 = 0
        for file in try payload() {
            let path = "data/" + file.name
            let recorded = try plan.recordedDigest(of: file.name)
            guard confirmed.contains(file.name) || recorded != nil else {
                unlisted.append(path)
                continue
            }
            bytes += file.status.size
            digests[path] = if damaged.contains(path), let recorded { recorded } else { try plan.digest(of: file) }
        }
        let files = digests.count
        let missing = try plan.earlierManifest().filter { digests[$0.key] == nil }
        digests.merge(missing) { found, _ in found }
        let lines = info + (profile.map { [(Self.profileLabel, $0)] } ?? []) + [("Payload-Oxum", "\(bytes).\(files)")]
        let text = lines.map { "\(BagTag.clean($0.label)): \(BagTag.clean($0.value))\n" }.joined()
        let manifest = BagManifest.encoded(digests)
        let tags = BagManifest.encoded([
            "bagit.txt": SHA256Digest(hashing: Self.declaration),
            Self.infoName: SHA256Digest(hashing: text),
            BagManifest.name: SHA256Digest(hashing: manifest),
        ])
        do throws(FilesError) {
            try root.writeAtomically(Array(Self.declaration.utf8), to: "bagit.txt", permissions: 0o666)
            try root.writeAtomically(Array(text.utf8), to: Self.infoName, permissions: 0o666)
            try root.writeAtomically(tags, to: BagManifest.tagName, permissions: 0o666)
            try root.writeAtomically(manifest, to: BagManifest.name, permissions: 0o666)
            try journalFile.syncData()
        } catch {
            throw BagError(error)
        }
        return BagSummary(
            files: files,
            bytes: bytes,
            repairs: repairs,
            damaged: damaged.sorted(),
            missing: missing.keys.sorted(),
            unlisted: unlisted.sorted()
        )
    }

    /// The paths of earlier files that have other bytes than they had, and that could not be renewed.
    private mutating func mendEarlier() throws(BagError) -> Set<String> {
        var damaged: Set<String> = []
        for file in try payload() where !confirmed.contains(file.name) {
            let path = "data/" + file.name
            guard let digest = try plan.recordedDigest(of: file.name) else { continue }
            // What can not be read may be what it was, and nobody knows: it keeps its line, and is named.
            guard let found = try? plan.digest(of: file) else {
                damaged.insert(path)
                continue
            }
            if found != digest, try !renew(file.name, digest) { damaged.insert(path) }
        }
        return damaged
    }

    /// Ends the work on a bag into which nothing was put: what this value made of it is removed again.
    ///
    /// What was there before, and everything as soon as there is a file or a manifest, stays. An error only means that
    /// more stays.
    package consuming func removeIfEmpty() {
        do throws(FilesError) {
            guard !found.contains("data"), try root.status(of: BagManifest.name) == nil else { return }
            for entry in try data.entries() where BagPayload.isPartial(entry.name) { try data.remove(entry.name) }
            // Refused as soon as something lies in it.
            try root.removeDirectory("data")
            for name in ["bagit.txt", Self.infoName, BagJournal.name, Self.lockName] where !found.contains(name) {
                try root.remove(name)
            }
        } catch {
            // What is left is an empty bag, which the same export goes on with.
        }
    }

    func payload() throws(BagError) -> [PayloadFile] {
        do throws(FilesError) {
            return try BagPayload.files(in: data)
        } catch {
            throw BagError(error)
        }
    }

    /// A bag is written into an empty directory or a bag; hidden files do not count.
    static func check(_ root: borrowing Directory) throws(BagError) {
        do throws(FilesError) {
            let names = try root.entries().map(\.name).filter { !$0.hasPrefix(".") && $0 != "lost+found" }
            guard !names.isEmpty, names != ["data"], !names.contains("bagit.txt") else { return }
        } catch {
            throw BagError(error)
        }
        throw BagError(.notABag, "the directory has other files in it; choose an empty one or an earlier export")
    }
}

/// Text for `bag-info.txt`.
enum BagTag {
    /// A line is a line: what would end it becomes a space.
    static func clean(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }
}
