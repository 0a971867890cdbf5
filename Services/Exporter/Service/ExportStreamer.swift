private import Hashing
package import MessageSchema
package import Messaging
package import ServiceRuntime

/// Gives an export's bytes to a caller that writes the bag itself: files one after the other, chunk by chunk.
package struct ExportStreamer: Sendable {
    let source: ExportSource
    let permission: ExportPermission

    package init(source: ExportSource, permission: ExportPermission) {
        self.source = source
        self.permission = permission
    }

    /// The body of the stream; every item passes the gate immediately before it is sent.
    ///
    /// `present` has the hashes of what the caller has, 32 bytes each.
    /// - Throws: `invalidArgument` for parts of hashes; what the gate answers, `revoked` while it runs; `CancellationError` when the stream has ended.
    package func serve(
        _ request: StreamExport,
        for asker: Asker,
        job: String,
        present: [Attachment] = [],
        send: @Sendable (StreamExport.Item, [Attachment], @escaping @Sendable () throws -> Void) async throws -> Void
    ) async throws -> StreamExport.Summary {
        let present = try Self.digests(present)
        let pass = try await permission.pass(asker)
        defer { pass.end() }
        var summary = StreamExport.Summary(job: job, files: 0, bytes: 0)
        let assets = try await source.assets(request.selection, pass.delegation)
        let privacy = request.privacy ?? PrivacyProfile.none
        // Told before anything is copied, so that the caller can see whether it has the room; what a file without its
        // metadata takes, as one whose hash is hidden with its place, is known only when it is made.
        var toCome: Int64?
        if privacy == .none, assets.allSatisfy({ $0.sha256 != nil }) {
            toCome = assets.reduce(0) { bytes, asset in
                guard let digest = asset.sha256.flatMap({ SHA256Digest($0) }), !present.contains(digest) else {
                    return bytes
                }
                return bytes + asset.bytes
            }
        }
        for found in assets {
            let asset: Asset
            switch try await outgoing(found, privacy, pass) {
            case .file(let file): asset = file
            case .failed(let failure):
                try await send(StreamExport.Item(failed: failure), [], pass.check)
                continue
            }
            guard let sha256 = asset.sha256, let digest = SHA256Digest(sha256) else {
                try await send(StreamExport.Item(failed: pass.hiding(asset.url)), [], pass.check)
                continue
            }
            let isPresent = present.contains(digest)
            let file = StreamExport.File(asset: asset, sha256: sha256, bytes: asset.bytes, isPresent: isPresent)
            var item = StreamExport.Item(file: file)
            item.bytesToCome = toCome.take()
            try await send(item, [], pass.check)
            summary.files += 1
            if isPresent || request.planOnly == true { continue }
            do {
                let bytes = try await chunks(of: asset, pass, send)
                summary.bytes += bytes
            } catch let error as ErrorReply where !Self.endsAll(error) {
                let failure = ExportFailure(url: asset.url, error)
                try await send(StreamExport.Item(failed: failure), [], pass.check)
            }
        }
        return summary
    }

    /// What of an asset goes out; what can not be asked about it is its failure alone.
    private func outgoing(
        _ asset: Asset,
        _ privacy: PrivacyProfile,
        _ pass: ExportPass
    ) async throws -> OutgoingAsset {
        do {
            return try await OutgoingAsset(asset, privacy, source, pass)
        } catch let error as ErrorReply where !Self.endsAll(error) {
            return .failed(ExportFailure(url: asset.url, error))
        }
    }

    private static func digests(_ attachments: [Attachment]) throws -> Set<SHA256Digest> {
        var found: Set<SHA256Digest> = []
        for attachment in attachments {
            let bytes = attachment.bytes
            guard bytes.count.isMultiple(of: 32) else {
                throw ErrorReply(.invalidArgument, "An attachment of hashes has 32 bytes for each")
            }
            for start in stride(from: 0, to: bytes.count, by: 32) {
                if let digest = SHA256Digest(bytes: bytes[start..<start + 32]) { found.insert(digest) }
            }
        }
        return found
    }

    /// One chunk is held back, so that the last one can say that it is.
    private func chunks(
        of asset: Asset,
        _ pass: ExportPass,
        _ send: @Sendable (StreamExport.Item, [Attachment], @escaping @Sendable () throws -> Void) async throws -> Void
    ) async throws -> Int64 {
        var held: Attachment?
        var bytes: Int64 = 0
        let sha256 = try await source.read(asset, pass.delegation) { chunk in
            if let ready = held { try await send(StreamExport.Item(), [ready], pass.check) }
            held = chunk
            bytes += Int64(chunk.count)
        }
        guard sha256 == asset.sha256, bytes == asset.bytes else {
            throw ErrorReply(.damaged, "The library's bytes are not what it says they are")
        }
        try await send(StreamExport.Item(last: true), held.map { [$0] } ?? [], pass.check)
        return bytes
    }

    private static func endsAll(_ error: ErrorReply) -> Bool {
        if error.isAboutLocation { return false }
        return switch error.code {
        case .revoked, .accessDenied, .accessRestricted, .noLease, .cancelled: true
        default: false
        }
    }
}
