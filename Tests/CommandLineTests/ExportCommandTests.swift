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
                if !isPresent, request.planOnly != true { try await send(StreamExport.Item(last: true), item.content) }
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
    @Test func `of another privacy profile than the folder has is refused, with what to do`() async throws {
        let folder = try TemporaryDirectory()
        let exporter = FakeExporter()
        exporter.add("a.jpg", "one", number: 1)
        let bag = folder.path + "/bag"
        #expect(try await exporter.export(to: bag).copied == 1)
        let other = await obscura("export", "--privacy", "all", "--to", bag, on: exporter.cluster)
        #expect(other.status == .cannotCreate)
        #expect(other.errors.contains("profile none") && other.errors.contains("--privacy that this one has"))
        #expect(try await exporter.export(to: bag).skipped == 1)
    }

    @Test func `that lost its exporter says that it can be run again, and speaks of no keys`() async throws {
        let folder = try TemporaryDirectory()
        let cluster = FakeCluster()
        cluster.onStream(StreamExport.self) { _, _ in
            throw ErrorReply(.serviceUnavailable, "The connection was lost.", recoverySuggestion: ErrorWords.repeating)
        }
        let lost = await obscura("export", "--to", folder.path + "/bag", on: cluster)
        #expect(lost.status == .unavailable)
        #expect(lost.errors.contains("run the same export again") && !lost.errors.contains("key"), "\(lost.errors)")
    }

    @Test func `is checked as a folder, and a file is told to be none`() async {
        let outcome = await obscura("export", "verify", "/dev/null")
        #expect(outcome.status == .noInput)
        #expect(outcome.errors.contains("no folder, and an export is one"), "\(outcome.errors)")
    }

    @Test func `of the demo that has nowhere to go is refused before anything is taken`() async throws {
        let folder = try TemporaryDirectory()
        try Data("mine".utf8).write(to: URL(filePath: folder.path + "/notes.txt"))
        let cluster = FakeCluster()
        let outcome = await obscura("demo", "--yes", "--to", folder.path, on: cluster)
        #expect(outcome.status == .cannotCreate && cluster.calls.isEmpty, "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["notes.txt"])
    }

    @Test func `hints at the trash for an asset that is not there`() async {
        let cluster = FakeCluster()
        cluster.on(FindAsset.self) { _ in .init(asset: nil) }
        let outcome = await obscura("library", "show", Samples.asset.url.description, on: cluster)
        #expect(outcome.status == .noInput && outcome.errors.contains("library list --trashed"), "\(outcome.errors)")
    }

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

    @Test func `renews a changed file in its place, keeps what lay there, and says so`() async throws {
        try await withTemporaryDirectory { path in
            let (exporter, bag) = (FakeExporter(), path + "/bag")
            exporter.add("A.JPG", "one", number: 1)
            #expect(try await exporter.export(to: bag) == (0, 1, 0, 0))
            try Data("an edit".utf8).write(to: URL(filePath: bag + "/data/A.JPG"))
            let found = await obscura("export", "verify", bag)
            #expect(found.status == .badData && found.lines.last?.hasPrefix("Run the same export again") == true)
            let mended = await obscura("export", "--to", bag, on: exporter.cluster)
            #expect(mended.status == .success, "\(mended.errors)")
            #expect(mended.lines.contains { $0.hasPrefix("renewed  data/A.JPG") && $0.hasSuffix("changed/A.JPG") })
            #expect(try payload(bag) == ["A.JPG": "one"])
            #expect(try String(contentsOfFile: bag + "/changed/A.JPG", encoding: .utf8) == "an edit")
            #expect(await obscura("export", "verify", bag).status == .success)
        }
    }

    @Test func `names what was changed and is not its own, and ends with 65`() async throws {
        try await withTemporaryDirectory { path in
            let (exporter, bag) = (FakeExporter(), path + "/bag")
            exporter.add("A.JPG", "one", number: 1)
            #expect(try await exporter.export(to: bag) == (0, 1, 0, 0))
            exporter.items.withLock { $0 = [] }
            try Data("an edit".utf8).write(to: URL(filePath: bag + "/data/A.JPG"))
            let outcome = await obscura("export", "--to", bag, on: exporter.cluster)
            #expect(outcome.status == .badData)
            #expect(outcome.lines.contains { $0.hasPrefix("damaged  data/A.JPG") })
            #expect(try payload(bag) == ["A.JPG": "an edit"])
        }
    }

    @Test func `that is refused leaves what was there, and nothing else`() async throws {
        try await withTemporaryDirectory { path in
            let cluster = FakeCluster()
            cluster.onStream(StreamExport.self) { _, _ in throw ErrorReply(.accessDenied, "No") }
            let files = FileManager.default
            let new = await obscura("export", "--to", path + "/new/deep/bag", on: cluster)
            #expect(new.status == .notPermitted)
            #expect(try files.contentsOfDirectory(atPath: path) == [])
            try files.createDirectory(atPath: path + "/empty", withIntermediateDirectories: false)
            #expect(await obscura("export", "--to", path + "/empty", on: cluster).status == .notPermitted)
            #expect(try files.contentsOfDirectory(atPath: path + "/empty") == [])
            let (exporter, bag) = (FakeExporter(), path + "/bag")
            exporter.add("A.JPG", "one", number: 1)
            #expect(try await exporter.export(to: bag) == (0, 1, 0, 0))
            #expect(await obscura("export", "--to", bag, on: cluster).status == .notPermitted)
            #expect(await obscura("export", "verify", bag).status == .success)
        }
    }

    @Test func `that does not fit is refused before anything is copied, and leaves nothing`() async throws {
        try await withTemporaryDirectory { path in
            let cluster = FakeCluster()
            cluster.onStream(StreamExport.self) { _, send in
                let asset = Samples.asset
                var item = StreamExport.Item(
                    file: StreamExport.File(asset: asset, sha256: sha256OfTest, bytes: 4, isPresent: false)
                )
                item.bytesToCome = .max
                try await send(item, [])
                Issue.record("The export went on.")
                return StreamExport.Summary(job: "stream", files: 1, bytes: 4)
            }
            let outcome = await obscura("export", "--to", path + "/bag", on: cluster)
            #expect(outcome.status == .inputOutput)
            #expect(outcome.errors.contains("\(Int64.max) bytes are needed, "), "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: path + "/bag"))
        }
    }

    @Test func `that ends half way is unfinished, and a check says what finishes it`() async throws {
        try await withTemporaryDirectory { path in
            let (exporter, bag) = (FakeExporter(), path + "/bag")
            exporter.add("A.JPG", "one", number: 1)
            let cluster = FakeCluster()
            let first = exporter.items.withLock { $0.first }
            let item = try #require(first)
            cluster.onStream(StreamExport.self) { _, send in
                let file = StreamExport.File(
                    asset: item.asset,
                    sha256: item.asset.sha256 ?? "",
                    bytes: item.asset.bytes,
                    isPresent: false
                )
                try await send(StreamExport.Item(file: file), [])
                try await send(StreamExport.Item(last: true), item.content)
                throw ErrorReply(.revoked, "Taken away")
            }
            #expect(await obscura("export", "--to", bag, on: cluster).status == .notPermitted)
            #expect(try payload(bag) == ["A.JPG": "one"])
            try Data("an edit".utf8).write(to: URL(filePath: bag + "/data/A.JPG"))
            let renewed = await obscura("export", "--to", bag, on: cluster)
            #expect(renewed.status == .notPermitted)
            #expect(renewed.errors.contains("data/A.JPG was renewed, and what lay there is now changed/A.JPG"))
            let unfinished = await obscura("export", "verify", bag)
            #expect(unfinished.status == .badData)
            #expect(unfinished.errors.contains("unfinished"))
            #expect(unfinished.errors.contains("Run the same export again to finish it"))
            #expect(try await exporter.export(to: bag) == (0, 0, 1, 0))
            #expect(await obscura("export", "verify", bag).status == .success)
        }
    }

    /// What ended a job of the exporter is what the command ends with; a job of an earlier version has only words.
    @Test(arguments: [
        (ErrorCode?.some(.accessDenied), ProgramStatus.notPermitted), (.revoked, .notPermitted),
        (.dismissed, .tryAgain),
        (.serviceUnavailable, .unavailable), (.diskFull, .inputOutput), (.destinationExists, .cannotCreate),
        (nil, .badData),
    ])
    func `by the exporter ends with the status of what ended it`(code: ErrorCode?, status: ProgramStatus) async throws {
        let cluster = FakeCluster()
        var job = ExportJob(job: "J1", state: .running, destination: "/d")
        cluster.on(StartExport.self) { [job] _ in job }
        job.state = .failed
        job.reason = "It broke"
        job.error = code.map { ErrorReply($0, "It broke") }
        cluster.onStream(FollowExport.self) { [job] _, _ in job }
        let outcome = await obscura("export", "--to", "d", "--service", on: cluster)
        #expect(outcome.status == status)
        #expect(outcome.errors.contains("It broke") && outcome.errors.contains("obscura export resume J1"))
    }

    @Test func `names its files by a template`() async throws {
        try await withTemporaryDirectory { path in
            let (exporter, bag) = (FakeExporter(), path + "/bag")
            exporter.add("1.JPG", "one", number: 1)
            let template = "{date:%Y/%m|undated}/{kind}-{name}"
            for copied in [1, 0] {
                let outcome = await obscura("export", "--to", bag, "--name", template, on: exporter.cluster)
                #expect(outcome.status == .success, "\(outcome.errors)")
                #expect(outcome.lines.contains { $0.hasPrefix("\(copied) copied") })
                #expect(FileManager.default.fileExists(atPath: bag + "/data/undated/photo-1.JPG"))
            }
        }
    }

    /// What a dry run prints is what the export then writes: names by template, names that collide, what is there already.
    @Test(arguments: [[], ["--name", "{date:%Y|undated}/{kind}"]])
    func `beforehand has the names that it then writes, and writes nothing`(options: [String]) async throws {
        try await withTemporaryDirectory { path in
            let (exporter, bag) = (FakeExporter(), path + "/new/bag")
            exporter.cluster.on(PermissionStatus.self) { _ in .init(permissions: []) }
            exporter.add("A.JPG", "one", number: 1)
            exporter.add("a.jpg", "two", number: 2)
            let words = ["export", "--to", bag] + options
            let planned = await obscura(words + ["--dry-run"], on: exporter.cluster)
            #expect(planned.status == .success, "\(planned.errors)")
            #expect(!FileManager.default.fileExists(atPath: path + "/new"))
            let names = planned.lines.filter { $0.hasPrefix("data/") }.compactMap { line in
                line.components(separatedBy: "  ").first
            }
            #expect(await obscura(words, on: exporter.cluster).status == .success)
            let written = try FileManager.default.subpathsOfDirectory(atPath: bag + "/data").filter {
                $0.lowercased().hasSuffix(".jpg")
            }
            #expect(names.count == 2 && Set(names) == Set(written.map { "data/" + $0 }))
            exporter.add("B.JPG", "three", number: 3)
            let before = try FileManager.default.subpathsOfDirectory(atPath: bag)
            let again = await obscura(words + ["--dry-run"], on: exporter.cluster)
            #expect(again.lines.filter { $0.hasSuffix("is there already") }.count == 2, "\(again.text)")
            #expect(again.text.contains("3 files, of which 2 there already"))
            #expect(try FileManager.default.subpathsOfDirectory(atPath: bag) == before)
            let other = await obscura(words + ["--dry-run", "--privacy", "all"], on: exporter.cluster)
            #expect(other.status == .cannotCreate, "a folder keeps to its profile, also beforehand")
        }
    }

    @Test func `hands its template to the exporter, and tells the wrong place of one`() async throws {
        let cluster = FakeCluster()
        var job = ExportJob(job: "J1", state: .done, destination: "/d")
        job.files = 1
        cluster.on(StartExport.self) { [job] request in
            #expect(request.names == "{date:%Y}/{name}")
            return job
        }
        cluster.onStream(FollowExport.self) { [job] _, _ in job }
        let outcome = await obscura("export", "--to", "d", "--service", "--name", "{date:%Y}/{name}", on: cluster)
        #expect(outcome.status == .success)
        let refused = await obscura("export", "--to", "d", "--name", "{date:%Y}/{nmae}", on: FakeCluster())
        #expect(refused.status == .usage && refused.errors.contains("character 12: there is no field 'nmae'"))
    }

    @Test func `by the exporter that had files that failed ends with 65, whatever their reasons`() async throws {
        let cluster = FakeCluster()
        var job = ExportJob(job: "J1", state: .done, destination: "/d")
        job.failed = ["denied", "gone"].map { ExportFailure(url: Samples.url, reason: $0) }
        cluster.on(StartExport.self) { [job] _ in job }
        cluster.onStream(FollowExport.self) { [job] _, _ in job }
        #expect(await obscura("export", "--to", "d", "--service", on: cluster).status == .badData)
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
