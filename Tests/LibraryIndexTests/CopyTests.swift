import Foundation
import Hashing
import LibraryIndexService
import Media
import MessageSchema
import Synchronization
import TestSupport
import Testing
import Timekeeping

@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct CopyTests {
    @Test func `a copy is named by its time and change, and read by its name alone`() throws {
        let copy = try #require(IndexCopy(name: "library-20261201T013107Z-42.sqlite"))
        #expect(copy.time == Timestamp("2026-12-01T01:31:07Z") && copy.generation == 42)
        #expect(copy.name == "library-20261201T013107Z-42.sqlite")
        for other in [
            "library.sqlite", "library-20261201T013107Z-42.sqlite.partial", "library-20261301T013107Z-42.sqlite",
            "library-20261201T013107Z-+2.sqlite", "library-20261201T013107Z.sqlite",
            "library-20261201013107ZZ-4.sqlite",
        ] {
            #expect(IndexCopy(name: other) == nil, "\(other)")
        }
    }

    @Test func `an older copy in the index's place begins another history, and misses what is gone`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let kept = try await library.save(try TestLibrary.picture(1), named: "kept.jpg")
            let gone = try await library.save(try TestLibrary.picture(2))
            let album = try #require(try await library.createAlbum(named: "Holidays"))
            _ = try await library.change(.add, album.url, [kept.url])
            let copy = try await library.backUp()
            #expect(copy.bytes > 0)
            let late = try await library.save(try TestLibrary.picture(3), named: "late.jpg")
            let token = try await library.token(at: try await library.generation())
            _ = try await library.delete([gone.url])
            await library.close()
            try restore(copy, path)

            let restored = try await TestLibrary.open(path)
            let code = await refusal { _ = try await restored.generation(of: token) }
            #expect(code == .changesExpired(.otherEpoch))
            #expect(try await restored.asset(kept.url)?.state == .ok)
            #expect(try await restored.asset(gone.url)?.state == .missing)
            #expect(try await restored.asset(late.url) == nil)
            let rebuilt = try await restored.rebuild(for: TestLibrary.ben)
            #expect(rebuilt == .init(orphans: 1, restored: 1, damaged: 0, skipped: 0))
            let found = try #require(try await restored.all().first { $0.digest == late.digest })
            #expect(found.owner == TestLibrary.ben.principal && found.origin == .imported)
            #expect(found.date == late.date && found.width == late.width)
            let second = try await restored.token(at: try await restored.generation())
            await restored.close()

            // It is the library's index now, whose history goes on.
            let again = try await TestLibrary.open(path)
            #expect(try await again.generation(of: second) == again.generation())
            #expect(try await again.rebuild(for: TestLibrary.ben).orphans == 0)
            await again.close()
        }
    }

    @Test func `without an index every original is an asset again, and what is not what it was is left`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let pictures = try await [
                library.save(try TestLibrary.picture(1)), library.save(try TestLibrary.picture(2)),
                library.save(try TestLibrary.picture(3)),
            ]
            await library.close()
            try FileManager.default.removeItem(atPath: "\(path)/library")
            let placed = try placedFiles(path)
            let rotten = URL(filePath: "\(path)/store/media/\(placed[0])")
            try Data(try Data(contentsOf: rotten).dropLast()).write(to: rotten)
            let hasher = SHA256()
            hasher.update(Array("no picture".utf8))
            let digest = hasher.finish().description
            let folder = "\(path)/store/media/\(digest.prefix(2))/\(digest.dropFirst(2).prefix(2))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("no picture".utf8).write(to: URL(filePath: "\(folder)/\(digest)"))

            let events = Mutex<[LibraryEvent]>([])
            let empty = try await TestLibrary.open(path) { new in events.withLock { $0 += new } }
            #expect(try await empty.all().isEmpty)
            let rebuilt = try await empty.rebuild(for: TestLibrary.ann)
            #expect(rebuilt == .init(orphans: 4, restored: 2, damaged: 1, skipped: 1))
            let found = try await empty.all()
            #expect(Set(found.map(\.digest)) == Set(pictures.map(\.digest).filter { !placed[0].contains("\($0)") }))
            #expect(events.withLock { $0.map(\.kind) } == [.inserted, .inserted])
            #expect(
                try await empty.rebuild(for: TestLibrary.ann) == .init(orphans: 2, restored: 0, damaged: 1, skipped: 1)
            )
            #expect(try placedFiles(path).count == 4, "nothing is deleted")
            await empty.close()
        }
    }

    @Test func `the index is copied once a day if it has changed, and seven copies are kept`() async throws {
        try await withTemporaryDirectory { path in
            let clock = Mutex(try #require(Timestamp("2026-12-01T00:00:00Z")))
            func go(_ hours: Int64) { clock.withLock { $0 = $0 + .seconds(hours * 3600) } }
            let library = try await TestLibrary.open(path, now: { clock.withLock { $0 } })
            go(48)
            #expect(try await library.backUpIfDue() == nil, "there is nothing in it")
            _ = try await library.save(try TestLibrary.picture(1))
            #expect(try await library.backUpIfDue() != nil)
            go(25)
            #expect(try await library.backUpIfDue() == nil, "nothing has changed")
            for seed in 2...10 as ClosedRange<UInt8> {
                _ = try await library.save(try TestLibrary.picture(seed))
                go(23)
                if seed == 2 { #expect(try await library.backUpIfDue() != nil, "the last one is two days old") }
                _ = try await library.backUpIfDue()
                go(1)
                _ = try await library.backUpIfDue()
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(path)/library/backups").sorted()
            #expect(names.count == 7 && names.allSatisfy { IndexCopy(name: $0) != nil }, "\(names)")
            let newest = try #require(names.last.flatMap { IndexCopy(name: $0) })
            #expect(try await newest.generation == library.generation())
            await library.close()
        }
    }

    private func restore(_ copy: BackUpLibrary.Reply, _ path: String) throws {
        let index = "\(path)/library/library.sqlite"
        for end in ["", "-wal", "-shm"] { _ = try? FileManager.default.removeItem(atPath: index + end) }
        try FileManager.default.copyItem(atPath: "\(path)/library/backups/\(copy.name)", toPath: index)
        #expect(!FileManager.default.fileExists(atPath: "\(path)/library/backups/\(copy.name)-wal"))
    }
}
