import LibraryIndexService
import Media
import MessageSchema
import SQLite
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct ChangeTokenTests {
    private func changes(_ library: Library, since token: String) async throws -> [LibraryEvent] {
        var last = try await library.generation(of: token)
        var all: [LibraryEvent] = []
        while true {
            // A few at a time, so that every page has an end and a beginning.
            let events = try await library.events(after: last, count: 2)
            guard let newest = events.last?.generation else { return all }
            all += events
            last = newest
        }
    }

    private func token(_ library: Library) async throws -> String {
        try await library.token(at: try await library.generation())
    }

    @Test func `a token gives every change after it, also after a restart, with tombstones`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let old = try await library.save(try TestLibrary.picture(1))
            let start = try await token(library)
            let fresh = try await library.save(try TestLibrary.picture(2))
            let album = try #require(try await library.createAlbum(named: "Sea"))
            _ = try await library.change(.add, album.url, [old.url])
            _ = try await library.mark([fresh.url], favourite: true, caption: nil)
            _ = try await library.delete([old.url])
            _ = try await library.deleteAlbum(album.url)
            await library.close()
            let again = try await TestLibrary.open(path)
            let events = try await changes(again, since: start)
            let groups = try await again.groups(of: nil).map(\.url)
            let told = events.filter { event in !groups.contains { $0 == event.url.group } }
            #expect(
                told.map(\.url) == [
                    .asset(fresh.url), .group(album.url), .group(album.url), .asset(fresh.url), .asset(old.url),
                    .group(album.url), .group(album.url),
                ]
            )
            #expect(
                told.map(\.kind) == [.inserted, .inserted, .updated, .updated, .deleted, .updated, .deleted]
            )
            let generations = events.map(\.generation)
            #expect(generations == generations.sorted())
            // The groups that have every asset are told as updated after the pages that changed what is in them.
            #expect(events.contains { $0.kind == .updated && $0.url.group == groups.first })
            #expect(try await changes(again, since: try await token(again)).isEmpty)
        }
    }

    @Test func `the trash deletes, and what comes back is inserted`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let asset = try await library.save(try TestLibrary.picture())
            let start = try await token(library)
            _ = try await library.trash([asset.url])
            _ = try await library.restore([asset.url])
            _ = try await library.trash([asset.url])
            _ = try await library.delete([asset.url])
            let kinds = try await changes(library, since: start).filter { $0.url.asset != nil }.map(\.kind)
            #expect(kinds == [.deleted, .inserted, .deleted], "who follows was told already when it is gone for good")
        }
    }

    @Test func `a token of another library, of a later one and an old one have expired`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let first = try await token(library)
            for seed in 1...3 { _ = try await library.save(try TestLibrary.picture(UInt8(seed))) }
            let now = try await token(library)
            let ahead = try await library.token(at: try await library.generation() + 1)
            let foreign = "\(AssetID()).0"
            var code = await refusal { _ = try await library.generation(of: ahead) }
            #expect(code == .changesExpired(.ahead))
            code = await refusal { _ = try await library.generation(of: foreign) }
            #expect(code == .changesExpired(.otherEpoch))
            for nonsense in ["", "1", "\(AssetID()).", "\(AssetID()).-1", "x.1", "\(AssetID()).1.2"] {
                code = await refusal { _ = try await library.generation(of: nonsense) }
                #expect(code == .invalidArgument(parameter: "since", rule: "a token that the library gave"))
            }
            await library.close()
            // A hundred days pass.
            let connection = try Connection(opening: "\(path)/library/library.sqlite")
            try connection.run("UPDATE changes SET at_us = at_us - ?", 100 * 86_400 * Int64(1_000_000))
            let again = try await TestLibrary.open(path)
            #expect(try await again.generation(of: first) >= 0)
            try await again.sweep()
            code = await refusal { _ = try await again.generation(of: first) }
            #expect(code == .changesExpired(.tooOld))
            let last = try await again.generation()
            #expect(try await again.generation(of: now) == last, "nothing was forgotten that came after it")
            #expect(try await changes(again, since: now).isEmpty)
            let record = try await again.save(try TestLibrary.picture(9))
            let newest = try await changes(again, since: now)
            #expect(newest.first?.url == .asset(record.url))
            #expect(try #require(newest.first?.generation) > last, "numbers are never used again")
        }
    }

    @Test func `a reader that falls behind what is kept is told so, and not left with a hole`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            for seed in 1...3 { _ = try await library.save(try TestLibrary.picture(UInt8(seed))) }
            await library.close()
            let connection = try Connection(opening: "\(path)/library/library.sqlite")
            try connection.run("DELETE FROM changes WHERE generation <= 2")
            let again = try await TestLibrary.open(path)
            let code = await refusal { _ = try await again.events(after: 1, count: 10) }
            #expect(code == .changesExpired(.tooOld))
            #expect(try await again.events(after: 2, count: 10).first?.generation == 3)
        }
    }
}
