import Consent
import Logging
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
        let upload = try await receive(source, authorization)
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
        return record.message(showsLocation: true)
    }

    func importFile(_ request: ImportAsset, _ call: Call, _ source: UploadSource) async throws -> ImportAsset.Reply {
        let upload = try await receive(source, nil)
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
    private func receive(_ source: UploadSource, _ authorization: Authorization?) async throws -> MediaStore.UploadID {
        let upload = try await library.beginUpload()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if let authorization {
                    // It never is the first to end well: an upload that is given up is not complete.
                    group.addTask { throw await authorization.revoked() ?? CancellationError() }
                }
                group.addTask {
                    while let chunk = try await source.next() {
                        try authorization?.check()
                        try await library.append(chunk.bytes, to: upload)
                    }
                    try authorization?.check()
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
