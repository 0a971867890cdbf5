import Consent
import Foundation
import Hashing
import LibraryIndexService
import Media
import MessageSchema
import Messaging
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct LibraryServiceTests {
    private func withWire(_ body: (Wire, MessageClient) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            let wire = try await Wire(path)
            try await body(wire, try wire.client())
            await wire.stop()
        }
    }

    private func save(_ bytes: [UInt8], _ client: MessageClient, _ options: CallOptions = .init()) async throws -> Asset
    {
        try await client.upload(SaveAsset(mediaType: .image, filename: "a.jpg"), options, Wire.chunks(bytes))
    }

    private func read(_ request: ReadAsset, _ client: MessageClient) async throws -> ([UInt8], ReadAsset.Summary?) {
        let stream = try await client.stream(request)
        var bytes: [UInt8] = []
        while let item = try await stream.next() { bytes += item.attachments.flatMap(\.bytes) }
        return (bytes, stream.summary)
    }

    /// Saves for another program, as capture does.
    private func saveForOther(_ bytes: [UInt8], _ wire: Wire) async throws -> Asset {
        try wire.decide(.allowed, .addOnly, Wire.other)
        var options = CallOptions()
        options.onBehalfOf = Delegation(principal: Wire.other, label: "camera app")
        return try await save(bytes, try wire.client(as: .role(.capture, key: Wire.key)), options)
    }

    @Test func `a program that may only add saves a photo, and reads its own by range`() async throws {
        try await withWire { wire, client in
            try wire.decide(.allowed, .addOnly)
            let bytes = try TestLibrary.picture(location: Location(latitude: 1, longitude: 0, altitude: nil))
            let asset = try await save(bytes, client)
            #expect(asset.sha256 == SHA256Digest(hashing: bytes).description)
            let found = try await client.call(FindAsset(url: asset.url)).asset
            #expect(found == asset)
            let (part, summary) = try await read(
                ReadAsset(url: asset.url, offset: 10, length: 700, chunk: 256),
                client
            )
            #expect(part == Array(bytes[10..<710]))
            #expect(summary?.count == 3)
            #expect(summary?.bytes == 700)
            #expect(summary?.size == Int64(bytes.count))
            #expect(summary?.sha256 == SHA256Digest(hashing: part).description)
            let (nothing, end) = try await read(ReadAsset(url: asset.url, offset: 1 << 40), client)
            #expect(nothing.isEmpty)
            #expect(end?.bytes == 0)
            let denied = await wireError { _ = try await client.call(ListGroups()) }
            #expect(denied?.code == .dismissed)
        }
    }

    @Test func `what a capture was answered with is found by its key, once, and by nobody else`() async throws {
        try await withWire { wire, client in
            let key = RequestKey(key: "camera.photo/k", requestHash: SHA256Digest(hashing: "asked").description)
            let other = RequestKey(key: key.key, requestHash: SHA256Digest(hashing: "asked more").description)
            let capture = try wire.client(as: .role(.capture, key: Wire.key))
            try wire.decide(.allowed, .addOnly, Wire.other)
            try wire.decide(.allowed, .addOnly)
            var options = CallOptions()
            options.onBehalfOf = Delegation(principal: Wire.other, label: "camera app")
            var save = SaveAsset(mediaType: .image, filename: "a.jpg")
            save.effectOf = key
            #expect(try await capture.call(FindSaved(request: key), options).asset == nil)
            let first = try await capture.upload(save, options, Wire.chunks(try TestLibrary.picture()))
            #expect(try await capture.call(FindSaved(request: key), options).asset == first)
            // Taken again, it is another picture with another name.
            save.filename = "b.jpg"
            let again = try await capture.upload(save, options, Wire.chunks(try TestLibrary.picture(2)))
            #expect(again == first)
            #expect(try await wire.library.all().count == 1)
            let conflict = await wireError { _ = try await capture.call(FindSaved(request: other), options) }
            #expect(conflict?.code == .idempotencyConflict)
            // Another program's key of the same text is its own.
            #expect(try await capture.call(FindSaved(request: key)).asset == nil)
            let refused = await wireError { _ = try await client.call(FindSaved(request: key)) }
            #expect(refused?.code == .roleRequired)
            let forged = await wireError {
                _ = try await client.upload(save, CallOptions(), Wire.chunks(try TestLibrary.picture(3)))
            }
            #expect(forged?.code == .invalidArgument)
        }
    }

    @Test func `the same no has its two numbers`() async throws {
        try await withWire { wire, client in
            try wire.decide(.denied, .addOnly)
            let bytes = try TestLibrary.picture()
            let write = await wireError { _ = try await save(bytes, client) }
            #expect(write?.number == -3310)
            #expect(write?.code == .dataUnavailable)
            #expect(write?.cause == "accessDenied")
            let groups = await wireError { _ = try await client.call(ListGroups()) }
            #expect(groups?.number == -3311)
            #expect(groups?.code == .accessDenied)
            let unknown = AssetURL(id: AssetID().description, fileExtension: "JPG")
            let lookup = await wireError { _ = try await client.call(FindAsset(url: unknown)) }
            #expect(lookup?.number == -3311)
        }
    }

    @Test func `what the policy forbids is restricted`() async throws {
        try await withWire { wire, client in
            try wire.restrict()
            let error = await wireError { _ = try await client.call(ListGroups()) }
            #expect(error?.number == -3312)
        }
    }

    @Test func `what can not be viewed is the error of the book`() async throws {
        try await withWire { wire, client in
            try wire.decide(.allowed, .addOnly)
            let picture = try TestLibrary.picture()
            let cases = [
                (Array("nothing to see".utf8), "neither a picture nor a film"), ([], "there is nothing in it"),
                (Array(picture.prefix(picture.count / 2)), " "),
            ]
            var found: Set<String> = []
            for (bytes, words) in cases {
                let error = await wireError { _ = try await save(bytes, client) }
                #expect(error?.domain == "ALAssetsLibraryErrorDomain")
                #expect(error?.number == -3302)
                #expect(error?.description == "Invalid data")
                #expect(error?.recoverySuggestion == "Try with different data")
                let what = error?.parameters?["found"] ?? ""
                #expect(what.contains(words), "\(what)")
                found.insert(what)
            }
            #expect(found.count == cases.count)
        }
    }

    @Test func `an unknown asset is nothing, and reading it an error`() async throws {
        try await withWire { wire, client in
            try wire.decide(.allowed, .read)
            let unknown = AssetURL(id: AssetID().description, fileExtension: "MOV")
            let found = try await client.call(FindAsset(url: unknown)).asset
            #expect(found == nil)
            let error = await wireError { _ = try await read(ReadAsset(url: unknown), client) }
            #expect(error?.code == .noSuchAsset)
        }
    }

    @Test func `what a service saves for a program belongs to that program`() async throws {
        try await withWire { wire, client in
            let asset = try await saveForOther(try TestLibrary.picture(), wire)
            let record = try await wire.library.asset(asset.url)
            #expect(record?.owner == Wire.other.description)
            #expect(record?.ownerLabel == "camera app")
            let hidden = await wireError { _ = try await client.call(FindAsset(url: asset.url)) }
            #expect(hidden?.code == .dismissed)
        }
    }

    @Test func `without location read the place, the hash and the original are kept back`() async throws {
        try await withWire { wire, client in
            let place = Location(latitude: 47.1, longitude: 9.5, altitude: nil)
            let bytes = try TestLibrary.picture(location: place)
            let asset = try await saveForOther(bytes, wire)
            try wire.decide(.allowed, .read)
            try wire.decide(.denied, .location, .read, Wire.us)
            let seen = try await client.call(FindAsset(url: asset.url)).asset
            #expect(seen?.location == nil)
            #expect(seen?.sha256 == nil)
            let original = ReadAsset(url: asset.url, privacy: PrivacyProfile.none)
            let refused = await wireError { _ = try await read(original, client) }
            #expect(refused?.code == .accessDenied)
            let (hidden, _) = try await read(ReadAsset(url: asset.url), client)
            #expect(!hidden.isEmpty && hidden != bytes)
            try wire.decide(.allowed, .location, .read, Wire.us)
            let shown = try await client.call(FindAsset(url: asset.url)).asset
            #expect(shown?.location == place)
            let (whole, _) = try await read(ReadAsset(url: asset.url), client)
            #expect(whole == bytes)
        }
    }

    @Test func `bytes that are not those that were saved end as damaged, and so does a part of them from then on`()
        async throws
    {
        try await withTemporaryDirectory { path in
            let wire = try await Wire(path)
            let client = try wire.client()
            try wire.decide(.allowed, .addOnly)
            let bytes = try TestLibrary.picture()
            let asset = try await save(bytes, client)
            let part = ReadAsset(url: asset.url, offset: 0, length: 10)
            #expect(try await read(part, client).0 == Array(bytes.prefix(10)))
            let hash = SHA256Digest(hashing: bytes).description
            var rotten = bytes
            rotten[rotten.count / 2] ^= 0xFF
            let file = "\(path)/store/media/\(hash.prefix(2))/\(hash.dropFirst(2).prefix(2))/\(hash)"
            try Data(rotten).write(to: URL(filePath: file))
            for request in [ReadAsset(url: asset.url), ReadAsset(url: asset.url), part] {
                let error = await wireError { _ = try await read(request, client) }
                #expect(error?.code == .damaged && error?.cause == "damaged")
            }
            #expect(try await client.call(FindAsset(url: asset.url)).asset?.state == .damaged)
            // What was saved is there again: a whole read shows it.
            try Data(bytes).write(to: URL(filePath: file))
            #expect(try await read(ReadAsset(url: asset.url), client).0 == bytes)
            await wire.stop()
        }
    }

    @Test func `a group that is not there has no assets to list`() async throws {
        try await withWire { wire, client in
            try wire.decide(.allowed, .read)
            var query = AssetQuery()
            query.group = GroupURL(id: AssetID().description)
            let error = await wireError {
                let stream = try await client.stream(ListAssets(query: query))
                while try await stream.next() != nil {}
            }
            #expect(error?.code == .noSuchGroup)
        }
    }

    @Test func `a revocation ends a running read with its reason`() async throws {
        try await withWire { wire, client in
            let bytes = try TestLibrary.picture()
            let asset = try await saveForOther(bytes, wire)
            try wire.decide(.allowed, .read)
            let stream = try await client.stream(ReadAsset(url: asset.url, chunk: 1), window: 2)
            let first = try await stream.next()
            #expect(first?.attachments.first?.bytes == [bytes[0]])
            try wire.revoke()
            let ended = await wireError { while try await stream.next() != nil {} }
            #expect(ended?.code == .revoked)
        }
    }

    @Test func `only an operator imports and verifies`() async throws {
        try await withWire { wire, client in
            let bytes = try TestLibrary.picture()
            let request = ImportAsset(filename: "a.jpg", modified: "2020-02-29T12:00:00Z")
            let refused = await wireError { _ = try await client.upload(request, CallOptions(), Wire.chunks(bytes)) }
            #expect(refused?.code == .operatorRequired)
            wire.setOperator()
            let imported = try await client.upload(request, CallOptions(), Wire.chunks(bytes))
            #expect(imported.outcome == .imported)
            let again = try await client.upload(request, CallOptions(), Wire.chunks(bytes))
            #expect(again.outcome == .duplicate)
            #expect(again.asset?.url == imported.asset?.url)
            #expect(try await client.call(VerifyLibrary()).checked == 1)
        }
    }

    @Test func `every asset is enumerated once, and the end has the count`() async throws {
        try await withWire { wire, client in
            try wire.decide(.allowed, .readWrite)
            var urls: Set<AssetURL> = []
            for seed in 1...5 { urls.insert(try await save(try TestLibrary.picture(UInt8(seed)), client).url) }
            let stream = try await client.stream(ListAssets(query: AssetQuery()))
            var found: [AssetURL] = []
            while let item = try await stream.next() { found += item.value.assets.map(\.url) }
            #expect(Set(found) == urls)
            #expect(found.count == 5)
            #expect(stream.summary?.count == 5)
            let album = try await client.call(CreateAlbum(album: "Trip")).group
            let taken = try await client.call(CreateAlbum(album: "Trip")).group
            #expect(taken == nil)
            let url = try #require(album?.url)
            let changed = try await client.call(ChangeAlbum(.add, group: url, assets: Array(urls.prefix(2)))).changed
            #expect(changed == 2)
            let stranger = AssetURL(id: "0A1B2C3D-0000-4000-8000-00000000000F", fileExtension: "JPG")
            let partly = try await client.call(ChangeAlbum(.add, group: url, assets: [stranger] + urls))
            #expect(partly == .init(changed: 3, unknown: [stranger]))
            for group in try await client.call(ListGroups()).groups {
                let same = try await client.call(CreateAlbum(album: group.name)).group
                #expect(same == nil, "\(group.name) is there already")
                guard group.type == .library else { continue }
                let fixed = try await client.call(ChangeAlbum(.add, group: group.url, assets: [stranger]))
                #expect(fixed.editable == false)
            }
            let groups = try await client.call(ListGroups(types: [.album])).groups
            #expect(groups.map(\.count) == [5])
        }
    }

    @Test func `changes are followed in order, none is lost`() async throws {
        try await withWire { wire, client in
            try wire.decide(.allowed, .readWrite)
            let stream = try await client.stream(WatchLibrary())
            let watcher = Task {
                var events: [LibraryEvent] = []
                while events.count < 3, let item = try await stream.next() {
                    if item.value.url.asset != nil { events.append(item.value) }
                }
                return events
            }
            // What is saved before the stream has begun is not told; it has begun long before the last of these.
            var saved: [AssetURL] = []
            for seed in 1...30 { saved.append(try await save(try TestLibrary.picture(UInt8(seed)), client).url) }
            let events = try await watcher.value
            let start = try #require(saved.firstIndex { .asset($0) == events[0].url })
            #expect(events.map(\.url.asset) == Array(saved[start..<(start + 3)]))
            #expect(events.map(\.kind) == [.inserted, .inserted, .inserted])
        }
    }

    @Test func `a thumbnail comes as one item with one picture`() async throws {
        try await withWire { wire, client in
            try wire.decide(.allowed, .addOnly)
            let asset = try await save(try TestLibrary.picture(), client)
            let stream = try await client.stream(ThumbnailAsset(url: asset.url, width: 16, height: 16))
            let item = try await stream.next()
            #expect(item?.value.width == 16)
            #expect(item?.value.height == 12)
            #expect(item?.attachments.first?.bytes.starts(with: [0xFF, 0xD8]) == true)
            let end = try await stream.next() == nil
            #expect(end)
        }
    }
}
