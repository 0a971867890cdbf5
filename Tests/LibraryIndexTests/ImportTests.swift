import Foundation
import LibraryIndexService
import Media
import MessageSchema
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct ImportTests {
    @Test func `the same bytes of the same owner are imported once`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture()
            let first = try await library.importFile(bytes)
            let second = try await library.importFile(bytes, named: "other.jpg")
            let third = try await library.importFile(bytes, owner: TestLibrary.ben)
            #expect([first.outcome, second.outcome, third.outcome] == [.imported, .duplicate, .imported])
            #expect(second.record?.url == first.record?.url)
            #expect(try await library.all().count == 2)
        }
    }

    @Test func `what is no media is skipped with the reason`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let empty = try await library.importFile([])
            let text = try await library.importFile(Array("hello".utf8), named: "hello.jpg")
            #expect(empty.outcome == .skipped)
            #expect(text.outcome == .skipped)
            #expect(text.reason != nil)
            #expect(try placedFiles(path).isEmpty)
        }
    }

    @Test func `a cut picture is kept byte for byte with its state`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let whole = try TestLibrary.picture()
            let cut = Array(whole.prefix(whole.count - 120))
            let imported = try await library.importFile(cut)
            let record = try #require(imported.record)
            #expect(record.state == .damaged || record.state == .unplayable)
            #expect(record.reason != nil)
            #expect(record.bytes == Int64(cut.count))
        }
    }

    @Test(arguments: ["exit 1", "kill -9 $$", "exec sleep 1000"])
    func `a file that ends its workers is quarantined, and the library lives`(script: String) async throws {
        try await withTemporaryDirectory { path in
            var limits = DecoderPool.Limits()
            limits.deadline = .seconds(1)
            let worker = try TestLibrary.script(script, in: path)
            let library = try await TestLibrary.open(path, decoder: worker, limits: limits)
            let bytes = try TestLibrary.picture()
            let imported = try await library.importFile(bytes)
            #expect(imported.outcome == .imported)
            #expect(imported.record?.state == .quarantined)
            #expect(imported.reason != nil)
            // Known to be bad: not tried again, whoever asks.
            let refused = await refusal { _ = try await library.save(bytes) }
            #expect(refused == .unusable(reason: imported.reason))
            #expect(await library.decoderCount == 0)
            #expect(try await library.all().count == 1)
        }
    }

    @Test func `a save that ends its workers is refused, and costs none the next time`() async throws {
        try await withTemporaryDirectory { path in
            let worker = try TestLibrary.script("echo x >> '\(path)/workers'; exit 1", in: path)
            let library = try await TestLibrary.open(path, decoder: worker)
            let bytes = try TestLibrary.picture()
            for owner in [TestLibrary.ann, TestLibrary.ben] {
                let code = await refusal { _ = try await library.save(bytes, owner: owner) }
                guard case .unusable = code else { return #expect(code == .empty) }
            }
            let imported = try await library.importFile(bytes)
            #expect(imported.record?.state == .quarantined)
            let record = try #require(imported.record)
            let code = await refusal { _ = try await library.thumbnail(of: record, width: 9, height: 9) }
            guard case .noPicture = code else { return #expect(code == .empty) }
            let workers = try String(contentsOfFile: "\(path)/workers", encoding: .utf8).split(separator: "\n")
            #expect(workers.count == 2)
        }
    }

    @Test func `a missing decoder is an error of ours and not of the file`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path, decoder: "/no/such/decoder")
            let code = await refusal { _ = try await library.importFile(try TestLibrary.picture()) }
            guard case .noDecoder = code else { return #expect(code == .empty) }
            #expect(try placedFiles(path).isEmpty)
        }
    }

    @Test func `a worker that can not be confined is an error of ours, and the file is not blamed`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path, decoder: try TestLibrary.script("exit 78", in: path))
            let bytes = try TestLibrary.picture()
            let code = await refusal { _ = try await library.importFile(bytes) }
            #expect(code == .noDecoder(reason: "it could not be confined"))
            await library.close()
            let again = try await TestLibrary.open(path)
            #expect(try await again.importFile(bytes).record?.state == .ok)
        }
    }

    @Test func `a worker sees files of one owner alone`() async throws {
        try await withTemporaryDirectory { path in
            let script = "echo x >> '\(path)/workers'; exec '\(TestLibrary.decoder)'"
            let library = try await TestLibrary.open(path, decoder: try TestLibrary.script(script, in: path))
            func count() throws -> Int {
                try String(contentsOfFile: "\(path)/workers", encoding: .utf8).split(separator: "\n").count
            }
            let first = try await library.save(try TestLibrary.picture(1), owner: TestLibrary.ann)
            _ = try await library.save(try TestLibrary.picture(2), owner: TestLibrary.ann)
            #expect(try count() == 1)
            let second = try await library.save(try TestLibrary.picture(3), owner: TestLibrary.ben)
            #expect(try count() == 2)
            _ = try await library.thumbnail(of: first, width: 9, height: 9)
            _ = try await library.open(second, without: .location)
            #expect(try count() == 2, "each has one")
            #expect(await library.decoderCount == 2)
            let third = Owner(principal: "uid:1002", label: nil)
            _ = try await library.save(try TestLibrary.picture(4), owner: third)
            #expect(try count() == 3)
            #expect(await library.decoderCount == 2, "no more than there may be")
            _ = try await library.thumbnail(of: first, width: 8, height: 8)
            #expect(try count() == 4, "the oldest one went")
        }
    }

    @Test func `what costs its decoders without its metadata costs them once`() async throws {
        try await withTemporaryDirectory { path in
            let first = try await TestLibrary.open(path)
            let record = try await first.save(try TestLibrary.picture())
            await first.close()
            let worker = try TestLibrary.script("echo x >> '\(path)/workers'; exit 1", in: path)
            let library = try await TestLibrary.open(path, decoder: worker)
            for _ in 1...3 {
                let code = await refusal { _ = try await library.open(record, without: .all) }
                #expect(code == .notRedacted(reason: "it ended with code 1"))
            }
            let workers = try String(contentsOfFile: "\(path)/workers", encoding: .utf8).split(separator: "\n")
            #expect(workers.count == 2)
        }
    }

    @Test func `many files at once go through few workers`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let pictures = try (1...12).map { try TestLibrary.picture(UInt8($0)) }
            let outcomes = try await withThrowingTaskGroup(of: ImportAsset.Reply.Outcome.self) { group in
                for picture in pictures { group.addTask { try await library.importFile(picture).outcome } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes == Array(repeating: .imported, count: 12))
            #expect(await library.decoderCount <= 2)
        }
    }
}
