import Consent
import Containers
import Foundation
import Hashing
import Imaging
import LibraryIndexService
import Media
import MessageSchema
import Messaging
import Testing

/// Who learns where pictures were taken.
extension GateTests {
    private static let place = Location(latitude: 47.1, longitude: 9.5, altitude: nil)

    private func places(_ client: MessageClient) async throws -> [Location?] {
        let stream = try await client.stream(ListAssets(query: AssetQuery()))
        var found: [Location?] = []
        while let item = try await stream.next() { found += item.value.assets.map(\.location) }
        return found
    }

    @Test func `who is not shown one's own without more is not shown its place either`() async throws {
        try await withWire { wire, client, _ in
            let bytes = try TestLibrary.picture(location: Self.place)
            let url = try await wire.library.save(bytes, owner: Self.owner).url
            #expect(try await client.call(FindAsset(url: url)).asset?.location == Self.place)
            try wire.decide(.denied, .addOnly)
            try wire.decide(.allowed, .read)
            try wire.decide(.denied, .location, .read, Wire.us)
            let found = try #require(try await client.call(FindAsset(url: url)).asset)
            #expect(found.location == nil && found.sha256 == nil)
            #expect(try await places(client) == [nil])
            let metadata = try await client.call(ReadMetadata(url: url)).metadata
            #expect(metadata?.isEmpty == false && metadata?["{GPS}"] == nil)
            #expect(try await read(ReadAsset(url: url), client).summary?.privacy == .location)
        }
    }

    @Test func `a grant of the place for once shows it in one enumeration or lookup`() async throws {
        try await withWire { wire, client, _ in
            let bytes = try TestLibrary.picture(location: Self.place)
            let url = try await wire.library.save(bytes, owner: TestLibrary.ben).url
            try wire.decide(.allowed, .read)
            var releases = wire.releases.stream.makeAsyncIterator()
            try wire.decide(.allowed, .location, .read, Wire.us, .once)
            #expect(try await places(client) == [Self.place])
            await releases.next()
            #expect(try await places(client) == [nil])
            try wire.decide(.allowed, .location, .read, Wire.us, .once)
            #expect(try await client.call(FindAsset(url: url)).asset?.location == Self.place)
            await releases.next()
            #expect(try await client.call(FindAsset(url: url)).asset?.location == nil)
        }
    }

    @Test func `a place that was allowed once for an export is shown to all of it, and to nobody else`() async throws {
        try await withWire { wire, client, _ in
            let bytes = try TestLibrary.picture(location: Self.place)
            let url = try await wire.library.save(bytes, owner: TestLibrary.ben).url
            try wire.decide(.allowed, .read)
            try wire.decide(.allowed, .location, .read, Wire.us, .once)
            let grant = try #require(try wire.redeem(Need(.location)))
            let service = try wire.client(as: .role(.capture, key: Wire.key))
            var options = CallOptions()
            options.onBehalfOf = Delegation(principal: Wire.us, grant: "\(DecisionID(generation: 1)) \(grant)")
            for _ in 0..<2 {
                #expect(try await service.call(FindAsset(url: url), options).asset?.location == Self.place)
            }
            #expect(try await client.call(FindAsset(url: url)).asset?.location == nil)
        }
    }

    @Test func `a grant of the place for once is kept when no place was shown`() async throws {
        try await withWire { wire, client, _ in
            _ = try await wire.library.save(try TestLibrary.picture(), owner: TestLibrary.ben)
            try wire.decide(.allowed, .read)
            try wire.decide(.allowed, .location, .read, Wire.us, .once)
            #expect(try await places(client) == [nil])
            _ = try await wire.library.save(try TestLibrary.picture(2, location: Self.place), owner: TestLibrary.ben)
            #expect(try await places(client).compactMap(\.self) == [Self.place])
        }
    }

    /// Metadata whose texts are as long as they may be, in characters that are written as two.
    private static let longest: SaveMetadata = {
        let text = String(repeating: "\\", count: 256)
        var metadata = SaveMetadata()
        metadata.cameraMake = text
        metadata.cameraModel = text
        metadata.date = AssetDate(raw: text, local: "2026-03-01T14:00:00.123456789", utc: "2026-03-01T12:00:00Z")
        metadata.location = Location(latitude: 47.123456789012345, longitude: 9.123456789012345, altitude: 1234.56789)
        return metadata
    }()

    @Test(arguments: [true, false])
    func `pages of the longest texts fit, and a page that waits loses the place with its grant or use`(
        isStopped: Bool
    ) async throws {
        try await withWire { wire, client, _ in
            let bytes = try TestLibrary.picture()
            let name = String(repeating: "\"", count: 251) + ".jpg"
            for _ in 0..<450 {
                _ = try await wire.library.save(bytes, named: name, owner: TestLibrary.ben) {
                    $0.metadata = Self.longest
                }
            }
            try wire.decide(.allowed, .read)
            try wire.decide(.allowed, .location, .read, Wire.us)
            let stream = try await client.stream(ListAssets(query: AssetQuery()), window: 1)
            var pages: [[Asset]] = []
            while let item = try await stream.next() {
                // Stopped, it stays hidden, though the decision still allows it.
                if pages.isEmpty { try isStopped ? wire.stop(Need(.location)) : wire.revoke(.location) }
                pages.append(item.value.assets)
                #expect(try JSONEncoder().encode(item.value).count <= Limits.bodyBytes / 2)
            }
            #expect(pages.count > 3)
            #expect(Set(pages.flatMap { $0.map(\.url) }).count == 450)
            #expect(stream.summary?.count == 450)
            #expect(pages.first?.allSatisfy { $0.location != nil } == true)
            #expect(pages.last?.allSatisfy { $0.location == nil } == true)
        }
    }

