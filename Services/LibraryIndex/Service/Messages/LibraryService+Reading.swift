import Consent
import Hashing
import Media
import MessageSchema
import Messaging
import ServiceRuntime

extension LibraryService {
    /// Assets of one item at most; about 70 kB of JSON, mostly.
    private static let pageCount = 200
    /// Bytes of JSON of one item at most, whatever the texts of its assets are.
    private static let pageBytes = Limits.bodyBytes / 2
    /// Changes of one item at most.
    private static let changeCount = 500

    func list(
        _ request: ListAssets,
        _ call: Call,
        _ sink: ItemSink<ListAssets.Item>
    ) async throws -> ListAssets.Summary {
        let enumeration = try Enumeration(request.query)
        let permit = ReadingPermit(try await gate.authorize(enumeration.needs, for: call))
        defer { permit.end() }
        return try await ending(sink, with: permit) {
            var sight = PlaceSight(gate, for: Asker(call))
            defer { sight.end() }
            var cursor: Enumeration.Cursor?
            var count = 0
            repeat {
                let rest = enumeration.limit.map { $0 - count } ?? Self.pageCount
                guard rest > 0 else { break }
                let page = try await library.page(of: enumeration, after: cursor, count: min(rest, Self.pageCount))
                let part = page.prefix(fitting: Self.pageBytes)
                guard !part.records.isEmpty else { break }
                try await send(part.records, call, sink, &sight, permit)
                count += part.records.count
                cursor = part.next
            } while cursor != nil
            return ListAssets.Summary(count: count)
        }
    }

    /// Sends a page; when the place may not be told any more by the time it goes out, it is made again without.
    private func send(
        _ records: [AssetRecord],
        _ call: Call,
        _ sink: ItemSink<ListAssets.Item>,
        _ sight: inout PlaceSight,
        _ permit: ReadingPermit
    ) async throws {
        let hasOwn = records.contains { $0.isAboutPlace && isOwn($0, call) }
        var own = hasOwn ? ownPermit(call) : nil
        let hidesPlaces = records.contains { $0.isAboutPlace && !(own != nil && isOwn($0, call)) }
        var place = hidesPlaces ? await sight.look() : nil
        while true {
            let assets = records.map { record in
                let isOwn = isOwn(record, call)
                return record.message(showsLocation: place != nil || (own != nil && isOwn), isOwn: isOwn)
            }
            do {
                return try await sink.send(ListAssets.Item(assets: assets)) { [place, own] in
                    try permit.check()
                    try place?()
                    if let own, (try? own.check()) == nil { throw PlaceSight.Lost() }
                }
            } catch is PlaceSight.Lost {
                place = nil
                own = hasOwn ? ownPermit(call) : nil
            }
        }
    }

    func find(_ request: FindAsset, _ call: Call) async throws -> FindAsset.Reply {
        let record = try await library.asset(request.url)
        // Asked before it is told whether there is such an asset.
        let permit = try await permit(for: record, [.read], call)
        defer { permit.end() }
        var sight = PlaceSight(gate, for: Asker(call))
        defer { sight.end() }
        let isOwn = record.map { self.isOwn($0, call) } ?? false
        let isShownWhole = isOwn && ownPermit(call) != nil
        let place = isShownWhole || record?.isAboutPlace != true ? nil : await sight.look()
        // From here to the answer nothing is awaited.
        try permit.check()
        let isPlaceTold = (isOwn && ownPermit(call) != nil) || (place.map { (try? $0()) != nil } ?? false)
        guard let record, record.trashed == nil else { return FindAsset.Reply(asset: nil) }
        return FindAsset.Reply(asset: record.message(showsLocation: isPlaceTold, isOwn: isOwn))
    }

    func read(_ request: ReadAsset, _ call: Call, _ sink: ItemSink<Empty>) async throws -> ReadAsset.Summary {
        let offset = request.offset ?? 0
        let chunk = request.chunk ?? 262_144
        let (record, permit, profile) = try await readable(request.url, call, without: request.privacy)
        defer { permit.end() }
        return try await ending(sink, with: permit) {
            let content = try await open(record, without: profile, asked: request.privacy, call)
            let hasher = SHA256()
            var summary = ReadAsset.Summary(count: 0, bytes: 0, sha256: "", size: content.bytes)
            summary.privacy = content.profile == .none ? nil : content.profile
            let available = max(0, content.bytes - offset)
            let length = min(request.length ?? available, available)
            while summary.bytes < length {
                let wanted = Int(min(Int64(chunk), length - summary.bytes))
                let bytes = try await library.read(content, at: offset + summary.bytes, upTo: wanted)
                guard !bytes.isEmpty else {
                    // Shorter than its row says: not the end of the file but damage.
                    try await library.note(.damaged, record)
                    throw LibraryError(.contentLost(state: .damaged))
                }
                hasher.update(bytes)
                try await sink.send(Empty(), attachments: [Attachment(bytes)], admitting: permit.check)
                summary.count += 1
                summary.bytes += Int64(bytes.count)
            }
            let digest = hasher.finish()
            if summary.bytes == content.bytes {
                guard digest == content.digest else {
                    try await library.note(.damaged, record)
                    throw LibraryError(.contentLost(state: .damaged))
                }
            } else if let state = try await library.knownLoss(of: record) {
                // A part can not be compared with anything.
                throw LibraryError(.contentLost(state: state))
            }
            summary.sha256 = digest.description
            return summary
        }
    }

