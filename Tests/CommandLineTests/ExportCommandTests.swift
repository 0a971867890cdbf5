import Bags
import CommandLineService
import Files
import Foundation
import Hashing
import Media
import MessageSchema
import Synchronization
import TestSupport
import Testing

/// An exporter that sends what a library has, without the bytes of what the caller has.
private final class FakeExporter: Sendable {
    struct Item {
        var asset: Asset
        var content: [UInt8]
    }

    let cluster = FakeCluster()
    let items = Mutex<[Item]>([])
    /// The hashes that came with each request.
    let announced = Mutex<[Int]>([])

    init() {
        cluster.onStream(StreamExport.self) { [self] request, send in
            let parts = cluster.rules(of: StreamExport.name)?.attachments ?? []
            let present = Set(
                parts.flatMap { part in
                    stride(from: 0, to: part.count, by: 32).compactMap { SHA256Digest(bytes: part[$0..<$0 + 32]) }
                }
            )
            announced.withLock { $0.append(present.count) }
            let wanted = items.withLock { $0 }.filter { item in
                request.selection.assets?.contains(item.asset.url) ?? true
            }
            for item in wanted {
                let isPresent = present.contains(SHA256Digest(hashing: item.content))
                let file = StreamExport.File(
                    asset: item.asset,
                    sha256: item.asset.sha256 ?? "",
                    bytes: item.asset.bytes,
                    isPresent: isPresent
                )
                try await send(StreamExport.Item(file: file), [])
                if !isPresent { try await send(StreamExport.Item(last: true), item.content) }
            }
            return StreamExport.Summary(job: "stream", files: wanted.count, bytes: 0)
        }
    }

    func add(_ name: String, _ text: String, number: Int) {
        var asset = Samples.asset
        let content = Array(text.utf8)
        asset.url = AssetURL(id: String(format: "%08X-0000-4000-8000-000000000000", number), fileExtension: "JPG")
        asset.filename = name
        asset.bytes = Int64(content.count)
        asset.sha256 = SHA256Digest(hashing: content).description
        items.withLock { $0.append(Item(asset: asset, content: content)) }
    }

    /// Exports everything; counts what the result line says.
    func export(to path: String) async throws -> (status: Int32, copied: Int, skipped: Int, failed: Int) {
        struct Result: Decodable {
            var copied: Int
            var skipped: Int
            var failed: Int
        }
        let outcome = await obscura("export", "--to", path, "--json", on: cluster)
        let last = try #require(outcome.lines.last, "\(outcome.errors)")
        let result = try JSONDecoder().decode(Result.self, from: Data(last.utf8))
        return (outcome.status.rawValue, result.copied, result.skipped, result.failed)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `An export by the command line` {
    private func payload(_ bag: String) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: bag + "/data")
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try String(contentsOfFile: bag + "/data/" + $0, encoding: .utf8)) }
        )
    }

    @Test func `of a picture that was saved again has it twice`() async throws {
        try await withTemporaryDirectory { path in
            let (exporter, bag) = (FakeExporter(), path + "/bag")
            exporter.add("IMG.JPG", "one", number: 1)
            let first = try await exporter.export(to: bag)
            #expect(first == (0, 1, 0, 0))
            exporter.add("IMG.JPG", "one", number: 2)
            #expect(try await exporter.export(to: bag) == (0, 1, 1, 0))
            #expect(try payload(bag) == ["IMG.JPG": "one", "IMG-00000002.JPG": "one"])
            #expect(try BagVerifier.verify(Directory(opening: bag)).isValid)
            // The bytes came out of the bag.
            #expect(exporter.announced.withLock { $0 } == [0, 1])
            #expect(try await exporter.export(to: bag) == (0, 0, 2, 0))
        }
    }

    @Test func `asks again for what the bag loses while it is exported`() async throws {
        try await withTemporaryDirectory { path in
            let (exporter, bag) = (FakeExporter(), path + "/bag")
            exporter.add("A.JPG", "one", number: 1)
            #expect(try await exporter.export(to: bag) == (0, 1, 0, 0))
            exporter.add("B.JPG", "one", number: 2)
            // The same size and time, so that the journal believes it to be what it was: its bytes are not copied blindly.
            let file = bag + "/data/A.JPG"
            let date = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate]
            let handle = try #require(FileHandle(forWritingAtPath: file))
            try handle.write(contentsOf: Data("two".utf8))
            try handle.close()
            try FileManager.default.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: file)
            let again = try await exporter.export(to: bag)
            #expect(again.status == 0 && again.failed == 0)
            #expect(try payload(bag)["B.JPG"] == "one")
        }
    }

    @Test func `says which files it has beside the request, where there is room for a million`() async throws {
        try await withTemporaryDirectory { path in
            let (exporter, bag) = (FakeExporter(), path + "/bag")
            for number in 1...40 { exporter.add("\(number).JPG", "\(number)", number: number) }
            let first = try await exporter.export(to: bag)
            #expect(first == (0, 40, 0, 0))
            #expect(try await exporter.export(to: bag) == (0, 0, 40, 0))
            #expect(exporter.announced.withLock { $0 } == [0, 40])
            #expect((Limits.frames - 3) * Limits.frameBytes / 32 > 1_000_000)
        }
    }
}
