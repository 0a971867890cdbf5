import CommandLineService
import Files
import Media
import MessageSchema
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Commands that keep the library` {
    private let url = Samples.url.description

    @Test func `changes prints a line for each change, and the token last`() async {
        let cluster = FakeCluster()
        cluster.onStream(ListChanges.self) { request, send in
            #expect(request.since == "t1")
            let asset = LibraryEvent(generation: 4, kind: .deleted, url: .asset(Samples.url))
            let group = LibraryEvent(generation: 5, kind: .updated, url: .group(Samples.group))
            try await send(.init(changes: [asset, group]), [])
            return .init(count: 2, token: "t2")
        }
        let outcome = await obscura("library", "changes", "--since", "t1", "--json", on: cluster)
        #expect(outcome.status == .success)
        #expect(outcome.lines.count == 3)
        #expect(outcome.lines[0].contains(#""generation":4,"kind":"deleted""#))
        #expect(outcome.lines[1].contains("assets-library://group/"))
        #expect(outcome.lines[2] == #"{"token":"t2","type":"result"}"#)
        #expect(await obscura("library", "changes", "--since", "t1", on: cluster).lines.last == "token t2")
    }

    @Test func `changes that are followed go on from the token`() async {
        let cluster = FakeCluster()
        cluster.onStream(ListChanges.self) { _, _ in .init(count: 0, token: "t2") }
        cluster.onStream(WatchLibrary.self) { request, send in
            #expect(request.since == "t2")
            try await send(LibraryEvent(generation: 6, kind: .inserted, url: .asset(Samples.url)), [])
            return Empty()
        }
        let outcome = await obscura("library", "changes", "--follow", on: cluster)
        #expect(outcome.lines.count == 1)
        #expect(outcome.text.contains("inserted"))
    }

    @Test func `an expired token is to be tried again with a new one`() async {
        let cluster = FakeCluster()
        cluster.onStream(ListChanges.self) { _, _ in throw ErrorReply(.changeTokenExpired, "It has expired") }
        let outcome = await obscura("library", "changes", "--since", "t1", "--json", on: cluster)
        #expect(outcome.status == .tryAgain)
        #expect(outcome.errors.contains(#""code":"changeTokenExpired""#))
    }

    @Test func `trash, restore and delete change what they are told, and name what is not there`() async {
        let cluster = FakeCluster()
        cluster.on(TrashAssets.self) { .init(changed: $0.assets.count, expires: "2026-12-30T00:00:00Z") }
        cluster.on(RestoreAssets.self) { .init(changed: 0, unknown: $0.assets) }
        cluster.on(DeleteAssets.self) { .init(changed: $0.assets.count) }
        let trashed = await obscura("library", "trash", url, url, on: cluster)
        #expect(trashed.status == .success)
        #expect(trashed.text == "2 changed; deleted for good at 2026-12-30T00:00:00Z\n")
        let restored = await obscura("library", "restore", url, on: cluster)
        #expect(restored.status == .noInput)
        #expect(restored.errors.contains("noSuchAsset"))
        #expect(await obscura("library", "delete", url, "--json", on: cluster).text == "{\"changed\":1}\n")
    }

    @Test func `an album that is not there is said to be none, as an asset is`() async {
        let cluster = FakeCluster()
        cluster.on(DeleteAlbum.self) { _ in .init(deleted: false) }
        let outcome = await obscura("library", "album", "delete", Samples.group.description, on: cluster)
        #expect(outcome.status == .noInput && outcome.errors.contains("obscura library groups"), "\(outcome.errors)")
    }

    @Test func `an asset in the trash is shown, with the time until which it is there`() async {
        let cluster = FakeCluster()
        cluster.on(FindAsset.self) { _ in .init(asset: nil) }
        cluster.onStream(ListAssets.self) { request, send in
            #expect(request.query.trashed == true)
            var asset = Samples.asset
            asset.expires = "2026-12-30T00:00:00Z"
            try await send(.init(assets: [asset]), [])
            return .init(count: 1)
        }
        let outcome = await obscura("library", "show", url, on: cluster)
        #expect(outcome.status == .success && outcome.text.contains("until 2026-12-30T00:00:00Z"))
        #expect(cluster.rules(of: ListAssets.name)?.mayPrompt == false)
    }

    @Test func `an empty caption takes it away`() async {
        let cluster = FakeCluster()
        cluster.on(MarkAssets.self) { .init(changed: $0.caption == "" ? 1 : 0) }
        #expect(await obscura("library", "caption", url, "--text", "", on: cluster).text == "1 changed\n")
    }

    @Test func `favourite and caption say what is asked of the library`() async {
        let cluster = FakeCluster()
        cluster.on(MarkAssets.self) { request in
            .init(changed: request.favourite == false || request.caption == "" ? 1 : 0)
        }
        #expect(await obscura("library", "favourite", url, on: cluster).text == "0 changed\n")
        #expect(await obscura("library", "favourite", url, "--off", on: cluster).text == "1 changed\n")
        #expect(await obscura("library", "caption", url, "--text", "Sea", on: cluster).text == "0 changed\n")
        #expect(await obscura("library", "caption", url, on: cluster).text == "1 changed\n")
    }

    @Test func `check tells whether a file could be saved, by its status too`() async throws {
        let folder = try TemporaryDirectory()
        try folder.open().writeAtomically(Array("text".utf8), to: "a.jpg")
        let cluster = FakeCluster()
        cluster.onUpload(CheckAsset.self) { _, bytes in
            .init(compatible: bytes.isEmpty, kind: .unknown, uti: "public.data", reason: "it is no picture")
        }
        let outcome = await obscura("library", "check", folder.path + "/a.jpg", on: cluster)
        #expect(outcome.status == .badData)
        #expect(outcome.text == "unknown, public.data: can not be saved: it is no picture\n")
        #expect(await obscura("library", "check", "/no/such/file", on: cluster).status == .noInput)
    }

    @Test func `count, and lists of the trash and of favourites, ask for them`() async {
        let cluster = FakeCluster()
        cluster.on(CountAssets.self) { request in
            #expect(request.query.trashed == true && request.query.kind == .photo)
            return .init(count: 3, photos: 3, videos: 0)
        }
        cluster.onStream(ListAssets.self) { request, _ in
            #expect(request.query.favourite == true && request.query.offset == 2)
            return .init(count: 0)
        }
        let count = await obscura("library", "count", "--trashed", "--kind", "photo", on: cluster)
        #expect(count.text == "3: 3 photos, 0 videos\n")
        #expect(await obscura("library", "list", "--favourites", "--offset", "2", on: cluster).status == .success)
    }
}
