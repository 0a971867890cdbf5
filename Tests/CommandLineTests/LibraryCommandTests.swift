import CommandLineService
import Files
import Hashing
import Media
import MessageSchema
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Library commands` {
    @Test func `list prints a line for each asset, and says what it was asked for`() async {
        let cluster = FakeCluster()
        cluster.onStream(ListAssets.self) { request, send in
            #expect(request.query.kind == .video)
            #expect(request.query.reverse == true)
            #expect(request.query.limit == 2)
            #expect(request.query.group == Samples.group)
            try await send(.init(assets: [Samples.asset]), [])
            try await send(.init(assets: [Samples.asset]), [])
            return .init(count: 2)
        }
        let group = Samples.group.description
        let outcome = await obscura(
            "library",
            "list",
            "--kind",
            "video",
            "--reverse",
            "--limit",
            "2",
            "--group",
            group,
            "--json",
            on: cluster
        )
        #expect(outcome.status == .success)
        #expect(outcome.lines.count == 2)
        #expect(outcome.lines.allSatisfy { $0.hasPrefix(#"{"added":"2026-11-30T03:45:00Z","bytes":4,"#) })
    }

    @Test func `list has every column of every line below its heading`() async throws {
        let cluster = FakeCluster()
        var odd = Samples.asset
        odd.url = AssetURL(id: Samples.url.id, fileExtension: "HEIC")
        odd.state = .damaged
        odd.filename = "a name that is far longer than most names are.heic"
        (odd.width, odd.height, odd.bytes) = (12_000, 12_000, 999_000_000_000)
        odd.date = AssetDate(raw: "some time in the summer of the year after", local: nil)
        let (plain, long) = (Samples.asset, odd)
        cluster.onStream(ListAssets.self) { _, send in
            try await send(.init(assets: [plain, long]), [])
            try await send(.init(assets: [plain]), [])
            return .init(count: 3)
        }
        let lines = await obscura("library", "list", on: cluster).lines
        #expect(lines.count == 4)
        let heading = try #require(lines.first)
        let column = { (word: String, line: String) in
            line.firstRange(of: word).map { line.distance(from: line.startIndex, to: $0.lowerBound) }
        }
        for line in lines.dropFirst() {
            #expect(column("assets-library:", line) == column("url", heading), "\(line)")
            #expect(column("photo", line) == column("kind", heading))
        }
        #expect(column("a name", lines[2]) == column("name", heading))
        #expect(column("damaged", lines[2]) == column("state", heading))
        #expect(column(" ok ", lines[1]).map { $0 + 1 } == column("state", heading))
    }

    @Test func `an album that lacks an asset, or takes none, says so`() async {
        let cluster = FakeCluster()
        let words = ["library", "album", "add", Samples.group.description, Samples.url.description]
        cluster.on(ChangeAlbum.self) { .init(changed: 0, unknown: $0.assets) }
        let unknown = await obscura(words, on: cluster)
        #expect(unknown.status == .noInput)
        #expect(unknown.text == "0 changed\n")
        #expect(unknown.errors.contains("noSuchAsset") && unknown.errors.contains(Samples.url.description))
        cluster.on(ChangeAlbum.self) { _ in .init(changed: 0, editable: false) }
        let fixed = await obscura(words, on: cluster)
        #expect(fixed.status == .usage)
        #expect(fixed.errors.contains("can not be changed"))
        cluster.on(ChangeAlbum.self) { _ in .init(changed: 0) }
        #expect(await obscura(words, on: cluster).status == .success, "it was there already")
    }

    @Test func `a hyphen is standard output, and not a file`() async throws {
        let cluster = FakeCluster.answeringEverything()
        let url = Samples.url.description
        let read = await obscura("library", "read", url, "--output", "-", on: cluster)
        #expect(read.status == .success && read.text == "test" && read.errors.isEmpty)
        let thumbnail = await obscura("library", "thumbnail", url, "--output", "-", on: cluster)
        #expect(thumbnail.status == .success && thumbnail.output == [1])
        for command in ["photo", "record"] {
            let taken = await obscura(command, "--camera", "b", "--output", "-", on: cluster)
            #expect(taken.status == .success && taken.text == "test", "\(taken.text)")
            #expect(taken.errors.contains(url), "what was taken is told beside the bytes")
            let asked = cluster.calls.count
            let both = await obscura(command, "--camera", "b", "--output", "-", "--json", on: cluster)
            #expect(both.status == .usage && both.output.isEmpty)
            #expect(cluster.calls.count == asked, "nothing is taken that has no place to go")
        }
    }

    @Test(arguments: [
        (#"{"cameraMake":7}"#, "'cameraMake' is not a text"), ("[]", "it is no JSON object"),
        (#"{"location":{"latitude":1}}"#, "'location.longitude' is missing"),
        (#"{"orientation":9}"#, "'orientation' has a value that is not known"),
        (#"{"date":{"raw":"2026","offsetSource":"moon"}}"#, "'date.offsetSource' has a value that is not known"),
        (#"{"location":{"latitude":1,"longitude":2,"heading":3}}"#, "there is no field 'location.heading'"),
    ])
    func `metadata that is refused says which part of it is wrong`(metadata: String, words: String) async throws {
        let folder = try TemporaryDirectory()
        try folder.open().writeAtomically([1], to: "a.jpg")
        let outcome = await obscura("library", "save", folder.path + "/a.jpg", "--metadata", metadata)
        #expect(outcome.status == .usage)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func `an unknown asset is no input, a malformed URL is usage`() async {
        let cluster = FakeCluster()
        cluster.on(FindAsset.self) { _ in .init(asset: nil) }
        let unknown = await obscura("library", "show", Samples.url.description, "--json", on: cluster)
        #expect(unknown.status == .noInput)
        #expect(unknown.errors.contains(#""code":"noSuchAsset""#))
        #expect(await obscura("library", "show", "assets-library://x", on: cluster).status == .usage)
    }

    @Test func `read gives the bytes and nothing else`() async {
        let cluster = FakeCluster()
        cluster.onStream(ReadAsset.self) { request, send in
            #expect(request.offset == 2)
            #expect(request.length == 4)
            try await send(Empty(), Array("test".utf8))
            return .init(count: 1, bytes: 4, sha256: sha256OfTest, size: 100)
        }
        let url = Samples.url.description
        let outcome = await obscura("library", "read", url, "--offset", "2", "--length", "4", on: cluster)
        #expect(outcome.output == Array("test".utf8))
        #expect(outcome.errors.isEmpty)
        #expect(await obscura("library", "read", url, "--json", on: cluster).status == .usage)
    }

    @Test func `reading and listing take as long as they take, unless a timeout is given`() async throws {
        let cluster = FakeCluster()
        cluster.onStream(ReadAsset.self) { _, send in
            try await send(Empty(), Array("test".utf8))
            return .init(count: 1, bytes: 4, sha256: sha256OfTest, size: 4)
        }
        cluster.onStream(ListAssets.self) { _, _ in .init(count: 0) }
        _ = await obscura("library", "read", Samples.url.description, on: cluster)
        _ = await obscura("library", "list", on: cluster)
        for name in [ReadAsset.name, ListAssets.name] { #expect(try #require(cluster.rules(of: name)).timeout == nil) }
        _ = await obscura("library", "read", Samples.url.description, "--timeout", "7", on: cluster)
        _ = await obscura("library", "list", "--timeout", "7", on: cluster)
        for name in [ReadAsset.name, ListAssets.name] { #expect(cluster.rules(of: name)?.timeout == .seconds(7)) }
    }

    @Test(arguments: [
        (#"{"cameraMake":"Leica","location":{"latitude":1,"longitude":2}}"#, true),
        (#"{"date":{"raw":"2026","offsetMinutes":60,"offsetSource":"tag"},"orientation":null}"#, true), ("{}", true),
        (#"{"camera":"Leica"}"#, false), (#"{"cameraMake":7}"#, false), ("[]", false), ("", false),
        (#"{"location":{"latitude":1,"longitude":2,"heading":3}}"#, false),
        (#"{"location":{"latitude":1,"longitude":2},"cameramodel":"M3"}"#, false),
    ])
    func `metadata with a field that nobody knows is refused`(metadata: String, isTaken: Bool) async throws {
        let folder = try TemporaryDirectory()
        try folder.open().writeAtomically([1], to: "a.jpg")
        let cluster = FakeCluster()
        cluster.onUpload(SaveAsset.self) { _, _ in Samples.asset }
        let path = folder.path + "/a.jpg"
        let outcome = await obscura("library", "save", path, "--metadata", metadata, on: cluster)
        #expect(outcome.status == (isTaken ? .success : .usage), "\(outcome.errors)")
        #expect(isTaken || outcome.errors.contains("cameraModel"), "\(outcome.errors)")
    }

    @Test func `a thumbnail is written to a file`() async throws {
        let folder = try TemporaryDirectory()
        let cluster = FakeCluster()
        cluster.onStream(ThumbnailAsset.self) { request, send in
            #expect(request.width == 320 && request.height == 200)
            try await send(.init(width: 267, height: 200), [0xFF, 0xD8])
            return Empty()
        }
        let outcome = await obscura(
            "library",
            "thumbnail",
            Samples.url.description,
            "--fit",
            "320x200",
            "--output",
            folder.path + "/t.jpg",
            "--json",
            on: cluster
        )
        #expect(outcome.text == #"{"height":200,"width":267}"# + "\n")
        #expect(try folder.open().read("t.jpg", limit: 10) == [0xFF, 0xD8])
        for bad in ["320", "0x1", "1x99999", "axb", "1x2x3"] {
            #expect(await obscura("library", "thumbnail", Samples.url.description, "--fit", bad).status == .usage)
        }
    }

    @Test func `verify ends with 65 when something is damaged or missing`() async {
        let cluster = FakeCluster()
        cluster.on(VerifyLibrary.self) { _ in .init(checked: 3, damaged: [], missing: 0, orphans: 1, repaired: 0) }
        let clean = await obscura("library", "verify", "--json", on: cluster)
        #expect(clean.status == .success)
        #expect(clean.text == #"{"checked":3,"damaged":[],"missing":0,"orphans":1,"repaired":0}"# + "\n")
        cluster.on(VerifyLibrary.self) { _ in .init(checked: 3, damaged: [], missing: 1, orphans: 0, repaired: 0) }
        #expect(await obscura("library", "verify", on: cluster).status == .badData)
    }

    @Test func `a taken album name makes nothing and is no error`() async {
        let cluster = FakeCluster()
        cluster.on(CreateAlbum.self) { _ in .init(group: nil) }
        let outcome = await obscura("library", "album", "create", "Holidays", on: cluster)
        #expect(outcome.status == .success)
        #expect(outcome.text == "the name is taken; nothing was made\n")
    }

    @Test func `status ends with 69 when a service is not ready or cannot be reached`() async {
        let cluster = FakeCluster()
        cluster.on(ListServices.self) { _ in .init(deployment: "personal", ready: true, services: []) }
        let all = #""missing":["coordinator","probe","capture","library","exporter"]"#
        #expect(
            await obscura("status", "--json", on: cluster).text
                == #"{"deployment":"personal",\#(all),"ready":true,"services":[]}"# + "\n"
        )
        let lines = await obscura("status", on: cluster).lines
        #expect(lines.filter { $0.hasSuffix("it has not registered") }.count == 5)
        cluster.on(ListServices.self) { _ in .init(deployment: "personal", ready: false, services: []) }
        #expect(await obscura("status", on: cluster).status == .unavailable)
        #expect(await obscura("status", on: FakeCluster()).status == .unavailable)
        #expect(await obscura("status", "--wait", "0.3", on: FakeCluster()).status == .unavailable)
    }

    @Test(arguments: [
        "pick --source camera", "client enrol", "client list", "library rescan --since 1",
    ])
    func `what is not there yet says so`(line: String) async {
        let words = line.split(separator: " ").map(String.init)
        let outcome =
            words.count == 2
            ? await obscura(words[0], words[1], "--json") : await obscura(words[0], words[1], words[2], "--json")
        #expect(outcome.status == .unavailable)
        #expect(outcome.errors.contains(#""code":"notYetAvailable""#))
    }

    /// The words of an example as a shell gives them, with URLs in the place of their names.
    private static func words(of line: String) -> [String] {
        var words = ShellWords.split(line)
        if let redirection = words.firstIndex(of: ">") { words.removeSubrange(redirection...) }
        return words.map { word in
            switch word {
            case "GROUP": Samples.group.description
            case "URL": Samples.url.description
            case "HEX": Samples.key.publicKey.description
            default: word.contains("id=…") ? Samples.url.description : word
            }
        }
    }

    @Test func `every command has a help with its name, and an example that the parser takes`() async {
        for command in CommandCatalogue.all {
            let signature = command.signature
            let text = HelpText.command(signature)
            #expect(text.hasPrefix("usage: obscura \(signature.name)"))
            for example in signature.examples {
                let words = Self.words(of: example.line)
                #expect(words.starts(with: signature.path), "\(example.line)")
                do {
                    _ = try ArgumentParser.parse(Array(words.dropFirst(signature.path.count)), for: signature)
                } catch {
                    Issue.record("\(example.line): \(error)")
                }
            }
            if !signature.takesAnything { #expect(!signature.examples.isEmpty, "\(signature.name)") }
        }
    }
}
