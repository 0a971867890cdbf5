import CommandLineService
import Files
import Media
import MessageSchema
import Testing

/// What a person reads of a refusal, and of what was typed wrongly.
@Suite(.timeLimit(.minutes(1)))
struct `Refusals in the words of the command line` {
    @Test(
        arguments: [
            (["library", "list", "--since", "x"], "query.since", "--since has to be fit."),
            (["export", "--to", "/n", "--dry-run", "--until", "x"], "selection.query.until", "--until has to be fit."),
            (["library", "list", "--limit", "1"], "query.unheard", "query.unheard has to be fit."),
        ]
    )
    func `name the option of a list`(words: [String], field: String, reason: String) async {
        let cluster = FakeCluster()
        cluster.onStream(ListAssets.self) { _, _ in throw ErrorReply.invalidParameter(field, "fit") }
        cluster.onStream(StreamExport.self) { _, _ in throw ErrorReply.invalidParameter(field, "fit") }
        let outcome = await obscura(words, on: cluster)
        #expect(outcome.status == .usage)
        #expect(outcome.errors.contains(" \(reason.dropLast());"), "\(outcome.errors)")
        let json = await obscura(words + ["--json"], on: cluster)
        #expect(json.errors.contains(#""parameters":{"parameter":"\#(field)"}"#), "the wire's word is for programs")
        #expect(json.errors.contains(#""reason":"\#(reason)""#))
    }

    @Test func `name the option of a film, and the argument of an album`() async {
        let cluster = FakeCluster()
        cluster.onStream(RecordMovie.self) { _, _ in
            throw ErrorReply.invalidParameter("settings.maximumDuration", "from 0.1 to 86400.0 seconds")
        }
        let film = await obscura("record", "--camera", "b", "--duration", "10s", on: cluster)
        #expect(film.errors.contains("--duration has to be from 0.1 to 86400.0 seconds;"))
        cluster.on(CreateAlbum.self) { _ in throw ErrorReply.invalidParameter("album", "shorter") }
        #expect(
            await obscura("library", "album", "create", "x", on: cluster).errors.contains("NAME has to be shorter;")
        )
        cluster.on(GrantPermission.self) { _ in
            throw ErrorReply(.invalidArgument, "Over already", parameters: ["parameter": "lifespan"])
        }
        let grant = await obscura(
            ["permissions", "grant", "--resource", "library", "--principal", "uid:1", "--lifespan", "once"],
            on: cluster
        )
        #expect(grant.errors.contains("--lifespan has a value that it can not have;"))
        #expect(grant.errors.contains("see 'obscura permissions grant --help'"))
        #expect(!grant.errors.contains("schema"))
    }

    @Test func `name the field inside of an option`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/a.jpg"
        try folder.open().writeAtomically([0xFF, 0xD8, 0xFF], to: "a.jpg")
        let cluster = FakeCluster()
        cluster.onUpload(SaveAsset.self) { _, _ in throw ErrorReply.invalidParameter("metadata.cameraMake", "short") }
        let outcome = await obscura("library", "save", path, "--metadata", #"{"cameraMake":"x"}"#, on: cluster)
        #expect(outcome.errors.contains("cameraMake in --metadata has to be short;"), "\(outcome.errors)")
    }

    @Test(arguments: ["photo", "record"])
    func `say that there is no camera of that name`(command: String) async {
        let absent = ErrorReply(.cameraAbsent, "There is no camera", recoverySuggestion: "obscura cameras list")
        let cluster = FakeCluster()
        cluster.on(TakePhoto.self) { _ in throw absent }
        cluster.onStream(RecordMovie.self) { _, _ in throw absent }
        cluster.on(ShowCamera.self) { _ in .init(camera: nil) }
        let outcome = await obscura(command, "--camera", "nosuch", on: cluster)
        #expect(outcome.status == .unavailable)
        #expect(outcome.errors.contains(#""No such camera" No camera has the identity or position 'nosuch';"#))
        #expect(outcome.errors.contains("'obscura cameras list'"))
        cluster.on(ShowCamera.self) { _ in .init(camera: Samples.camera("b", .back)) }
        let known = await obscura(command, "--camera", "b", on: cluster)
        #expect(known.errors.contains(#""There is no camera" The camera is not connected;"#))
    }

    @Test(
        arguments: [
            ["photo"], ["record"], ["library", "list"], ["library", "groups"], ["library", "show", "URL"],
            ["library", "import", "/no"], ["export", "--to", "/no"],
            ["permissions", "request", "--resource", "library"],
        ]
    )
    func `refuse a time in which nothing can happen`(words: [String]) async {
        let words = words.map { $0 == "URL" ? Samples.url.description : $0 }
        for time in ["0", "0s", "0.9ms"] {
            let cluster = FakeCluster()
            let outcome = await obscura(words + ["--timeout", time], on: cluster)
            #expect(outcome.status == .usage)
            #expect(outcome.errors.contains("--timeout is '\(time)', expected a length of time of 1ms or more"))
            #expect(cluster.calls.isEmpty)
        }
        #expect(await obscura("record", "--duration", "0").errors.contains("--duration is '0'"))
    }

    @Test func `write the progress of a film as lines where it is asked for`() async {
        let cluster = FakeCluster()
        cluster.onStream(RecordMovie.self) { _, send in
            try await send(.init(recording: "r1", frames: 9, droppedFrames: 1, duration: 0.5, bytes: 9), [])
            try await send(.init(recording: "r1", frames: 19, droppedFrames: 2, duration: 1, bytes: 99), [])
            return Samples.result()
        }
        let outcome = await obscura("record", "--camera", "b", "--progress", on: cluster)
        #expect(
            outcome.errors
                == "recording r1\nfilming  0.5 s, 9 B, 1 frame dropped\nfilming  1 s, 99 B, 2 frames dropped\n"
        )
        #expect(await obscura("record", "--camera", "b", on: cluster).errors.isEmpty)
    }

    @Test func `list assets below headings, as every list`() async {
        let cluster = FakeCluster()
        cluster.onStream(ListAssets.self) { _, send in
            for _ in 1...2 { try await send(.init(assets: [Samples.asset]), []) }
            return .init(count: 2)
        }
        let lines = await obscura("library", "list", on: cluster).lines
        #expect(lines.count == 3)
        #expect(lines.first?.split(separator: " ") == ["date", "kind", "size", "state", "url", "name"])
        cluster.onStream(ListAssets.self) { _, send in
            try await send(.init(assets: []), [])
            return .init(count: 0)
        }
        #expect(await obscura("library", "list", on: cluster).text == "no assets\n")
    }
}
