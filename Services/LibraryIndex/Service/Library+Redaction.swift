package import Hashing
private import Media
package import MessageSchema
import Redaction

/// What of an asset can be read at any offset: its original, or that without some of its metadata.
package struct ReadableContent: Sendable {
    let file: SharedFile
    let redaction: Redaction?
    /// Bytes of the whole.
    package let bytes: Int64
    /// The hash of the whole.
    package let digest: SHA256Digest
    /// What was taken out; `none` for the original.
    package let profile: PrivacyProfile
}

extension Library {
    /// Opens an asset's bytes without what a profile takes out.
    ///
    /// A profile that is asked for is carried out, whatever the index thinks the original holds.
    ///
    /// A decoder says what stays, so a crafted file costs a worker at most. The first time, and after a restart, original
    /// and result are read to their ends, so that what is handed out comes from the bytes that were saved.
    ///
    /// - Throws: `LibraryError`: `contentLost`, `notRedacted` with the part that could not be cleaned.
    package func open(_ record: AssetRecord, without profile: PrivacyProfile) async throws -> ReadableContent {
        let file = try await open(record)
        guard profile != .none else {
            return ReadableContent(
                file: file,
                redaction: nil,
                bytes: record.bytes,
                digest: record.digest,
                profile: .none
            )
        }
        let key = RedactionShelf.Key(digest: record.digest, profile: profile)
        let made = try await shelf.made(key) { [self] digest in
            let redaction = try await redaction(of: file, record, key)
            if let digest { return RedactionShelf.Made(redaction: redaction, digest: digest) }
            return RedactionShelf.Made(redaction: redaction, digest: try await self.digest(of: file, redaction, record))
        }
        return ReadableContent(
            file: file,
            redaction: made.redaction,
            bytes: made.redaction.byteCount,
            digest: made.digest,
            profile: profile
        )
    }

    /// Reads up to `count` bytes at an offset; fewer only at the end or where the original has lost some, none past it.
    package func read(_ content: ReadableContent, at offset: Int64, upTo count: Int) async throws -> [UInt8] {
        guard let redaction = content.redaction else { return try await read(content.file, at: offset, upTo: count) }
        return try await reader.read(content.file, redaction, at: offset, upTo: count)
    }

    private func redaction(
        of file: SharedFile,
        _ record: AssetRecord,
        _ key: RedactionShelf.Key
    ) async throws -> Redaction {
        switch try await decoders.perform(.redact(key.profile), on: file, for: record.owner) {
        case .answered(_, let encoded?):
            guard let made = Redaction(encoded: encoded, ofSourceWith: record.bytes) else {
                throw LibraryError(.notRedacted(reason: "the decoder's answer makes no sense"))
            }
            return made
        case .answered(let reply, nil):
            let reason = (reply.failure ?? "the decoder made none").clipped(to: TextBounds.reasonBytes)
            throw LibraryError(.notRedacted(reason: reason))
        case .quarantined(let reason):
            await shelf.refuse(key, because: reason)
            throw LibraryError(.notRedacted(reason: reason))
        }
    }

    private func digest(
        of file: SharedFile,
        _ redaction: Redaction,
        _ record: AssetRecord
    ) async throws -> SHA256Digest {
        guard try await checker.hash(file).digest == record.digest,
            let digest = try await checker.hashRedacted(file, redaction)
        else {
            try await note(.damaged, record)
            throw LibraryError(.contentLost(state: .damaged))
        }
        return digest
    }
}
