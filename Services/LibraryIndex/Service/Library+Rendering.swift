private import Media
private import MessageSchema
private import SQLite

/// A small picture of an asset.
package struct Thumbnail: Hashable, Sendable {
    /// Pixels, upright.
    package let width: Int
    /// Pixels, upright.
    package let height: Int
    /// A JPEG without metadata.
    package let jpeg: [UInt8]
}

extension Library {
    /// A picture of one content may cost so many tries; then its reason is the answer.
    private static let mostRenderingFailures = 2

    /// A small upright JPEG of an asset that fits into a box, or fills it and is cropped to it.
    ///
    /// - Throws: `LibraryError`: `noPicture` with the reason, `contentLost`, `invalidArgument` for a box out of ``Limits/thumbnailSides``.
    package func thumbnail(
        of record: AssetRecord,
        width: Int,
        height: Int,
        fill: Bool = false
    ) async throws -> Thumbnail {
        guard Limits.thumbnailSides.contains(width), Limits.thumbnailSides.contains(height) else {
            throw LibraryError(.invalidArgument(parameter: "width or height", rule: "\(Limits.thumbnailSides) pixels"))
        }
        let digest = record.digest
        let (content, reason) = try await database.perform { connection in
            try (
                ContentTable(connection: connection).find(digest),
                QuarantineTable(connection: connection).reason(for: digest)
            )
        }
        if record.state == .quarantined || reason != nil {
            throw LibraryError(.noPicture(reason: reason ?? record.reason ?? "it ended its decoders"))
        }
        if let content, content.renderingFailures >= Library.mostRenderingFailures {
            throw LibraryError(.noPicture(reason: content.renderingFailure ?? "it was tried before"))
        }
        let file = try await open(record)
        let job = DecoderJob.thumbnail(width: width, height: height, fill: fill)
        switch try await decoders.perform(job, on: file, for: record.owner) {
        case .answered(let reply, let picture?):
            guard let thumbnail = reply.thumbnail, thumbnail.byteCount == picture.count else { break }
            return Thumbnail(width: thumbnail.width, height: thumbnail.height, jpeg: picture)
        case .answered(let reply, nil):
            let reason = (reply.failure ?? "the decoder gave none").clipped(to: TextBounds.reasonBytes)
            try await noteRenderingFailure(reason, of: record, count: 1)
            throw LibraryError(.noPicture(reason: reason))
        case .quarantined(let reason):
            try await noteRenderingFailure(reason, of: record, count: Library.mostRenderingFailures)
            throw LibraryError(.noPicture(reason: reason))
        }
        throw LibraryError(.noPicture(reason: "the decoder gave none"))
    }

    private func noteRenderingFailure(_ reason: String, of record: AssetRecord, count: Int) async throws {
        let digest = record.digest
        try await database.transaction { connection in
            for _ in 0..<count { try ContentTable(connection: connection).addRenderingFailure(reason, of: digest) }
        }
    }
}
