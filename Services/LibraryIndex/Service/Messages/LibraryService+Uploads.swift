import Consent
import Logging
import Media
import MessageSchema
import Messaging
import ServiceRuntime

extension LibraryService {
    func save(_ request: SaveAsset, _ call: Call, _ source: UploadSource) async throws -> Asset {
        guard request.effectOf == nil || call.caller.role != nil else {
            throw LibraryError(.invalidArgument(parameter: "effectOf", rule: "left out by programs"))
        }
        // Refused before anybody is asked, and once more when the bytes are there.
        _ = try request.metadata?.checked()
        let authorization = try await gate.authorize([.addOnly], for: call)
        defer { authorization.end() }
        let upload = try await receive(source, authorization.check, authorization.revoked)
        let reading = request.original == nil ? nil : await reading(authorization.asker)
        defer { reading?.end() }
        let record = try await library.save(
            upload,
            as: request,
            owner: Owner(call),
            key: call.idempotencyKey,
            mayReferToAll: reading != nil
        ) {
            try authorization.check()
            try reading?.check()
        }
        log.info(
            "asset saved",
            [
                "asset.id": .string(record.id.description), "asset.uti": .string(record.uti),
                "asset.bytes": .integer(record.bytes), "principal": .string(record.owner),
            ]
        )
        return record.message(showsLocation: true, isOwn: true)
    }

    func replace(_ request: ReplaceAsset, _ call: Call, _ source: UploadSource) async throws -> Asset {
        _ = try request.metadata?.checked()
        // Refused before anybody is asked or anything is sent; it is looked at once more in the transaction.
        guard let present = try await library.asset(request.url), isOwn(present, call), present.trashed == nil else {
            throw LibraryError(.notEditable)
        }
        let authorization = try await gate.authorize([.addOnly], for: call)
        defer { authorization.end() }
        let upload = try await receive(source, authorization.check, authorization.revoked)
        let record = try await library.replace(upload, as: request, owner: Owner(call), key: call.idempotencyKey) {
            try authorization.check()
        }
        log.info(
            "asset replaced",
            ["asset.id": .string(record.id.description), "asset.bytes": .integer(record.bytes)]
        )
        return record.message(showsLocation: true, isOwn: true)
    }

    func check(_ request: CheckAsset, _ call: Call, _ source: UploadSource) async throws -> CheckAsset.Reply {
        let permit = try ReadingPermit(own: Asker(call), gate, refusing: .addOnly)
        let upload = try await receive(source, permit.check, permit.revoked)
        let report = try await library.check(upload, for: Owner(call))
        try permit.check()
        let expected: AssetKind? = request.mediaType == .image ? .photo : request.mediaType == .movie ? .video : nil
        var reason: String?
        if !report.isUsable || report.state != .ok {
            reason = report.reason ?? "it can not be viewed or played"
        } else if report.kind != expected {
            reason = "it is a \(report.kind.rawValue)"
        }
        return CheckAsset.Reply(compatible: reason == nil, kind: report.kind, uti: report.uti, reason: reason)
    }

    func importFile(_ request: ImportAsset, _ call: Call, _ source: UploadSource) async throws -> ImportAsset.Reply {
        let upload = try await receive(source, {}, nil)
        let imported = try await library.importFile(
            upload,
            as: request,
            owner: Owner(call),
            key: call.idempotencyKey
        )
        return ImportAsset.Reply(
            outcome: imported.outcome,
            reason: imported.reason,
            asset: imported.record?.message(showsLocation: true)
        )
    }

    /// The grant to read, if there is one now; nobody is asked for it.
    private func reading(_ asker: Asker) async -> Authorization? {
        guard case .allowed = gate.standing(of: .read, for: asker) else { return nil }
        var asker = asker
        asker.mayPrompt = false
        // Without it only one's own assets can be referred to.
        return try? await gate.authorize([.read], for: asker)
    }

    /// Takes all chunks; what has come is forgotten when the upload ends early or the grant does, which is told at once.
    private func receive(
        _ source: UploadSource,
        _ check: @escaping @Sendable () throws -> Void,
        _ revoked: (@Sendable () async -> ErrorReply?)?
    ) async throws -> MediaStore.UploadID {
        let upload = try await library.beginUpload()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if let revoked {
                    // It never is the first to end well: an upload that is given up is not complete.
                    group.addTask { throw await revoked() ?? CancellationError() }
                }
                group.addTask {
                    while let chunk = try await source.next() {
                        try check()
                        try await library.append(chunk.bytes, to: upload)
                    }
                    try check()
                }
                defer { group.cancelAll() }
                // Whichever is first: an upload that is complete, or an error.
                try await group.next()
            }
            return upload
        } catch {
            await library.cancel(upload)
            throw error
        }
    }
}
