private import Consent
import EventLoop
import Media
import MessageSchema
private import Messaging
import ServiceRuntime
import Timekeeping

/// Does one job from beginning to end; it may be ended at any moment by cancelling its task, and begun again.
///
/// Where the library is away for a while it waits and tries again; a file that can not be had is named and passed over;
/// a revocation or a full disk ends the work, and what was copied stays.
struct ExportRun: Sendable {
    /// How often the library is tried again, with waits that double from half a second.
    private static let attempts = 6

    let id: String
    let record: ExportRecord
    let asker: Asker
    let store: ExportStore
    let roots: ExportRoots
    let source: ExportSource
    let permission: ExportPermission
    let disk: EventLoop
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    /// Takes every step of the job.
    let report: @Sendable (ExportJobMachine.Event) async -> Void

    /// Does the job.
    ///
    /// - Throws: `ErrorReply` for what ended it, `CancellationError` when its task was cancelled.
    func perform() async throws {
        let pass = try await patiently { try await permission.pass(asker) }
        defer { pass.end() }
        await report(.began)
        let assets = try await plan(pass)
        let desk = BagDesk(disk: disk, names: record.names)
        do {
            try await fill(desk, assets, pass)
        } catch {
            // What was moved is told, however the work ended.
            await report(.left(await desk.close()))
            throw error
        }
        await report(.finished)
    }

    private func fill(_ desk: BagDesk, _ assets: [Asset], _ pass: ExportPass) async throws {
        try await desk.open(record.job.destination, below: roots, privacy: record.privacy)
        for file in try await place(assets, desk, pass) {
            try Task.checkCancellation()
            if file.isPresent {
                await report(.skipped)
            } else {
                try await copy(file, desk, pass)
            }
        }
        let day = String(now().description.prefix(10))
        let info = [("Bag-Software-Agent", "obscura-exporter"), ("Bagging-Date", day), ("External-Identifier", id)]
        let whole = try await desk.seal(info: info)
        await report(.left(whole))
    }

    /// The assets of the job: kept with it, so that going on means the same ones.
    private func plan(_ pass: ExportPass) async throws -> [Asset] {
        if let kept = try await store.plan(of: id) { return kept }
        let found = try await patiently { try await source.assets(record.selection, pass.delegation) }
        try await store.setPlan(found, of: id)
        return found
    }

    /// Decides all files before any is copied, and that there is room for them.
    private func place(_ assets: [Asset], _ desk: BagDesk, _ pass: ExportPass) async throws -> [BagDesk.File] {
        var planned = assets.reduce(Int64(0)) { $0 + $1.bytes }
        await report(.planned(files: assets.count, bytes: planned))
        var files: [BagDesk.File] = []
        var redacted = 0
        for asset in assets {
            try Task.checkCancellation()
            do {
                let outgoing = try await patiently {
                    try await OutgoingAsset(asset, record.privacy, source, pass)
                }
                try pass.check()
                switch outgoing {
                case .file(let file):
                    files.append(try await desk.place(file))
                    planned += file.bytes - asset.bytes
                    if file.privacy != nil { redacted += 1 }
                case .failed(let failure): await report(.lost(failure))
                }
            } catch let error as ErrorReply where !Self.endsAll(error) {
                await report(.lost(ExportFailure(url: asset.url, error)))
            }
        }
        // Without metadata they have other sizes.
        await report(.planned(files: assets.count, bytes: planned, redacted: redacted))
        let needed = files.reduce(Int64(0)) { $0 + ($1.isPresent ? 0 : $1.byteCount) }
        let free = try await desk.availableBytes()
        guard needed <= free else { throw ErrorReply.noRoom(needed: needed, free: free) }
        return files
    }

    private func copy(_ file: BagDesk.File, _ desk: BagDesk, _ pass: ExportPass) async throws {
        do {
            try await patiently {
                do {
                    try await desk.begin(file)
                    _ = try await source.read(file.asset, pass.delegation) { chunk in
                        try Task.checkCancellation()
                        try await desk.write(chunk.bytes, pass)
                    }
                    try await desk.finish()
                } catch {
                    await desk.abandon()
                    throw error
                }
            }
            await report(.copied(bytes: file.byteCount))
        } catch let error as ErrorReply where !Self.endsAll(error) {
            await report(.lost(ExportFailure(url: file.asset.url, error)))
        }
    }

    /// Tries again while the other side is away.
    private func patiently<Result>(_ body: () async throws -> Result) async throws -> Result {
        var wait = Duration.milliseconds(500)
        for _ in 1..<Self.attempts {
            do {
                return try await body()
            } catch let error as ErrorReply where Self.isPassing(error) {
                try await clock.sleep(for: wait)
                wait *= 2
            }
        }
        return try await body()
    }

    private static func isPassing(_ error: ErrorReply) -> Bool {
        switch error.code {
        case .serviceUnavailable, .serverSilent, .shuttingDown, .noLease, .tooManyRequests, .writeBusy: true
        default: false
        }
    }

    /// Whether the error would meet every other file too.
    private static func endsAll(_ error: ErrorReply) -> Bool {
        // The location is missing for some pictures; the others have none.
        if error.isAboutLocation { return false }
        return switch error.code {
        case .revoked, .accessDenied, .accessRestricted, .dismissed, .diskFull, .inputOutput, .cancelled,
            .internalFault:
            true
        default: isPassing(error)
        }
    }
}

extension ErrorReply {
    /// Whether a permission to see the location is what is missing.
    var isAboutLocation: Bool { parameters?["resource"] == Resource.location.description }

    /// What happened and why, and for a missing location what can be done about it, in one line.
    fileprivate var failureText: String {
        guard isAboutLocation, let suggestion = recoverySuggestion else { return text }
        return "\(text.hasSuffix(".") ? String(text.dropLast()) : text); \(suggestion)"
    }

    /// What happened and why in one line.
    var text: String { reason.map { "\(description): \($0)" } ?? description }
}

extension ExportFailure {
    /// A file that can not be had because of an error.
    init(url: AssetURL, _ error: ErrorReply) {
        self.init(url: url, reason: error.failureText)
    }
}
