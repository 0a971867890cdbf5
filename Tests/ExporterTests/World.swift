import Bags
import Consent
import EventLoop
import ExporterService
import Files
import Foundation
import Hashing
import Logging
import Media
import MessageSchema
import Messaging
import ServiceRuntime
import Synchronization
import Timekeeping

/// A library and a gate that a test can disturb.
final class World: Sendable {
    struct State {
        var contents: [String: [UInt8]] = [:]
        var assets: [Asset] = []
        var reads: [String] = []
        /// Thrown by so many of the next calls of the library.
        var outages = 0
        var isRevoked = false
        var isDenied = false
        /// Called before a chunk is given, with how many were given so far.
        var beforeChunk: (@Sendable (Int) async throws -> Void)?
        /// Called before permission is given, and before an asset with that name is read.
        var beforePass: (@Sendable () async throws -> Void)?
        var beforeRead: (@Sendable (String) throws -> Void)?
        var chunks = 0
        var ended = 0
        var askers: [Asker] = []
        /// What is sent instead of an asset's own bytes.
        var wrong: [String: [UInt8]] = [:]
    }

    static let program = Principal.user(1000)
    static let other = Principal.user(2000)

    let state = Mutex(State())
    let folder: String
    let clock = ManualClock()

    init(in folder: String) { self.folder = folder }

    /// Adds an asset; its identifier is made of a number.
    @discardableResult
    func add(_ name: String, _ content: String, number: Int) -> Asset {
        let id = String(format: "%08X-0000-4000-8000-000000000000", number)
        let bytes = Array(content.utf8)
        let url = AssetURL(id: id, fileExtension: "JPG")
        let asset = Asset(
            url: url,
            kind: .photo,
            uti: "public.jpeg",
            filename: name,
            bytes: Int64(bytes.count),
            sha256: SHA256Digest(hashing: bytes).description,
            width: 1,
            height: 1,
            orientation: .up,
            state: .ok,
            representations: [],
            added: "2026-11-30T00:00:00Z"
        )
        state.withLock {
            $0.contents[url.id] = bytes
            $0.assets.append(asset)
        }
        return asset
    }

    private static var away: ErrorReply { ErrorReply(.serviceUnavailable, "The library is away") }

    private func passOutage() throws {
        let isAway = state.withLock { state in
            guard state.outages > 0 else { return false }
            state.outages -= 1
            return true
        }
        if isAway { throw Self.away }
    }

    var source: ExportSource {
        ExportSource(
            assets: { [self] selection, _ in
                try passOutage()
                let all = state.withLock(\.assets)
                guard let urls = selection.assets else { return all }
                return urls.compactMap { url in all.first { $0.url.id == url.id } }
            },
            digest: { asset, privacy, _ in try self.digest(asset, privacy) },
            read: { asset, _, take in try await self.give(asset, take) }
        )
    }

    /// Without the metadata that stands in square brackets; what has a `!` can not be cleaned.
    private func digest(_ asset: Asset, _ privacy: PrivacyProfile) throws -> DigestAsset.Reply {
        try passOutage()
        let bytes = try redacted(asset, privacy)
        return DigestAsset.Reply(
            bytes: Int64(bytes.count),
            sha256: SHA256Digest(hashing: bytes).description,
            privacy: privacy
        )
    }

    private func redacted(_ asset: Asset, _ privacy: PrivacyProfile) throws -> [UInt8] {
        guard let content = state.withLock({ $0.contents[asset.url.id] }) else {
            throw ErrorReply(.noSuchAsset, "It is gone")
        }
        guard privacy != .none else { return content }
        if content.contains(0x21) {
            throw ErrorReply(.imageUnavailable, "It can not be cleaned", reason: "It has a part", cause: "notRedacted")
        }
        let text = String(decoding: content, as: UTF8.self)
        guard let start = text.firstIndex(of: "["), let end = text.firstIndex(of: "]") else { return content }
        return Array((text[..<start] + text[text.index(after: end)...]).utf8)
    }

    private func give(_ asset: Asset, _ take: (Attachment) async throws -> Void) async throws -> String {
        try passOutage()
        try state.withLock(\.beforeRead)?(asset.filename)
        let content = state.withLock { state in
            state.reads.append(asset.filename)
            return state.wrong[asset.url.id] ?? state.contents[asset.url.id]
        }
        guard var bytes = content else { throw ErrorReply(.noSuchAsset, "It is gone") }
        if let privacy = asset.privacy { bytes = try redacted(asset, privacy) }
        for start in stride(from: 0, to: bytes.count, by: 2) {
            let (hook, count) = state.withLock { state in
                state.chunks += 1
                return (state.beforeChunk, state.chunks)
            }
            try await hook?(count)
            try await take(Attachment(Array(bytes[start..<min(start + 2, bytes.count)])))
        }
        return SHA256Digest(hashing: bytes).description
    }

    var permission: ExportPermission {
        ExportPermission { [self] asker in
            try await state.withLock(\.beforePass)?()
            let isDenied = state.withLock { state in
                state.askers.append(asker)
                return state.isDenied
            }
            if isDenied { throw ErrorReply(.accessDenied, "No") }
            return ExportPass(
                check: { [self] in
                    if state.withLock(\.isRevoked) { throw ErrorReply(.revoked, "Taken away") }
                },
                delegation: Delegation(principal: asker.principal, grant: "1"),
                locationRefusal: {
                    ErrorReply(
                        .accessDenied,
                        "Access denied",
                        reason: "The user has denied the application location.",
                        recoverySuggestion: "obscura permissions reset",
                        parameters: ["resource": "location"]
                    )
                },
                end: { [self] in state.withLock { $0.ended += 1 } }
            )
        }
    }

    /// A new exporter over the same folder, as after a restart.
    func exporter(clock: any Clock<Duration> = ContinuousClock()) throws -> Exporter {
        var surroundings = Exporter.Surroundings(
            store: try ExportStore(in: folder),
            roots: ExportRoots([folder + "/exports"]),
            source: source,
            permission: permission,
            disk: EventLoop(name: "disk"),
            log: Logger(service: "exporter", level: .error)
        )
        surroundings.clock = clock
        return Exporter(surroundings, loop: EventLoop(name: "sockets"))
    }

    func bag(_ name: String = "trip") -> String { folder + "/exports/" + name }

    func isValid(_ name: String = "trip") throws -> Bool {
        try BagVerifier.verify(Directory(opening: bag(name))).isValid
    }

    func payload(_ name: String = "trip") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: bag(name) + "/data").sorted()
    }

    static func asker(_ principal: Principal = program) -> Asker { Asker(principal: principal) }

    static var everything: StartExport { StartExport(selection: ExportSelection(), destination: "trip") }
}

extension Exporter {
    /// The job when it has come to a state of this kind.
    func wait(for id: String, _ isReached: (ExportJob) -> Bool) async throws -> ExportJob {
        for await job in try await follow(id, for: World.program, mayFollowAll: true) where isReached(job) {
            return job
        }
        throw CancellationError()
    }

    /// The job when it does not run any more.
    func end(of id: String) async throws -> ExportJob {
        try await wait(for: id) { $0.state != .running }
    }
}
