import CommandLineService
import Consent
import Files
import Foundation
import Media
import MessageSchema
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `What an export says` {
    /// A cluster whose exporter has one picture, and sends it as a closure does.
    private static func cluster(
        _ send: @escaping @Sendable (@Sendable (StreamExport.Item, [UInt8]) async throws -> Void) async throws -> Void
    ) -> FakeCluster {
        let cluster = FakeCluster()
        cluster.onStream(StreamExport.self) { _, give in
            let asset = Samples.asset
            let file = StreamExport.File(asset: asset, sha256: asset.sha256 ?? "", bytes: 4, isPresent: false)
            try await give(.init(file: file), [])
            try await send(give)
            return .init(job: "j", files: 1, bytes: 4)
        }
        return cluster
    }

    private static var whole: FakeCluster { cluster { try await $0(.init(last: true), [1, 2, 3, 4]) } }

    @Test(arguments: [(ErrorCode.accessDenied, ProgramStatus.notPermitted), (.dismissed, .tryAgain)])
    func `beforehand is refused as the export itself would be`(code: ErrorCode, expected: ProgramStatus) async {
        let cluster = FakeCluster()
        cluster.onStream(StreamExport.self) { request, _ in
            #expect(request.planOnly == true)
            throw ErrorReply(code, "No", reason: "It needs export use")
        }
        let outcome = await obscura("export", "--to", "/bag", "--dry-run", on: cluster)
        #expect(outcome.status == expected && outcome.text.isEmpty)
        #expect(outcome.errors.contains("export use"), "\(outcome.errors)")
    }

    @Test func `beforehand is which files go without their place, and where the exporter would write`() async {
        let cluster = FakeCluster()
        cluster.on(PermissionStatus.self) { _ in
            .init(permissions: [.init(principal: .user(1), resource: .location, access: .read, status: .denied)])
        }
        cluster.onStream(StreamExport.self) { _, send in
            var asset = Samples.asset
            asset.privacy = .location
            let file = StreamExport.File(asset: asset, sha256: asset.sha256 ?? "", bytes: 4, isPresent: false)
            try await send(.init(file: file), [])
            return .init(job: "j", files: 1, bytes: 0)
        }
        let own = await obscura("export", "--to", "/no/bag", "--dry-run", on: cluster)
        #expect(own.status == .success && own.lines.first?.hasPrefix("data/IMG_0001.JPG") == true, "\(own.errors)")
        #expect(own.text.contains("would go to /no/bag\n"))
        #expect(own.text.contains("1 file of them would go without the place: location read is denied"), "\(own.text)")
        let service = await obscura("export", "--to", "bag", "--dry-run", "--service", on: cluster)
        #expect(service.text.contains("would go to bag below the exporter's folder"), "\(service.text)")
    }

    @Test func `on its way does not count what was there already as copied`() async {
        let cluster = FakeCluster()
        var job = ExportJob(job: "1", state: .done, destination: "/d")
        (job.copied, job.skipped, job.copiedBytes) = (1, 7, 4)
        let chosen = job
        cluster.on(StartExport.self) { _ in chosen }
        cluster.onStream(FollowExport.self) { _, send in
            try await send(chosen, [])
            return chosen
        }
        let outcome = await obscura("export", "--to", "d", "--service", "--json", on: cluster)
        #expect(outcome.lines.first == #"{"copied":1,"copiedBytes":4,"type":"progress"}"#, "\(outcome.text)")
    }

    @Test func `of a damaged file is one failure`() async throws {
        try await withTemporaryDirectory { path in
            let cluster = Self.cluster { give in
                try await give(.init(), Array("te".utf8))
                try await give(.init(failed: .init(url: Samples.url, reason: "The asset's bytes are damaged")), [])
            }
            let outcome = await obscura("export", "--to", path + "/bag", on: cluster)
            #expect(outcome.status == .badData)
            #expect(outcome.lines.filter { $0.hasPrefix("failed") }.count == 1, "\(outcome.text)")
            #expect(outcome.lines.last?.contains("1 failed") == true)
        }
    }

    @Test func `names what is not the export's, and what is gone, and ends with 65`() async throws {
        try await withTemporaryDirectory { path in
            let bag = path + "/bag"
            #expect(await obscura("export", "--to", bag, on: Self.whole).status == .success)
            try FileManager.default.moveItem(atPath: bag + "/data/IMG_0001.JPG", toPath: bag + "/data/mine.jpg")
            let none = FakeCluster()
            none.onStream(StreamExport.self) { _, _ in .init(job: "j", files: 0, bytes: 0) }
            let outcome = await obscura("export", "--to", bag, on: none)
            #expect(outcome.status == .badData)
            #expect(outcome.lines.contains { $0.hasPrefix("missing  data/IMG_0001.JPG") }, "\(outcome.text)")
            #expect(
                outcome.lines.contains { $0.hasPrefix("unlisted  data/mine.jpg") && $0.hasSuffix("out of data/") },
                "\(outcome.text)"
            )
            let check = await obscura("export", "verify", bag)
            #expect(check.status == .badData && check.text.contains("unlisted  data/mine.jpg"))
            #expect(check.lines.last?.contains("Move out of 'data'") == true)
        }
    }

    @Test(arguments: ["", "/new"])
    func `into a folder where nothing may be written is that it can not be made, whether it is there or not`(
        name: String
    ) async throws {
        try await withTemporaryDirectory { path in
            let outcome = await FileFaults.$current.withValue(FileFaults(at: 1, .failFromThere(EROFS))) {
                await obscura("export", "--to", path + name, on: Self.whole)
            }
            #expect(outcome.status == .cannotCreate, "\(outcome.errors)")
            #expect(outcome.errors.contains("read-only"))
        }
    }

    @Test func `of an exporter that was killed is that the job is kept, and the way to it`() async {
        let cluster = FakeCluster()
        cluster.on(StartExport.self) { _ in ExportJob(job: "J1", state: .running, destination: "/d") }
        cluster.onStream(FollowExport.self) { _, _ in
            throw ErrorReply(.serviceUnavailable, "The connection was lost", recoverySuggestion: ErrorWords.repeating)
        }
        let outcome = await obscura("export", "--to", "d", "--service", on: cluster)
        #expect(outcome.status == .unavailable)
        #expect(outcome.errors.contains("obscura export status J1") && outcome.errors.contains("export resume J1"))
    }

    @Test func `of a folder without bagit.txt is the same, whoever is asked`() async throws {
        try await withTemporaryDirectory { path in
            let bag = path + "/bag"
            #expect(await obscura("export", "--to", bag, on: Self.whole).status == .success)
            try FileManager.default.removeItem(atPath: bag + "/bagit.txt")
            let check = await obscura("export", "verify", bag)
            #expect(check.status == .badData && check.lines.first == "missing  bagit.txt", "\(check.text)")
            #expect(check.lines.last?.hasPrefix("No export goes on in a folder without bagit.txt") == true)
            #expect(await obscura("export", "--to", bag, on: Self.whole).status == .cannotCreate)
        }
    }

    @Test(arguments: [["--kind", "video"], ["--since", "2026"], ["--group", Samples.group.description]])
    func `of options that choose assets beside assets is that they could have no effect`(options: [String]) async throws
    {
        try await withTemporaryDirectory { path in
            let words = ["export", Samples.url.description, "--to", path + "/bag"] + options
            #expect(await obscura(words, on: Self.whole).status == .usage)
            #expect(!FileManager.default.fileExists(atPath: path + "/bag"))
        }
    }

    @Test func `of an asset that is named twice is said once`() async throws {
        try await withTemporaryDirectory { path in
            let cluster = FakeCluster()
            cluster.onStream(StreamExport.self) { request, _ in
                #expect(request.selection.assets == [Samples.url])
                return .init(job: "j", files: 0, bytes: 0)
            }
            let url = Samples.url.description
            #expect(await obscura("export", url, url, "--to", path + "/bag", on: cluster).status == .success)
            #expect(cluster.calls.contains(StreamExport.name))
        }
    }

    @Test func `of a job that failed is why`() async {
        let cluster = FakeCluster()
        var job = ExportJob(job: "J1", state: .failed, destination: "/d")
        job.error = ErrorReply(.diskFull, "Out of space", reason: "5 bytes are needed", recoverySuggestion: "Make room")
        job.reason = "Out of space: 5 bytes are needed"
        job.failed = [ExportFailure(url: Samples.url, reason: "gone")]
        cluster.on(ListExports.self) { [job] _ in .init(jobs: [job]) }
        let outcome = await obscura("export", "status", "J1", on: cluster)
        #expect(outcome.status == .success)
        #expect(outcome.lines.contains { $0.contains("J1 failed: ") && $0.contains("5 bytes are needed; Make room") })
        #expect(outcome.lines.contains { $0.hasPrefix("failed") && $0.hasSuffix("gone") })
    }

    @Test func `of a read that ends as damaged is no file`() async throws {
        let cluster = FakeCluster()
        cluster.onStream(ReadAsset.self) { _, send in
            try await send(Empty(), Array("tesT".utf8))
            throw ErrorReply(.damaged, "The asset's bytes are damaged")
        }
        try await withTemporaryDirectory { path in
            let file = path + "/dm.jpg"
            let outcome = await obscura("library", "read", Samples.url.description, "--output", file, on: cluster)
            #expect(outcome.status == .badData && outcome.output.isEmpty)
            let left = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(left == [])
        }
    }
}
