private import Files
private import Hashing
private import Media
import MessageSchema
private import Timekeeping

/// Uploads the files of an import, a few at a time.
struct Importer: Sendable {
    /// Uploads that are under way at once; the library decodes as many as the machine has processors.
    static let parallel = 3
    /// How often a file is tried when the service was away or busy.
    private static let tries = 5

    let cluster: any Cluster
    /// By which each file is sent.
    let rules: CallRules
    /// Told after each file: how many are done.
    let progress: @Sendable (Int) -> Void

    private enum Outcome: Sendable {
        /// In the library, though not to be viewed or played as it should, for this reason.
        case imported(flaw: String?)
        case duplicate(flaw: String?)
        case skipped(String)
        case failed(String)
    }

    /// Imports all candidates.
    ///
    /// - Returns: The summary, and the error that ended the import early, if one did.
    func run(_ candidates: [ImportCandidate]) async throws -> (ImportSummary, ErrorReply?) {
        var summary = ImportSummary()
        var problem: ErrorReply?
        var rest = candidates[...]
        try await withThrowingTaskGroup(of: (ImportCandidate, Result<Outcome, ErrorReply>).self) { group in
            var running = 0
            while running > 0 || !(rest.isEmpty || problem != nil) {
                try Task.checkCancellation()
                while running < Self.parallel, problem == nil, let candidate = rest.popFirst() {
                    running += 1
                    group.addTask { (candidate, try await attempt(candidate)) }
                }
                guard let (candidate, result) = try await group.next() else { break }
                running -= 1
                switch result {
                case .success(.imported(let flaw)):
                    summary.addImported()
                    if let flaw { summary.flaw(candidate.path, flaw) }
                case .success(.duplicate(let flaw)):
                    summary.addDuplicate()
                    if let flaw { summary.flaw(candidate.path, flaw) }
                case .success(.skipped(let reason)): summary.skip(candidate.path, reason, isNamed: candidate.isNamed)
                case .success(.failed(let reason)): summary.fail(candidate.path, reason)
                case .failure(let error):
                    summary.fail(candidate.path, error.sentence)
                    if error.endsImport { problem = problem ?? error }
                }
                progress(summary.found)
            }
        }
        summary.sort()
        return (summary, problem)
    }

    /// One file; an error of the cluster is a result, only cancellation is thrown.
    private func attempt(_ candidate: ImportCandidate) async throws -> Result<Outcome, ErrorReply> {
        switch candidate.fate {
        case .skip(let reason): return .success(.skipped(reason))
        case .fail(let reason): return .success(.failed(reason))
        case .upload: break
        }
        let file: InputFile
        do throws(FilesError) {
            file = try InputFile(try candidate.root.open(candidate.relativePath), candidate.path)
        } catch {
            return .success(.failed(error.words))
        }
        guard file.size > 0 else { return .success(.skipped("the file is empty")) }
        let key = randomBytes(16).hexadecimal
        var attempt = 1
        while true {
            do {
                return .success(try await upload(file, candidate, key))
            } catch let error as ErrorReply {
                guard error.isPassing, attempt < Self.tries else { return .failure(error) }
                attempt += 1
                try await Task.sleep(for: .milliseconds(error.retryAfter ?? 400 * attempt))
                await file.rewind()
            }
        }
    }

    private func upload(_ file: InputFile, _ candidate: ImportCandidate, _ key: String) async throws -> Outcome {
        let request = ImportAsset(
            filename: candidate.path.lastPathPart,
            modified: Timestamp(microseconds: file.modifiedMicroseconds).description
        )
        let reply = try await cluster.upload(request, rules.keyed(key)) { try await file.next() }
        return switch reply.outcome {
        case .imported: .imported(flaw: reply.asset?.flaw)
        case .duplicate: .duplicate(flaw: reply.asset?.flaw)
        case .skipped: .skipped(reply.reason ?? "not a picture or a film")
        }
    }
}

extension Asset {
    /// How far it is from whole, and why; nil when it is.
    fileprivate var flaw: String? {
        state == .ok ? nil : ErrorWords.joined([state.rawValue, reason], by: ": ")
    }
}

extension ErrorReply {
    /// What happened and why, in one sentence.
    var sentence: String { ErrorWords.joined([description, reason ?? cause], by: ": ") }

    /// Whether the same upload may well succeed a moment later.
    fileprivate var isPassing: Bool {
        switch code {
        case .serviceUnavailable, .serverSilent, .shuttingDown, .tooManyRequests, .writeBusy, .noLease: true
        default: false
        }
    }

    /// Whether no other file would fare better.
    fileprivate var endsImport: Bool {
        switch code {
        case .operatorRequired, .roleRequired, .unprovenIdentity, .accessDenied, .accessRestricted, .diskFull,
            .unknownRequest, .notYetAvailable, .cancelled:
            true
        default: isPassing
        }
    }
}