    func thumbnail(
        _ request: ThumbnailAsset,
        _ call: Call,
        _ sink: ItemSink<ThumbnailAsset.Item>
    ) async throws -> Empty {
        let (record, permit) = try await readable(request.url, call, withLocation: false)
        defer { permit.end() }
        return try await ending(sink, with: permit) {
            let thumbnail = try await library.thumbnail(
                of: record,
                width: request.width,
                height: request.height,
                fill: request.fill ?? false
            )
            let item = ThumbnailAsset.Item(width: thumbnail.width, height: thumbnail.height)
            try await sink.send(item, attachments: [Attachment(thumbnail.jpeg)], admitting: permit.check)
            return Empty()
        }
    }

    func count(_ request: CountAssets, _ call: Call) async throws -> CountAssets.Reply {
        let enumeration = try Enumeration(request.query)
        let authorization = try await gate.authorize(enumeration.needs, for: call)
        defer { authorization.end() }
        let reply = try await library.count(enumeration)
        try authorization.check()
        return reply
    }

    func changes(
        _ request: ListChanges,
        _ call: Call,
        _ sink: ItemSink<ListChanges.Item>
    ) async throws -> ListChanges.Summary {
        let permit = ReadingPermit(try await gate.authorize([.read], for: call))
        defer { permit.end() }
        return try await ending(sink, with: permit) {
            var last = try await library.generation(of: request.since)
            // What comes meanwhile belongs to the next answer, so that this one ends.
            let end = try await library.generation()
            var count = 0
            while last < end {
                let most = Int(min(Int64(Self.changeCount), end - last))
                let events = try await library.events(after: last, count: most)
                guard let newest = events.last?.generation else { break }
                try await sink.send(ListChanges.Item(changes: events), admitting: permit.check)
                count += events.count
                last = newest
            }
            return ListChanges.Summary(count: count, token: try await library.token(at: max(last, end)))
        }
    }

    func watch(_ request: WatchLibrary, _ call: Call, _ sink: ItemSink<LibraryEvent>) async throws -> Empty {
        let permit = ReadingPermit(try await gate.authorize([.read], for: call))
        defer { permit.end() }
        return try await ending(sink, with: permit) {
            var last = try await library.generation(of: request.since)
            while true {
                // Read before the changes are, so that none is stepped over.
                let told = feed.generation
                let events = try await library.events(after: last, count: 100)
                for event in events {
                    try await sink.send(event, admitting: permit.check)
                    last = event.generation
                }
                // What was there before, also before this process, is not waited for.
                guard events.isEmpty else { continue }
                last = max(last, told)
                await feed.wait(after: last)
                try Task.checkCancellation()
            }
        }
    }

    /// An asset whose bytes the caller may have, and why.
    func readable(
        _ url: AssetURL,
        _ call: Call,
        withLocation: Bool
    ) async throws -> (AssetRecord, ReadingPermit) {
        let record = try await library.asset(url)
        let needsPlace = withLocation && record?.mayHoldPlace == true
        // What is in the trash is for those who could take it out of there.
        let need: Need = record?.trashed == nil ? .read : .readWrite
        let permit = try await permit(for: record, needsPlace ? [need, .place] : [need], call)
        guard let record else {
            permit.end()
            throw LibraryError(.noSuchAsset)
        }
        return (record, permit)
    }

    /// That the caller's own assets may be shown to it whole; nil when it may not have them without more.
    func ownPermit(_ call: Call) -> ReadingPermit? { try? ReadingPermit(own: Asker(call), gate) }

    func permit(for record: AssetRecord?, _ needs: [Need], _ call: Call) async throws -> ReadingPermit {
        if let record, isOwn(record, call) {
            let asker = Asker(call)
            do {
                return try ReadingPermit(own: asker, gate)
            } catch {
                // A no to adding takes one's own away, but not what was granted besides.
                guard case .allowed = gate.standing(of: .read, for: asker) else { throw error }
            }
        }
        return ReadingPermit(try await gate.authorize(needs, for: call))
    }

    /// Runs a stream's work, and ends the stream as soon as it may not go on, also while it waits for something.
    private func ending<Item, Result: Sendable>(
        _ sink: ItemSink<Item>,
        with permit: ReadingPermit,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Ending the stream cancels its handler, this one.
                if let error = await permit.revoked() { await sink.fail(error) }
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }
}
