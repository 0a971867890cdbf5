import Media
import MessageSchema
private import Synchronization
private import Timekeeping

/// An export that this process writes as its own user, from the exporter's stream of bytes.
struct OwnExport: Sendable {
    /// So many assets are named in one request, which holds a megabyte.
    private static let mostNamed = 4_096

    let cluster: any Cluster
    let selection: ExportSelection
    let privacy: PrivacyProfile?
    /// How the files are named; by their own names when nil.
    var names: NameTemplate?
    /// An absolute path.
    let destination: String

    /// Copies what the bag does not have yet.
    ///
    /// A kill at any moment leaves only whole files with their names; the same export again goes on from there. One that
    /// is refused before its first file leaves nothing.
    ///
    /// - Parameters:
    ///   - rules: How the person may be asked.
    ///   - began: Told when the first item has come, and nobody is waited for any more.
    ///   - progress: Told after each file: files and bytes so far.
    /// - Returns: What was done; files that failed are named in it.
    /// - Throws: `ErrorReply`: `revoked` and the like end the export, and no half file stays.
    func run(
        _ rules: CallRules,
        began: @escaping @Sendable () -> Void = {},
        progress: @escaping @Sendable (_ files: Int, _ bytes: Int64) -> Void
    ) async throws -> ExportOutcome {
        let bag = OwnBag(path: destination, privacy: privacy ?? PrivacyProfile.none, names: names)
        do {
            return try await fill(bag, rules, began, progress)
        } catch {
            let repaired = await bag.close()
            guard !repaired.isEmpty, var reply = error as? ErrorReply else { throw error }
            // The person is told where changed files went, however the export ended.
            let moved = repaired.map { "\($0.path) was renewed, and what lay there is now \($0.kept)" }
            reply.reason = ErrorWords.joined([reply.reason] + moved, by: "; ")
            throw reply
        }
    }

    private func fill(
        _ bag: OwnBag,
        _ rules: CallRules,
        _ began: @escaping @Sendable () -> Void,
        _ progress: @escaping @Sendable (_ files: Int, _ bytes: Int64) -> Void
    ) async throws -> ExportOutcome {
        let present = try await bag.open()
        let summary = try await fetch(selection, into: bag, rules.attaching(present), began, progress)
        // What the bag had and has no more; asked for in parts, because a request is not endless.
        var left = await bag.missingAssets[...]
        while !left.isEmpty {
            let part = ExportSelection(assets: Array(left.prefix(Self.mostNamed)))
            left = left.dropFirst(Self.mostNamed)
            _ = try await fetch(part, into: bag, rules, {}, progress)
        }
        let whole = try await bag.seal(date: Timestamp.now().description)
        return ExportOutcome(
            job: summary.job,
            destination: destination,
            files: whole.files,
            bytes: whole.bytes,
            copied: await bag.copied,
            skipped: await bag.skipped,
            failures: await bag.failures,
            verified: await bag.copied + bag.skipped,
            repaired: await bag.repaired,
            damaged: await bag.damaged,
            missing: await bag.gone,
            unlisted: await bag.unlisted,
            redacted: await bag.redacted
        )
    }
}

extension OwnExport {
    private func fetch(
        _ selection: ExportSelection,
        into bag: OwnBag,
        _ rules: CallRules,
        _ began: @escaping @Sendable () -> Void,
        _ progress: @escaping @Sendable (_ files: Int, _ bytes: Int64) -> Void
    ) async throws -> StreamExport.Summary {
        do {
            return try await cluster.stream(StreamExport(selection: selection, privacy: privacy), rules) {
                item,
                bytes in
                began()
                try await bag.take(item, bytes)
                if item.last == true { progress(await bag.copied, await bag.copiedBytes) }
            }
        } catch {
            await bag.abandon()
            throw error
        }
    }
}

/// What came of an export, as the last line prints it.
struct ExportOutcome: Encodable, Sendable {
    let job: String
    /// The bag's root.
    let destination: String
    /// Files and bytes of the whole bag, those of earlier exports included.
    let files: Int
    let bytes: Int64
    let copied: Int
    /// Files that were there already, with the right hash.
    let skipped: Int
    let failures: [ExportFailure]
    /// Files whose hash was compared.
    let verified: Int
    /// Files that had been changed and were renewed; what lay there is kept.
    let repaired: [ExportRepair]
    /// Paths in the bag of changed files that are not of this export.
    let damaged: [String]
    /// Paths in the bag of files of earlier exports that are gone.
    let missing: [String]
    /// Paths in the bag of files that no export put there; its manifest does not list them.
    let unlisted: [String]
    /// Files that are without some of their metadata.
    let redacted: Int

    /// The command's: 0, or 65 when a file could not be exported, for whatever reason, or the bag does not check.
    var status: ProgramStatus {
        failures.isEmpty && damaged.isEmpty && missing.isEmpty && unlisted.isEmpty ? .success : .badData
    }

    private enum CodingKeys: String, CodingKey {
        case job, destination, files, bytes, copied, skipped, failed, failures, verified, repaired, damaged
        case missing, unlisted, redacted
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(job, forKey: .job)
        try container.encode(destination, forKey: .destination)
        try container.encode(files, forKey: .files)
        try container.encode(bytes, forKey: .bytes)
        try container.encode(copied, forKey: .copied)
        try container.encode(skipped, forKey: .skipped)
        try container.encode(failures.count, forKey: .failed)
        try container.encode(failures, forKey: .failures)
        try container.encode(verified, forKey: .verified)
        try container.encode(repaired, forKey: .repaired)
        try container.encode(damaged, forKey: .damaged)
        try container.encode(missing, forKey: .missing)
        try container.encode(unlisted, forKey: .unlisted)
        try container.encode(redacted, forKey: .redacted)
    }
}

extension ExportOutcome {
    /// A job that the exporter did by itself.
    init(_ job: ExportJob) {
        self.init(
            job: job.job,
            destination: job.destination,
            files: job.files,
            bytes: job.bytes,
            copied: job.copied,
            skipped: job.skipped,
            failures: job.failed,
            verified: job.verified,
            repaired: job.repaired ?? [],
            damaged: job.damaged ?? [],
            missing: job.missing ?? [],
            unlisted: job.unlisted ?? [],
            redacted: job.redacted ?? 0
        )
    }
}
