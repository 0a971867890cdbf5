import Foundation
import LibraryIndexService
import Media
import MessageSchema
import SQLite
import Synchronization
import TestSupport
import Testing
import Timekeeping

@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct TrashTests {
    @Test func `what is in the trash is found nowhere else, and comes back to where it was`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let first = try await library.save(try TestLibrary.picture(1))
            let second = try await library.save(try TestLibrary.picture(2))
            let album = try #require(try await library.createAlbum(named: "Sea"))
            _ = try await library.change(.add, album.url, [first.url, second.url])

            let reply = try await library.trash([first.url])
            #expect(reply.changed == 1)
            #expect(reply.expires != nil)
            #expect(try await library.trash([first.url]).changed == 0, "it is there already")
            #expect(try await library.all().map(\.url) == [second.url])
            #expect(try await library.all(group: album.url).map(\.url) == [second.url])
            #expect(try await library.groups(of: nil).map(\.count) == [1, 1, 1])
            #expect(try await library.count(try Enumeration(AssetQuery())).photos == 1)
            var trash = AssetQuery()
            trash.trashed = true
            let page = try await library.page(of: try Enumeration(trash), after: nil, count: 10)
            #expect(page.records.map(\.url) == [first.url])
            #expect(page.records.first?.message(showsLocation: true, isOwn: true).expires == reply.expires)
            // What is not to be seen is not to be put into an album either.
            #expect(try await library.change(.remove, album.url, [first.url]).unknown == [first.url])

            #expect(try await library.restore([first.url]).changed == 1)
            #expect(try await library.restore([first.url]).changed == 0)
            #expect(try await library.all(group: album.url).map(\.url) == [first.url, second.url])
            #expect(try await library.groups(of: nil).map(\.count) == [2, 2, 2])
        }
    }

    @Test func `an import of what is in the trash is no duplicate of it`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture()
            let first = try #require(try await library.importFile(bytes).record)
            #expect(try await library.importFile(bytes).outcome == .duplicate)
            _ = try await library.trash([first.url])
            let again = try await library.importFile(bytes)
            #expect(again.outcome == .imported)
            #expect(again.record?.url != first.url)
        }
    }

    @Test func `deleting takes the bytes with the last asset that has them`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture()
            let first = try await library.save(bytes)
            let second = try await library.save(bytes)
            #expect(try placedFiles(path).count == 1)
            #expect(try await library.delete([first.url]).changed == 1)
            #expect(try placedFiles(path).count == 1, "the other asset has them, too")
            #expect(try await library.asset(first.url) == nil)
            #expect(try await library.verify().damaged.isEmpty)
            let gone = AssetURL(id: AssetID().description, fileExtension: "JPG")
            let reply = try await library.delete([second.url, gone])
            #expect(reply.changed == 1)
            #expect(reply.unknown == [gone])
            #expect(try placedFiles(path).isEmpty)
            let left = try FileManager.default.contentsOfDirectory(atPath: "\(path)/store/staging")
            #expect(left.isEmpty)
            let check = try await library.verify()
            #expect(check.checked == 0 && check.orphans == 0 && check.missing == 0)
        }
    }

    @Test func `an original that is deleted leaves its modified version without one`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let original = try await library.save(try TestLibrary.picture(1))
            let modified = try await library.save(try TestLibrary.picture(2)) { $0.original = original.url }
            #expect(try await library.asset(modified.url)?.original == original.url)
            _ = try await library.delete([original.url])
            let left = try #require(try await library.asset(modified.url))
            #expect(left.original == nil)
        }
    }

    @Test func `a request whose asset is deleted is not done again when it is repeated`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture()
            let first = try await library.save(bytes, key: "k")
            _ = try await library.delete([first.url])
            let code = await refusal { _ = try await library.save(bytes, key: "k") }
            #expect(code == .noSuchAsset)
            #expect(try await library.all().isEmpty)
            #expect(try placedFiles(path).isEmpty)
        }
    }

    @Test func `after thirty days the trash is emptied, and nothing else is`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let old = try await library.save(try TestLibrary.picture(1))
            let young = try await library.save(try TestLibrary.picture(2))
            let kept = try await library.save(try TestLibrary.picture(3))
            _ = try await library.trash([old.url, young.url])
            #expect(try await library.sweep() == 0)
            await library.close()
            let connection = try Connection(opening: "\(path)/library/library.sqlite")
            let month = Library.trashKeeping.components.seconds * 1_000_000
            try connection.run(
                "UPDATE assets SET trashed_us = trashed_us - ? WHERE uuid = ?",
                month,
                try #require(AssetID(old.url.id)).bytes
            )
            let again = try await TestLibrary.open(path)
            #expect(try await again.sweep() == 1)
            #expect(try await again.asset(old.url) == nil)
            #expect(try await again.restore([old.url]).unknown == [old.url])
            #expect(try await again.restore([young.url]).changed == 1)
            #expect(try await again.all().count == 2)
            #expect(try placedFiles(path).count == 2)
            withExtendedLifetime(kept) {}
        }
    }

    @Test func `a clock that jumps empties no trash, and one that goes on does`() async throws {
        try await withTemporaryDirectory { path in
            let clock = Mutex(Timestamp(seconds: 1_800_000_000))
            let library = try await TestLibrary.open(path, now: { clock.withLock { $0 } })
            func sweep(after hours: Int64) async throws -> Int {
                clock.withLock { $0 = $0 + .seconds(hours * 3600) }
                return try await library.sweep()
            }
            let record = try await library.save(try TestLibrary.picture())
            _ = try await library.trash([record.url])
            #expect(try await sweep(after: 31 * 24) == 0, "nobody has looked before")
            #expect(try await sweep(after: -31 * 24) == 0)
            #expect(try await sweep(after: 31 * 24) == 0, "it was set")
            #expect(try await sweep(after: -31 * 24) == 0, "and set back")
            for _ in 1...29 { #expect(try await sweep(after: 24) == 0) }
            #expect(try await library.asset(record.url) != nil)
            #expect(try await sweep(after: 24) == 1)
        }
    }

    @Test func `a kill between the rows and the bytes leaves nothing behind after the next start`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let record = try await library.save(try TestLibrary.picture(1))
            let kept = try await library.save(try TestLibrary.picture(2))
            await library.close()
            // As if it had ended after the commit: the row is gone, marker and bytes are there.
            let connection = try Connection(opening: "\(path)/library/library.sqlite")
            try connection.run("DELETE FROM assets WHERE id = (SELECT min(id) FROM assets)")
            try connection.run("DELETE FROM contents WHERE id = (SELECT min(id) FROM contents)")
            for digest in [record.digest, kept.digest] {
                try Data().write(to: URL(filePath: "\(path)/store/staging/\(digest).pending"))
            }
            let again = try await TestLibrary.open(path)
            #expect(try await again.all().map(\.url) == [kept.url])
            #expect(try placedFiles(path).count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(path)/store/staging").isEmpty)
        }
    }

    @Test func `saving bytes while they are deleted never loses them`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture()
            var last = try await library.save(bytes)
            for _ in 0..<30 {
                let old = last.url
                async let deleted = library.delete([old])
                async let saved = library.save(bytes)
                let (reply, record) = try await (deleted, saved)
                #expect(reply.changed == 1)
                last = record
                let file = try await library.open(record)
                withExtendedLifetime(file) {}
            }
            #expect(try placedFiles(path).count == 1)
            let check = try await library.verify()
            #expect(check.checked == 1 && check.damaged.isEmpty && check.orphans == 0)
        }
    }

    @Test func `favourites and captions are kept, found and taken away`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let first = try await library.save(try TestLibrary.picture(1))
            let second = try await library.save(try TestLibrary.picture(2))
            #expect(try await library.mark([second.url], favourite: true, caption: "At the sea").changed == 1)
            #expect(try await library.mark([second.url], favourite: true, caption: nil).changed == 0)
            var query = AssetQuery()
            query.favourite = true
            let page = try await library.page(of: try Enumeration(query), after: nil, count: 10)
            #expect(page.records.map(\.url) == [second.url])
            #expect(page.records.first?.caption == "At the sea")
            #expect(try await library.mark([second.url], favourite: false, caption: "").changed == 1)
            let plain = try #require(try await library.asset(second.url))
            #expect(!plain.isFavourite && plain.caption == nil)
            let code = await refusal { _ = try await library.mark([first.url], favourite: nil, caption: "a\u{1B}[2J") }
            #expect(code == .invalidArgument(parameter: "caption", rule: "without control characters"))
        }
    }
}
