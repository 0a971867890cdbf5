import Foundation
import Glibc
import LibraryIndexService
import Media
import MessageSchema
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct ReplacingTests {
    private func replace(
        _ record: AssetRecord,
        with bytes: [UInt8],
        in library: Library,
        owner: Owner = TestLibrary.ann,
        key: String? = nil,
        mediaType: MediaType = .image
    ) async throws -> AssetRecord {
        let upload = try await library.upload(bytes)
        let request = ReplaceAsset(url: record.url, mediaType: mediaType, filename: "edited.jpg")
        return try await library.replace(upload, as: request, owner: owner, key: key)
    }

    @Test func `the asset has the new bytes and its old URL, marks and place in albums`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let record = try await library.save(try TestLibrary.picture(1))
            let album = try #require(try await library.createAlbum(named: "Sea"))
            _ = try await library.change(.add, album.url, [record.url])
            _ = try await library.mark([record.url], favourite: true, caption: "c")
            let bytes = try TestLibrary.picture(2, orientation: .right, seconds: 1_772_400_000)
            let replaced = try await replace(record, with: bytes, in: library)
            #expect(replaced.url == record.url)
            #expect(replaced.digest != record.digest)
            #expect(replaced.orientation == .right)
            #expect(replaced.filename == "edited.jpg")
            #expect(replaced.isFavourite && replaced.caption == "c")
            let found = try #require(try await library.asset(record.url))
            #expect(found == replaced)
            #expect(try await library.all(group: album.url) == [found])
            let file = try await library.open(found)
            #expect(try await library.read(file, at: 0, upTo: bytes.count + 1) == bytes)
            #expect(try placedFiles(path).count == 1, "nobody has the old bytes any more")
            #expect(try await library.verify().damaged.isEmpty)
        }
    }

    @Test func `the same bytes again, and bytes that another asset has, stay`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture(1)
            let record = try await library.save(bytes)
            let twin = try await library.save(bytes)
            #expect(try await replace(record, with: bytes, in: library).digest == record.digest)
            let other = try TestLibrary.picture(2)
            _ = try await replace(record, with: other, in: library)
            #expect(try placedFiles(path).count == 2)
            _ = try await replace(twin, with: other, in: library)
            #expect(try placedFiles(path).count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(path)/store/staging").isEmpty)
        }
    }

    @Test func `what can not be viewed, and what is of another kind, changes nothing`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let record = try await library.save(try TestLibrary.picture())
            let text = await refusal { _ = try await replace(record, with: Array("text".utf8), in: library) }
            guard case .unusable? = text else {
                Issue.record("\(String(describing: text))")
                return
            }
            let empty = await refusal { _ = try await replace(record, with: [], in: library) }
            #expect(empty == .empty)
            let film = await refusal {
                _ = try await replace(record, with: try TestLibrary.picture(3), in: library, mediaType: .movie)
            }
            #expect(film == .otherMediaType(found: .photo))
            #expect(try await library.asset(record.url) == record)
            #expect(try placedFiles(path).count == 1)
        }
    }

    @Test func `nobody replaces what another has saved, what was imported, or what is in the trash`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let record = try await library.save(try TestLibrary.picture(1))
            let imported = try #require(try await library.importFile(try TestLibrary.picture(2)).record)
            let bytes = try TestLibrary.picture(3)
            let others = await refusal {
                _ = try await replace(record, with: bytes, in: library, owner: TestLibrary.ben)
            }
            #expect(others == .notEditable)
            let foreign = await refusal { _ = try await replace(imported, with: bytes, in: library) }
            #expect(foreign == .notEditable)
            _ = try await library.trash([record.url])
            let trashed = await refusal { _ = try await replace(record, with: bytes, in: library) }
            #expect(trashed == .notEditable)
            #expect(try placedFiles(path).count == 2)
        }
    }

    @Test func `repeated with its key it is done once`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let record = try await library.save(try TestLibrary.picture(1))
            let bytes = try TestLibrary.picture(2)
            _ = try await replace(record, with: bytes, in: library, key: "k")
            _ = try await replace(record, with: try TestLibrary.picture(3), in: library)
            let again = try await replace(record, with: bytes, in: library, key: "k")
            #expect(again.digest == (try await library.asset(record.url))?.digest, "the later one stays")
            let conflict = await refusal {
                _ = try await replace(record, with: try TestLibrary.picture(4), in: library, key: "k")
            }
            #expect(conflict == .idempotencyConflict)
        }
    }

    @Test func `who reads it while it is replaced or deleted is not told that it is damaged`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let record = try await library.save(try TestLibrary.picture(1))
            let replaced = try await replace(record, with: try TestLibrary.picture(2), in: library)
            let early = await refusal { _ = try await library.open(record) }
            #expect(early == .writeBusy)
            _ = try await library.delete([record.url])
            let late = await refusal { _ = try await library.open(replaced) }
            #expect(late == .noSuchAsset)
        }
    }

    private func codeOfReplacing(
        _ record: AssetRecord,
        with bytes: [UInt8],
        in library: Library
    ) async -> LibraryError.Code? {
        await refusal { _ = try await replace(record, with: bytes, in: library) }
    }

    /// A worker that begins when the gate is opened; what it makes of a file is the real one's.
    private func gatedWorker(in path: String) throws -> String {
        try #require(unsafe mkfifo("\(path)/gate", 0o600) == 0)
        return try TestLibrary.script(
            ": > '\(path)/begun'; read line < '\(path)/gate'; exec '\(TestLibrary.decoder)'",
            in: path
        )
    }

    /// Looks again and again; ends with the test's time limit.
    private func wait(until condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `of two that overlap the later one wins, and no bytes are left of the other`() async throws {
        try await withTemporaryDirectory { path in
            let first = try await TestLibrary.open(path)
            let record = try await first.save(try TestLibrary.picture(1))
            let known = try TestLibrary.picture(2)
            let helper = try await first.save(known)
            await first.close()
            // What is known needs no worker: only the first of the two waits at the gate.
            let library = try await TestLibrary.open(path, decoder: try gatedWorker(in: path))
            let bytes = try TestLibrary.picture(3)
            async let slow = replace(record, with: bytes, in: library)
            try await wait { FileManager.default.fileExists(atPath: "\(path)/begun") }
            _ = try await replace(record, with: known, in: library)
            _ = try await library.delete([helper.url])
            try FileHandle(forWritingTo: URL(filePath: "\(path)/gate")).close()
            let replaced = try await slow
            #expect(try await library.asset(record.url) == replaced)
            let file = try await library.open(replaced)
            #expect(try await library.read(file, at: 0, upTo: bytes.count + 1) == bytes)
            #expect(try placedFiles(path).count == 1)
            #expect(try await library.verify().orphans == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(path)/store/staging").isEmpty)
        }
    }

    @Test func `while it is deleted it leaves no bytes behind, whichever is first`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            for seed in 1...20 {
                let record = try await library.save(try TestLibrary.picture(UInt8(seed)))
                let bytes = try TestLibrary.picture(UInt8(seed + 100))
                async let replacing = codeOfReplacing(record, with: bytes, in: library)
                async let deleting = library.delete([record.url])
                let (code, deleted) = try await (replacing, deleting)
                #expect(code == nil || code == .notEditable)
                #expect(deleted.changed == 1)
            }
            #expect(try placedFiles(path).isEmpty)
            #expect(try await library.verify().orphans == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(path)/store/staging").isEmpty)
        }
    }
}
