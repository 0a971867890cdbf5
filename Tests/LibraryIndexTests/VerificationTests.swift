import Files
import Foundation
import Hashing
import LibraryIndexService
import Media
import MessageSchema
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.system), .timeLimit(.minutes(2)))
struct VerificationTests {
    @Test func `damage, loss and strangers are found, and what comes back is whole again`() async throws {
        try await withTemporaryDirectory { path in
            let events = EventRecord()
            let library = try await TestLibrary.open(path) { events.add($0) }
            let kept = try await library.save(try TestLibrary.picture(1))
            let cut = try await library.save(try TestLibrary.picture(2))
            let lost = try await library.save(try TestLibrary.picture(3))
            #expect(try await library.verify().damaged.isEmpty)
            let cutFile = file(of: cut, path)
            let lostFile = file(of: lost, path)
            let whole = try Data(contentsOf: cutFile)
            try whole.dropLast(1).write(to: cutFile)
            let away = URL(filePath: "\(path)/away")
            try FileManager.default.moveItem(at: lostFile, to: away)
            let strange = String(repeating: "ab", count: 32)
            try FileManager.default.createDirectory(
                atPath: "\(path)/store/media/ab/ab",
                withIntermediateDirectories: true
            )
            try Data("x".utf8).write(to: URL(filePath: "\(path)/store/media/ab/ab/\(strange)"))

            let found = try await library.verify()
            #expect(found.checked == 3)
            #expect(Set(found.damaged.map(\.url)) == [cut.url, lost.url])
            #expect(found.missing == 1)
            #expect(found.orphans == 1)
            #expect(try await library.asset(cut.url)?.state == .damaged)
            #expect(try await library.asset(lost.url)?.state == .missing)
            #expect(try await library.asset(kept.url)?.state == .ok)
            let code1 = await refusal { _ = try await library.open(lost) }
            #expect(code1 == .contentLost(state: .missing))

            try whole.write(to: cutFile)
            try FileManager.default.moveItem(at: away, to: lostFile)
            let healed = try await library.verify()
            #expect(healed.repaired == 2)
            #expect(healed.damaged.isEmpty)
            #expect(try await library.asset(lost.url)?.state == .ok)
            let kinds = events.all.map(\.kind)
            #expect(kinds.count(where: { $0 == .inserted }) == 3)
            #expect(kinds.count(where: { $0 == .updated }) == 4)
            let generations = events.all.map(\.generation)
            #expect(generations == generations.sorted())
            let stored = try await library.events(after: 0, count: 100)
            #expect(stored.filter { $0.url.asset != nil } == events.all)
        }
    }

    @Test(arguments: ["gone", "rotten"])
    func `saving the same bytes again heals every asset over them, and tells`(damage: String) async throws {
        try await withTemporaryDirectory { path in
            let events = EventRecord()
            let library = try await TestLibrary.open(path) { events.add($0) }
            let bytes = try TestLibrary.picture()
            let first = try await library.save(bytes)
            if damage == "gone" {
                try FileManager.default.removeItem(at: file(of: first, path))
            } else {
                var rotten = bytes
                rotten[rotten.count / 2] ^= 0xFF
                try Data(rotten).write(to: file(of: first, path))
            }
            #expect(try await library.verify().damaged.map(\.url) == [first.url])
            let second = try await library.save(bytes, owner: TestLibrary.ben)
            #expect(try await library.asset(first.url)?.state == .ok)
            #expect(try await library.verify().damaged.isEmpty)
            let told = events.all.map { "\($0.kind) \($0.url)" }
            let expected = ["inserted \(first.url)", "updated \(first.url)", "updated \(first.url)"]
            #expect(told == expected + ["inserted \(second.url)"])
        }
    }

    @Test func `a save acknowledged over bytes that have rotted unseen keeps the good ones`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture()
            let first = try await library.save(bytes)
            var rotten = bytes
            rotten[rotten.count / 2] ^= 0xFF
            try Data(rotten).write(to: file(of: first, path))
            _ = try await library.save(bytes)
            #expect(try await library.verify().damaged.isEmpty)
        }
    }

    @Test func `healed bytes are rendered again`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let bytes = try TestLibrary.picture()
            let record = try await library.save(bytes)
            try Data(bytes.prefix(60)).write(to: file(of: record, path))
            for _ in 1...3 {
                let code = await refusal { _ = try await library.thumbnail(of: record, width: 16, height: 16) }
                guard case .noPicture = code else { return #expect(code == .empty) }
            }
            #expect(try await library.verify().damaged.count == 1)
            _ = try await library.save(bytes)
            #expect(try await library.thumbnail(of: record, width: 16, height: 16).width == 16)
        }
    }

    @Test func `a thumbnail is small, upright and made once more only when it can be`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open(path)
            let record = try await library.save(try TestLibrary.picture(orientation: .right))
            let thumbnail = try await library.thumbnail(of: record, width: 16, height: 16)
            #expect((thumbnail.width, thumbnail.height) == (12, 16))
            #expect(thumbnail.jpeg.starts(with: [0xFF, 0xD8]))
            let code = await refusal { _ = try await library.thumbnail(of: record, width: 0, height: 5000) }
            guard case .invalidArgument = code else { return #expect(code == .empty) }
        }
    }

    private func file(of record: AssetRecord, _ path: String) -> URL {
        let name = record.digest.description
        return URL(filePath: "\(path)/store/media/\(name.prefix(2))/\(name.dropFirst(2).prefix(2))/\(name)")
    }
}

/// Keeps what was announced.
private final class EventRecord: Sendable {
    private let events = Mutex<[LibraryEvent]>([])

    func add(_ new: [LibraryEvent]) { events.withLock { $0 += new } }
    var all: [LibraryEvent] { events.withLock { $0 } }
}
