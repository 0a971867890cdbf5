package import Files
private import Hashing

/// What is wrong with a file of a bag.
package struct BagProblem: Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable {
        /// The manifest has it, the disk does not.
        case missing
        /// Its content is not what the manifest says.
        case changed
        /// It lies below `data/`, but the manifest does not have it.
        case unlisted
        /// It can not be read.
        case unreadable
        /// A tag file is missing or can not be understood.
        case damagedTagFile
    }

    /// The path in the bag.
    package let path: String
    package let reason: Reason
}

/// What a check of a bag found.
package struct BagReport: Hashable, Sendable {
    /// Files whose content was compared.
    package var files = 0
    package var bytes: Int64 = 0
    package var problems: [BagProblem] = []

    /// Whether the file that makes it a bag is gone: without it nothing is exported into the folder.
    package var lacksDeclaration: Bool { problems.contains(BagProblem(path: "bagit.txt", reason: .missing)) }

    /// Whether the bag is complete and valid (RFC 8493 section 3).
    package var isValid: Bool { problems.isEmpty }
}

/// Checks a bag: every file of its manifests is there with its content, and no other file is.
package enum BagVerifier {
    private static let declarationName = "bagit.txt"

    /// Reads every byte of the bag, and blocks for as long.
    ///
    /// - Throws: `notABag` for a directory without a declaration and a manifest, `unfinished` for a bag without a
    ///   manifest; `files`. What is wrong with single files is in the report.
    package static func verify(_ root: borrowing Directory) throws(BagError) -> BagReport {
        let declaration = try read(declarationName, root)
        guard let manifest = try read(BagManifest.name, root) else {
            guard declaration != nil else { throw BagError(.notABag, "this is no bag") }
            throw BagError(.unfinished, "the bag has no manifest: its export is not finished")
        }
        var report = BagReport()
        if let declaration {
            if !String(decoding: declaration, as: UTF8.self).hasPrefix("BagIt-Version: ") {
                report.problems.append(BagProblem(path: declarationName, reason: .damagedTagFile))
            }
        } else {
            report.problems.append(BagProblem(path: declarationName, reason: .missing))
        }
        let expected = try BagManifest.decoded(manifest)
        for (path, digest) in expected.sorted(by: { $0.key < $1.key }) { check(path, digest, root, &report) }
        try checkTags(root, &report)
        try checkUnlisted(root, expected: Set(expected.keys), &report)
        return report
    }

    private static func read(_ name: String, _ root: borrowing Directory) throws(BagError) -> [UInt8]? {
        do throws(FilesError) {
            return try root.read(name, limit: BagManifest.maximumByteCount)
        } catch {
            throw BagError(error)
        }
    }

    private static func check(
        _ path: String,
        _ digest: SHA256Digest,
        _ root: borrowing Directory,
        _ report: inout BagReport
    ) {
        do throws(FilesError) {
            let file = try root.open(path, [.read, .noFollow])
            let status = try file.status()
            let content = try hash(of: file)
            report.files += 1
            report.bytes += content.bytes
            guard content.digest != digest else { return }
            report.problems.append(BagProblem(path: path, reason: .changed))
            note(path, status, content.digest, root)
        } catch {
            let reason: BagProblem.Reason = error.code == .notFound ? .missing : .unreadable
            report.problems.append(BagProblem(path: path, reason: reason))
        }
    }

    /// Writes a changed file down in the bag's journal, so that the next export renews it also where its size and time
    /// are what they were.
    private static func note(
        _ path: String,
        _ status: FileStatus,
        _ digest: SHA256Digest,
        _ root: borrowing Directory
    ) {
        guard path.hasPrefix("data/") else { return }
        do throws(FilesError) {
            let file = try root.open(BagJournal.name, [.write, .append])
            // A line that a kill cut short must not swallow this one.
            try file.writeAll([0x0A])
            var journal = BagJournal()
            try journal.add(String(path.dropFirst("data/".count)), status, digest, to: file)
        } catch {
            // A bag without a journal is hashed anyway, and one that can not be written is renewed by nobody.
        }
    }

    private static func checkTags(_ root: borrowing Directory, _ report: inout BagReport) throws(BagError) {
        guard let bytes = try read(BagManifest.tagName, root) else { return }
        for (path, digest) in try BagManifest.decoded(bytes).sorted(by: { $0.key < $1.key }) {
            guard let content = try read(path, root) else {
                let problem = BagProblem(path: path, reason: .missing)
                if !report.problems.contains(problem) { report.problems.append(problem) }
                continue
            }
            if SHA256Digest(hashing: content) != digest {
                report.problems.append(BagProblem(path: path, reason: .changed))
            }
        }
    }

    private static func checkUnlisted(
        _ root: borrowing Directory,
        expected: Set<String>,
        _ report: inout BagReport
    ) throws(BagError) {
        do throws(FilesError) {
            guard try root.status(of: "data")?.kind == .directory else { return }
            let data = try root.openDirectory("data")
            for file in try BagPayload.files(in: data) where !expected.contains("data/" + file.name) {
                report.problems.append(BagProblem(path: "data/" + file.name, reason: .unlisted))
            }
        } catch {
            throw BagError(error)
        }
    }
}
