import Consent
import Hashing
import Media
import MessageSchema
import Messaging
import ServiceRuntime

extension LibraryService {
    /// Assets of one item; about 70 kB of JSON.
    private static let pageCount = 200

    func list(
        _ request: ListAssets,
        _ call: Call,
        _ sink: ItemSink<ListAssets.Item>
    ) async throws -> ListAssets.Summary {
        let enumeration = try Enumeration(request.query)
        let authorization = try await gate.authorize([.read], for: call)
        defer { authorization.end() }
        var cursor: Enumeration.Cursor?
        var count = 0
        repeat {
            let rest = enumeration.limit.map { $0 - count } ?? Self.pageCount
            guard rest > 0 else { break }
            let page = try await library.page(of: enumeration, after: cursor, count: min(rest, Self.pageCount))
            guard !page.records.isEmpty else { break }
            let assets = page.records.map { $0.message(showsLocation: showsLocation(of: $0, to: call)) }
            try await sink.send(ListAssets.Item(assets: assets)) { try authorization.check() }
            count += assets.count
            cursor = page.next
        } while cursor != nil
        return ListAssets.Summary(count: count)
    }

    func find(_ request: FindAsset, _ call: Call) async throws -> FindAsset.Reply {
        let record = try await library.asset(request.url)
        if let record, isOwn(record, call) { return FindAsset.Reply(asset: record.message(showsLocation: true)) }
        // Asked before it is told whether there is such an asset.
        let authorization = try await gate.authorize([.read], for: call)
        defer { authorization.end() }
        return FindAsset.Reply(asset: record.map { $0.message(showsLocation: showsLocation(of: $0, to: call)) })
    }

    func read(_ request: ReadAsset, _ call: Call, _ sink: ItemSink<Empty>) async throws -> ReadAsset.Summary {
        let offset = request.offset ?? 0
        let chunk = request.chunk ?? 262_144
        guard offset >= 0, (request.length ?? 0) >= 0, (1...Limits.chunkBytes).contains(chunk) else {
            throw LibraryError(
                .invalidArgument("offset and length are not below 0, chunk is 1 to \(Limits.chunkBytes)")
            )
        }
        let (record, authorization) = try await readable(request.url, call, withLocation: true)
        defer { authorization?.end() }
        let file = try await library.open(record)
        let hasher = SHA256()
        var summary = ReadAsset.Summary(count: 0, bytes: 0, sha256: "", size: record.bytes)
        let available = max(0, record.bytes - offset)
        let length = min(request.length ?? available, available)
        while summary.bytes < length {
            let wanted = Int(min(Int64(chunk), length - summary.bytes))
            let bytes = try await library.read(file, at: offset + summary.bytes, upTo: wanted)
            guard !bytes.isEmpty else {
                // Shorter than its row says: not the end of the file but damage.
                try await library.note(.damaged, record)
                throw LibraryError(.contentLost(state: .damaged))
            }
            hasher.update(bytes)
            try await sink.send(Empty(), attachments: [Attachment(bytes)]) { try authorization?.check() }
            summary.count += 1
            summary.bytes += Int64(bytes.count)
        }
        summary.sha256 = hasher.finish().description
        return summary
    }

    func thumbnail(
        _ request: ThumbnailAsset,
        _ call: Call,
        _ sink: ItemSink<ThumbnailAsset.Item>
    ) async throws -> Empty {
        let (record, authorization) = try await readable(request.url, call, withLocation: false)
        defer { authorization?.end() }
        let thumbnail = try await library.thumbnail(of: record, width: request.width, height: request.height)
        let item = ThumbnailAsset.Item(width: thumbnail.width, height: thumbnail.height)
        try await sink.send(item, attachments: [Attachment(thumbnail.jpeg)]) { try authorization?.check() }
        return Empty()
    }

    func watch(_ call: Call, _ sink: ItemSink<LibraryEvent>) async throws -> Empty {
        let authorization = try await gate.authorize([.read], for: call)
        defer { authorization.end() }
        var last = try await library.generation()
        while true {
            await feed.wait(after: last)
            try Task.checkCancellation()
            // Read before the changes are, so that none is stepped over.
            let told = feed.generation
            let events = try await library.events(after: last, count: 100)
            for event in events {
                try await sink.send(event) { try authorization.check() }
                last = event.generation
            }
            if events.isEmpty { last = max(last, told) }
        }
    }

    /// An asset whose bytes the caller may have, and by which authorization; none for its own.
    private func readable(
        _ url: AssetURL,
        _ call: Call,
        withLocation: Bool
    ) async throws -> (AssetRecord, Authorization?) {
        let record = try await library.asset(url)
        if let record, isOwn(record, call) { return (record, nil) }
        let needsLocation = withLocation && record?.location != nil
        let needs: [Need] = needsLocation ? [.read, Need(.location, .read)] : [.read]
        let authorization = try await gate.authorize(needs, for: call)
        guard let record else {
            authorization.end()
            throw LibraryError(.noSuchAsset)
        }
        return (record, authorization)
    }
}
