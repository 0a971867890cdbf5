import Consent
import Logging
import MessageSchema
import Messaging
import ServiceRuntime

extension LibraryService {
    func save(_ request: SaveAsset, _ call: Call, _ source: UploadSource) async throws -> Asset {
        let authorization = try await gate.authorize([.addOnly], for: call)
        defer { authorization.end() }
        let upload = try await receive(source) { try authorization.check() }
        var mayReferToAll = false
        if request.original != nil, case .allowed = gate.standing(of: .read, for: authorization.asker) {
            mayReferToAll = true
        }
        let record = try await library.save(
            upload,
            as: request,
            owner: Owner(call),
            key: call.idempotencyKey,
            mayReferToAll: mayReferToAll
        )
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
        let upload = try await receive(source) {}
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

    /// Takes all chunks; what has come is forgotten when the upload ends early or `check` throws.
    private func receive(
        _ source: UploadSource,
        _ check: () throws -> Void
    ) async throws -> MediaStore.UploadID {
        let upload = try await library.beginUpload()
        do {
            while let chunk = try await source.next() {
                try check()
                try await library.append(chunk.bytes, to: upload)
            }
            try check()
            return upload
        } catch {
            await library.cancel(upload)
            throw error
        }
    }
}
