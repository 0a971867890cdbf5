import Consent
import Files
import Foundation
import LibraryIndexService
import Media
import MessageSchema
import Messaging
import Synchronization
import TestSupport
import Testing

/// What a program may do with the library, while it asks and afterwards.
@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct GateTests {
    static let owner = Owner(principal: Wire.us.description, label: nil)

    func withWire(_ body: (Wire, MessageClient, _ path: String) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            let wire = try await Wire(path)
            do {
                try await body(wire, try wire.client(), path)
            } catch {
                await wire.stop()
                throw error
            }
            await wire.stop()
        }
    }

    func code(_ body: () async throws -> Void) async -> ErrorCode? {
        await wireError(body)?.code
    }

    /// The first item of a stream, without the rest.
    func touch<R: StreamRequest>(_ request: R, _ client: MessageClient) async throws {
        _ = try await client.stream(request).next()
    }

    // MARK: - One's own

    @Test func `a no to the library is a no to one's own assets`() async throws {
        try await withWire { wire, client, _ in
            let url = try await wire.library.save(try TestLibrary.picture(), owner: Self.owner).url
            #expect(try await client.call(FindAsset(url: url)).asset != nil)
            try wire.decide(.denied, .addOnly)
            let found = await wireError { _ = try await client.call(FindAsset(url: url)) }
            #expect(found?.number == -3311)
            #expect(await code { try await touch(ReadAsset(url: url), client) } == .accessDenied)
            let thumbnail = ThumbnailAsset(url: url, width: 9, height: 9)
            #expect(await code { try await touch(thumbnail, client) } == .accessDenied)
        }
    }

    @Test func `who may read the library may read one's own, whatever was said of adding`() async throws {
        try await withWire { wire, client, _ in
            let url = try await wire.library.save(try TestLibrary.picture(), owner: Self.owner).url
            try wire.decide(.denied, .addOnly)
            try wire.decide(.allowed, .read)
            #expect(try await client.call(FindAsset(url: url)).asset != nil)
            try await touch(ReadAsset(url: url), client)
            try await touch(ThumbnailAsset(url: url, width: 9, height: 9), client)
        }
    }

    @Test func `one's own assets are not shown when the policy forbids the library, nor without a lease`() async throws
    {
        try await withWire { wire, client, _ in
            let url = try await wire.library.save(try TestLibrary.picture(), owner: Self.owner).url
            try wire.restrict()
            #expect(await code { _ = try await client.call(FindAsset(url: url)) } == .accessRestricted)
            wire.loseLease()
            #expect(await code { _ = try await client.call(FindAsset(url: url)) } == .noLease)
            #expect(await code { try await touch(ReadAsset(url: url), client) } == .noLease)
        }
    }

    @Test(arguments: ["revoked", "forbidden", "lease"])
    func `a running read of one's own ends, also while nobody takes anything`(how: String) async throws {
        try await withWire { wire, client, _ in
            try wire.decide(.allowed, .addOnly)
            let url = try await wire.library.save(try TestLibrary.picture(), owner: Self.owner).url
            let stream = try await client.stream(ReadAsset(url: url, chunk: 1), window: 2)
            _ = try await stream.next()
            switch how {
            case "revoked": try wire.revoke()
            case "forbidden": try wire.restrict()
            default: wire.loseLease()
            }
            let ended = await code { while try await stream.next() != nil {} }
            #expect(ended == (how == "lease" ? .noLease : .revoked))
        }
    }

    @Test func `what an operator imported is not its own`() async throws {
        try await withWire { wire, client, _ in
            let imported = try await wire.library.importFile(try TestLibrary.picture(), owner: Self.owner)
            let url = try #require(imported.record?.url)
            #expect(await code { _ = try await client.call(FindAsset(url: url)) } == .dismissed)
            try wire.decide(.denied, .read)
            #expect(await code { _ = try await client.call(FindAsset(url: url)) } == .accessDenied)
            #expect(await code { try await touch(ReadAsset(url: url), client) } == .accessDenied)
        }
    }

    // MARK: - Changes

    @Test func `changes since a token are told at once, also after a restart`() async throws {
        try await withTemporaryDirectory { path in
            let first = try await Wire(path)
            let token = try await first.library.token(at: try await first.library.generation())
            let url = try await first.library.save(try TestLibrary.picture(), owner: TestLibrary.ben).url
            await first.stop()
            let wire = try await Wire(path)
            try wire.decide(.allowed, .read)
            let client = try wire.client()
            let stream = try await client.stream(WatchLibrary(since: token))
            let told = try await stream.next()?.value
            #expect(told?.url == .asset(url) && told?.kind == .inserted)
            await wire.stop()
        }
    }

    // MARK: - After a revocation

    @Test func `who waits for changes is told of a revocation without any`() async throws {
        try await withWire { wire, client, _ in
            try wire.decide(.allowed, .read)
            let stream = try await client.stream(WatchLibrary())
            // Until the stream has begun, changes are not told.
            let saving = Task {
                while !Task.isCancelled { _ = try await wire.library.save(try TestLibrary.picture()) }
            }
            #expect(try await stream.next() != nil)
            saving.cancel()
            _ = try? await saving.value
            try wire.revoke()
            let ended = await code { while try await stream.next() != nil {} }
            #expect(ended == .revoked)
        }
    }

    @Test func `an upload that stands still ends with its grant`() async throws {
        try await withWire { wire, client, path in
            try wire.decide(.allowed, .addOnly)
            let ended = await code {
                let request = SaveAsset(mediaType: .image, filename: "a.jpg")
                _ = try await client.upload(request, CallOptions(timeout: nil)) {
                    try await wait { try !Directory(opening: "\(path)/store/staging").entries().isEmpty }
                    try wire.revoke()
                    // No chunk comes, and what has come is forgotten all the same.
                    try await wait { try Directory(opening: "\(path)/store/staging").entries().isEmpty }
                    return nil
                }
            }
            #expect(ended == .revoked)
            #expect(try await wire.library.all().isEmpty)
        }
    }

    @Test func `an upload that is given up is not kept, whole as its picture looks`() async throws {
        try await withWire { wire, client, path in
            try wire.decide(.allowed, .addOnly)
            let picture = try TestLibrary.picture()
            let staging = "\(path)/store/staging"
            for _ in 0..<20 {
                let chunks = Mutex([Attachment(picture)])
                let upload = Task {
                    let request = SaveAsset(mediaType: .image, filename: "a.jpg")
                    _ = try await client.upload(request, CallOptions(timeout: nil)) {
                        while true {
                            try Task.checkCancellation()
                            if let chunk = chunks.withLock({ $0.popLast() }) { return chunk }
                            await Task.yield()
                        }
                    }
                }
                try await wait { try stagedBytes(staging) == [picture.count] }
                upload.cancel()
                _ = await upload.result
                try await wait { try stagedBytes(staging).isEmpty }
            }
            // What was taken for complete would be written before this.
            _ = try await wire.library.save(try TestLibrary.picture(7), owner: TestLibrary.ben)
            #expect(try await wire.library.all().count == 1)
        }
    }

    private func stagedBytes(_ folder: String) throws -> [Int] {
        let files = FileManager.default
        return try files.contentsOfDirectory(atPath: folder).compactMap { name in
            try? files.attributesOfItem(atPath: "\(folder)/\(name)")[.size] as? Int
        }
    }

    /// Looks again and again; ends with the test's time limit.
    private func wait(until condition: () throws -> Bool) async throws {
        while try !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `nothing is written that is not allowed at its commit`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let gone = ErrorReply(.revoked, "gone")
            let upload = try await library.upload(try TestLibrary.picture())
            let request = SaveAsset(mediaType: .image, filename: "a.jpg")
            let saved = await wireError {
                _ = try await library.save(upload, as: request, owner: Self.owner, key: nil, mayReferToAll: false) {
                    throw gone
                }
            }
            #expect(saved == gone)
            #expect(try await library.all().isEmpty)
            #expect(try placedFiles(path).isEmpty)
            let made = await wireError { _ = try await library.createAlbum(named: "Trip") { throw gone } }
            #expect(made == gone)
            let album = try #require(try await library.createAlbum(named: "Trip"))
            let asset = try await library.save(try TestLibrary.picture())
            let changed = await wireError {
                _ = try await library.change(.add, album.url, [asset.url]) { throw gone }
            }
            #expect(changed == gone)
            #expect(try await library.groups(of: [.album]).map(\.count) == [0])
        }
    }

    // MARK: - Bytes

    @Test func `a whole read of bytes that have rotted is noted as damage, a part of them is not`() async throws {
        try await withWire { wire, client, path in
            let bytes = try TestLibrary.picture()
            let record = try await wire.library.save(bytes, owner: Self.owner)
            let name = try #require(try placedFiles(path).first)
            var rotten = bytes
            rotten[rotten.count / 2] ^= 1
            try Data(rotten).write(to: URL(filePath: "\(path)/store/media/\(name)"))
            let cases: [(ReadAsset, ErrorCode?)] = [
                (ReadAsset(url: record.url, offset: 1), nil), (ReadAsset(url: record.url), .damaged),
            ]
            for (request, code) in cases {
                #expect(try await wire.library.asset(record.url)?.state == .ok)
                let error = await wireError {
                    let stream = try await client.stream(request)
                    while try await stream.next() != nil {}
                }
                #expect(error?.code == code)
            }
            #expect(try await wire.library.asset(record.url)?.state == .damaged)
        }
    }

    @Test func `what is asked after the end is refused, and writes nothing`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let upload = try await library.upload(try TestLibrary.picture())
            await library.close()
            let next = try await TestLibrary.open(path)
            let request = SaveAsset(mediaType: .image, filename: "a.jpg")
            var errors: [ErrorCode?] = []
            for body in [
                { try await library.save(upload, as: request, owner: Self.owner, key: nil, mayReferToAll: false) },
                { try await library.save(try TestLibrary.picture()) },
            ] {
                do {
                    _ = try await body()
                    errors.append(nil)
                } catch {
                    errors.append(ErrorReply.library(error)?.code)
                }
            }
            #expect(errors == [.shuttingDown, .shuttingDown])
            #expect(try placedFiles(path).isEmpty)
            #expect(try await next.save(try TestLibrary.picture()).state == .ok)
        }
    }

    // MARK: - Keys

    @Test func `a key is bound to the bytes, and answers with the asset that they made`() async throws {
        try await withWire { wire, client, _ in
            try wire.decide(.allowed, .addOnly)
            let request = SaveAsset(mediaType: .image, filename: "a.jpg")
            let keyed = CallOptions(idempotencyKey: "k")
            let bytes = try TestLibrary.picture()
            let first = try await client.upload(request, keyed, Wire.chunks(bytes))
            #expect(try await client.upload(request, keyed, Wire.chunks(bytes)).url == first.url)
            let other = try TestLibrary.picture(2)
            #expect(
                await code { _ = try await client.upload(request, keyed, Wire.chunks(other)) } == .idempotencyConflict
            )
            #expect(try await wire.library.all().count == 1)
        }
    }

    @Test func `the same save twice at once is one asset`() async throws {
        try await withWire { wire, client, _ in
            try wire.decide(.allowed, .addOnly)
            let request = SaveAsset(mediaType: .image, filename: "a.jpg")
            let bytes = try TestLibrary.picture()
            let urls = try await withThrowingTaskGroup(of: AssetURL.self) { group in
                for _ in 1...8 {
                    group.addTask {
                        try await client.upload(request, CallOptions(idempotencyKey: "k"), Wire.chunks(bytes)).url
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(urls.count == 1)
            #expect(try await wire.library.all().count == 1)
            #expect(try await wire.library.verify().damaged.isEmpty)
        }
    }

    @Test func `a lookup with a key is not answered from memory after a revocation`() async throws {
        try await withWire { wire, client, _ in
            let url = try await wire.library.save(try TestLibrary.picture(), owner: TestLibrary.ben).url
            try wire.decide(.allowed, .read)
            let keyed = CallOptions(idempotencyKey: "k")
            _ = try await client.call(FindAsset(url: url), keyed)
            _ = try await client.call(ListGroups(), keyed)
            try wire.revoke()
            #expect(await code { _ = try await client.call(FindAsset(url: url), keyed) } == .accessDenied)
            #expect(await code { _ = try await client.call(ListGroups(), keyed) } == .accessDenied)
        }
    }
}
