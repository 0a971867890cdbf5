import Files
import Foundation
import Hashing
import LibraryIndexService
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(1)))
struct MediaStoreTests {
    private static let bytes = Array("some bytes".utf8)

    private func withStore(_ body: (MediaStore, _ path: String) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            try await body(try MediaStore(at: "\(path)/store", expecting: nil), path)
        }
    }

    private func stage(_ store: MediaStore, _ bytes: [UInt8] = MediaStoreTests.bytes) async throws -> MediaStore.Staged
    {
        let upload = try await store.beginUpload()
        try await store.append(bytes, to: upload)
        return try await store.finish(upload)
    }

    private func staging(_ path: String) throws -> [String] {
        try Directory(opening: "\(path)/store/staging").entries().map(\.name)
    }

    @Test func `a save that fails leaves the file to another one that has placed the same bytes`() async throws {
        try await withStore { store, path in
            let first = try await stage(store)
            try await store.place(first)
            try await store.place(try await stage(store))
            #expect(await store.beginAbandoning(first.digest) == nil)
            #expect(try placedFiles(path).count == 1)
            #expect(try staging(path) == ["\(first.digest).pending"])
            await store.settle(first.digest)
            #expect(try placedFiles(path).count == 1)
            #expect(try staging(path).isEmpty)
        }
    }

    @Test func `what was placed and committed while the index was asked is not removed`() async throws {
        try await withStore { store, path in
            let first = try await stage(store)
            try await store.place(first)
            let count = try #require(await store.beginAbandoning(first.digest))
            try await store.place(try await stage(store))
            await store.settle(first.digest)
            #expect(await store.abandon(first.digest, since: count) == false)
            #expect(try placedFiles(path).count == 1)
            // Asked again, the index has the row.
            #expect(await store.beginAbandoning(first.digest) != nil)
            await store.settle(first.digest)
            #expect(try placedFiles(path).count == 1)
            #expect(try staging(path).isEmpty)
        }
    }

    @Test func `the last save that fails takes the file with it`() async throws {
        try await withStore { store, path in
            let first = try await stage(store)
            try await store.place(first)
            try await store.place(try await stage(store))
            #expect(await store.beginAbandoning(first.digest) == nil)
            let count = try #require(await store.beginAbandoning(first.digest))
            #expect(await store.abandon(first.digest, since: count))
            #expect(try placedFiles(path).isEmpty)
            #expect(try staging(path).isEmpty)
        }
    }

    @Test func `a placement takes the place of a file of the same size whose bytes have rotted`() async throws {
        try await withStore { store, path in
            let first = try await stage(store)
            try await store.place(first)
            await store.settle(first.digest)
            let name = try #require(try placedFiles(path).first)
            let file = URL(filePath: "\(path)/store/media/\(name)")
            var rotten = Self.bytes
            rotten[3] ^= 1
            try Data(rotten).write(to: file)
            try await store.place(try await stage(store))
            #expect(Array(try Data(contentsOf: file)) == Self.bytes)
        }
    }
}