    @Test func `an original that may hold a place is hidden without the place, although none was found in it`()
        async throws
    {
        try await withWire { wire, client, _ in
            let plain = try TestLibrary.picture()
            // An empty packet of XMP behind the start of the picture.
            let mark = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
            let bytes = Array(plain.prefix(2)) + [0xFF, 0xE1, 0, UInt8(mark.count + 2)] + mark + plain.dropFirst(2)
            let record = try await wire.library.save(bytes, owner: TestLibrary.ben)
            #expect(record.location == nil)
            try wire.decide(.allowed, .read)
            try wire.decide(.denied, .location, .read, Wire.us)
            #expect(try await client.call(FindAsset(url: record.url)).asset?.sha256 == nil)
            let original = ReadAsset(url: record.url, privacy: PrivacyProfile.none)
            #expect(await code { try await touch(original, client) } == .accessDenied)
            let harmless = try await wire.library.save(plain, owner: TestLibrary.ben)
            #expect(try await client.call(FindAsset(url: harmless.url)).asset?.sha256 == harmless.digest.description)
            try await touch(ReadAsset(url: harmless.url), client)
        }
    }

    /// All bytes of a read, and its end.
    private func read(
        _ request: ReadAsset,
        _ client: MessageClient
    ) async throws -> (bytes: [UInt8], summary: ReadAsset.Summary?) {
        let stream = try await client.stream(request)
        var bytes: [UInt8] = []
        while let item = try await stream.next() { bytes += item.attachments.flatMap(\.bytes) }
        return (bytes, stream.summary)
    }

    @Test func `who may not know the place reads a file without it, the same in one piece and in parts`() async throws {
        try await withWire { wire, client, _ in
            let bytes = try TestLibrary.picture(location: Self.place)
            let url = try await wire.library.save(bytes, owner: TestLibrary.ben).url
            try wire.decide(.allowed, .read)
            try wire.decide(.denied, .location, .read, Wire.us)
            let whole = try await read(ReadAsset(url: url), client)
            #expect(whole.summary?.privacy == .location)
            #expect(whole.summary?.size == Int64(whole.bytes.count) && whole.bytes != bytes)
            #expect(whole.summary?.sha256 == SHA256Digest(hashing: whole.bytes).description)
            #expect(EXIFReader.read(RandomAccessBytes(whole.bytes))?.location == nil)
            #expect(try JPEGDecoder().decode(whole.bytes).bytes == JPEGDecoder().decode(bytes).bytes)
            let half = Int64(whole.bytes.count / 2)
            let first = try await read(ReadAsset(url: url, length: half, chunk: 7), client)
            let second = try await read(ReadAsset(url: url, offset: half), client)
            #expect(first.bytes + second.bytes == whole.bytes)
            let digest = try await client.call(DigestAsset(url: url))
            #expect(digest.sha256 == whole.summary?.sha256 && digest.bytes == Int64(whole.bytes.count))
            #expect(digest.privacy == .location)
            try wire.decide(.allowed, .location, .read, Wire.us)
            let original = try await read(ReadAsset(url: url), client)
            #expect(original.bytes == bytes && original.summary?.privacy == nil)
            let bare = try await read(ReadAsset(url: url, privacy: .all), client)
            #expect(bare.bytes.count < whole.bytes.count && bare.summary?.privacy == .all)
        }
    }

    @Test func `a place in words goes with the place, and a profile that is asked for is carried out`() async throws {
        try await withWire { wire, client, _ in
            let plain = try TestLibrary.picture()
            let words = Array("made in Vaduz".utf8)
            let comment = [0xFF, 0xFE, 0, UInt8(words.count + 2)] + words
            let bytes = Array(plain.prefix(2)) + comment + Array(plain.dropFirst(2))
            let url = try await wire.library.save(bytes, owner: TestLibrary.ben).url
            try wire.decide(.allowed, .read)
            try wire.decide(.denied, .location, .read, Wire.us)
            for privacy in [nil, PrivacyProfile.location] {
                let found = try await read(ReadAsset(url: url, privacy: privacy), client)
                #expect(found.summary?.privacy == .location)
                #expect(!String(decoding: found.bytes, as: Unicode.ASCII.self).contains("Vaduz"))
            }
            #expect(try await client.call(FindAsset(url: url)).asset?.sha256 == nil)
            let harmless = try await wire.library.save(plain, owner: TestLibrary.ben)
            let asked = try await read(ReadAsset(url: harmless.url, privacy: .location), client)
            #expect(asked.summary?.privacy == .location)
            let unasked = try await read(ReadAsset(url: harmless.url), client)
            #expect(unasked.summary?.privacy == nil && unasked.bytes == plain)
        }
    }

    @Test func `where the place can not be taken out for certain nothing is read`() async throws {
        try await withWire { wire, client, _ in
            let plain = try TestLibrary.picture()
            // A block of EXIF that is none, in front of the picture.
            let mark = Array("Exif\0\0nothing".utf8)
            let bytes = Array(plain.prefix(2)) + [0xFF, 0xE1, 0, UInt8(mark.count + 2)] + mark + plain.dropFirst(2)
            let url = try await wire.library.save(bytes, owner: TestLibrary.ben).url
            try wire.decide(.allowed, .read)
            try wire.decide(.denied, .location, .read, Wire.us)
            let refused = await wireError { try await touch(ReadAsset(url: url), client) }
            #expect(refused?.code == .accessDenied && refused?.parameters?["resource"] == "location")
            let asked = await wireError { try await touch(ReadAsset(url: url, privacy: .location), client) }
            #expect(asked?.code == .imageUnavailable && asked?.cause == "notRedacted", "\(String(describing: asked))")
        }
    }
}
