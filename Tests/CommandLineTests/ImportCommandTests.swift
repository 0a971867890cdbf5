import CommandLineService
import Files
import Foundation
import Media
import MessageSchema
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Library import` {
    private func folder() throws -> TemporaryDirectory { try TemporaryDirectory() }

    private func put(_ names: [String], in directory: borrowing Directory) throws {
        for name in names { try directory.writeAtomically(Array(name.utf8), to: name) }
    }

    @Test func `looks at everything below, hidden files too, and never follows a link`() async throws {
        let folder = try folder()
        let top = try folder.open()
        let inner = try top.makeDirectory("inner")
        try put(["a.jpg", ".hidden.jpg"], in: top)
        try put(["b.jpg"], in: inner)
        try top.writeAtomically([], to: "empty.jpg")
        let cluster = FakeCluster()
        let seen = Mutex<Set<String>>([])
        cluster.onUpload(ImportAsset.self) { request, bytes in
            seen.withLock { _ = $0.insert(request.filename) }
            #expect(bytes == Array(request.filename.utf8))
            return .init(outcome: request.filename == "b.jpg" ? .duplicate : .imported, asset: Samples.asset)
        }
        let outcome = await obscura("library", "import", folder.path, "--json", on: cluster)
        #expect(outcome.status == .success)
        #expect(seen.withLock { $0 } == ["a.jpg", ".hidden.jpg", "b.jpg"])
        let skipped = #"[{"path":"\#(folder.path)/empty.jpg","reason":"the file is empty"}]"#
        #expect(
            outcome.text == #"{"damaged":[],"duplicates":1,"failed":[],"found":4,"imported":2,"skipped":\#(skipped)}"#
                + "\n"
        )
    }

    @Test func `names what could not be imported, and ends with 65`() async throws {
        let folder = try folder()
        try put(["a.jpg", "b.jpg"], in: try folder.open())
        let cluster = FakeCluster()
        cluster.onUpload(ImportAsset.self) { request, _ in
            if request.filename == "b.jpg" { throw ErrorReply.writeFailed(reason: "the disk is odd") }
            return .init(outcome: .skipped, reason: "not media")
        }
        let outcome = await obscura("library", "import", folder.path + "/", "--json", on: cluster)
        #expect(outcome.status == .badData)
        #expect(outcome.text.contains(#""found":2,"imported":0"#))
        #expect(
            outcome.text.contains(
                #""failed":[{"path":"\#(folder.path)/b.jpg","reason":"Write failed: the disk is odd"}]"#
            )
        )
        #expect(outcome.text.contains(#""skipped":[{"path":"\#(folder.path)/a.jpg","reason":"not media"}]"#))
    }

    /// What is skipped below a folder was not asked for by name; what was kept is no failure.
    @Test func `of a file that was named and is no picture ends with 65, and of one that is kept with 0`() async throws
    {
        let folder = try folder()
        try put(["notes.txt", "broken.jpg"], in: try folder.open())
        let cluster = FakeCluster()
        cluster.onUpload(ImportAsset.self) { request, _ in
            var asset = Samples.asset
            (asset.state, asset.reason) = (.unplayable, "it can not be decoded")
            return request.filename == "notes.txt"
                ? .init(outcome: .skipped, reason: "not media") : .init(outcome: .imported, asset: asset)
        }
        let named = await obscura("library", "import", folder.path + "/notes.txt", on: cluster)
        #expect(named.status == .badData && named.lines.first?.hasPrefix("not taken: skipped") == true)
        let kept = await obscura("library", "import", folder.path + "/broken.jpg", on: cluster)
        #expect(kept.status == .success && kept.lines.first?.hasPrefix("kept, damaged") == true)
        #expect(kept.text.contains("unplayable: it can not be decoded"))
        #expect(await obscura("library", "import", folder.path, on: cluster).status == .success)
    }

    @Test(arguments: [true, false])
    func `names what is in the library and damaged, whether it was there before or not`(asJSON: Bool) async throws {
        let folder = try folder()
        try put(["a.jpg", "b.jpg", "c.jpg"], in: try folder.open())
        let cluster = FakeCluster()
        cluster.onUpload(ImportAsset.self) { request, _ in
            var asset = Samples.asset
            if request.filename != "a.jpg" { (asset.state, asset.reason) = (.damaged, "it ends early.") }
            return .init(outcome: request.filename == "c.jpg" ? .duplicate : .imported, asset: asset)
        }
        let outcome = await obscura(["library", "import", folder.path] + (asJSON ? ["--json"] : []), on: cluster)
        #expect(outcome.status == .success)
        if asJSON {
            let one = #"{"path":"\#(folder.path)/b.jpg","reason":"damaged: it ends early."}"#
            #expect(outcome.text.contains(#""damaged":[\#(one),"#), "\(outcome.text)")
            #expect(outcome.text.contains(#""duplicates":1,"failed":[],"found":3,"imported":2"#))
        } else {
            for name in ["b.jpg", "c.jpg"] {
                #expect(outcome.lines.contains { $0.hasPrefix("\(folder.path)/\(name)  damaged: it ends early.") })
            }
            #expect(
                outcome.text.hasSuffix("0 failed; 2 kept in the library can not be shown or played as they should\n")
            )
        }
    }

    @Test func `tries again while the service is away, with the same key`() async throws {
        let folder = try folder()
        try put(["a.jpg"], in: try folder.open())
        let cluster = FakeCluster()
        let tries = Mutex(0)
        cluster.onUpload(ImportAsset.self) { request, bytes in
            #expect(bytes == Array("a.jpg".utf8))
            let attempt = tries.withLock { tries in
                tries += 1
                return tries
            }
            if attempt < 3 { throw ErrorReply(.serviceUnavailable, "away", retryAfter: 1) }
            return .init(outcome: .imported)
        }
        let outcome = await obscura("library", "import", folder.path, "--json", on: cluster)
        #expect(outcome.status == .success)
        #expect(tries.withLock { $0 } == 3)
    }

    @Test func `stops where no file would fare better, and says what it did so far`() async throws {
        let folder = try folder()
        try put((0..<40).map { "\($0).jpg" }, in: try folder.open())
        let cluster = FakeCluster()
        cluster.onUpload(ImportAsset.self) { _, _ in throw ErrorReply(.operatorRequired, "Not yours to do") }
        let outcome = await obscura("library", "import", folder.path, "--json", on: cluster)
        #expect(outcome.status == .notPermitted)
        #expect(outcome.errors.contains("operatorRequired"))
        #expect(cluster.calls.count <= 3)
    }

    @Test func `a path that is not there is an error before anything is imported`() async throws {
        let folder = try folder()
        try put(["a.jpg"], in: try folder.open())
        let cluster = FakeCluster()
        let outcome = await obscura("library", "import", folder.path, folder.path + "/nothing", "--json", on: cluster)
        #expect(outcome.status == .noInput)
        #expect(outcome.errors.contains(#""code":"noSuchFile""#))
        #expect(cluster.calls.isEmpty)
    }

    @Test func `saving refuses what is no file, with the status of a missing input`() async throws {
        let folder = try folder()
        #expect(await obscura("library", "save", folder.path).status == .noInput)
        #expect(await obscura("library", "save", folder.path + "/no.jpg").status == .noInput)
        try #require(unsafe mkfifo(folder.path + "/pipe", 0o600) == 0)
        let pipe = await obscura("library", "save", folder.path + "/pipe")
        #expect(pipe.status == .noInput)
        #expect(pipe.errors.contains("/pipe': it is no regular file, but a device, a pipe or a socket"))
        try put(["a.jpg"], in: try folder.open())
        let cluster = FakeCluster()
        cluster.onUpload(SaveAsset.self) { _, _ in throw ErrorReply.invalidData() }
        let refused = await obscura("library", "save", folder.path + "/a.jpg", on: cluster)
        #expect(refused.status == .badData)
        #expect(refused.errors.hasPrefix("Error Domain=ALAssetsLibraryErrorDomain Code=-3302 \"Invalid data\""))
        cluster.onUpload(SaveAsset.self) { _, _ in throw ErrorReply.invalidData(found: "there is nothing in it") }
        let empty = await obscura("library", "save", folder.path + "/a.jpg", on: cluster)
        #expect(empty.errors.contains("cannot be viewed or played: there is nothing in it; Try"), "\(empty.errors)")
    }
}
