import CommandLineService
import Consent
import Files
import FoundationEssentials
import Media
import MessageSchema
import ServiceRuntime
import Testing

/// No option is accepted and then ignored.
@Suite(.timeLimit(.minutes(1)))
struct `Options` {
    /// Not run here: the story of the demo has tests of its own.
    private static let others: Set<String> = ["demo"]
    /// Options whose help says that they change nothing.
    private static let idle: Set<String> = ["export --update"]
    /// What is looked at only after something that takes more than this test has: a bag, a receipt, the word before.
    private static let late: Set<String> = [
        "export verify --json", "consent verify --json", "permissions switch --on|off",
    ]
    /// Where the command's sockets are is asked for by those alone that need a cluster.
    private static let everywhere: Set<String> = ["help", "runtime"]

    static let cases: [(command: String, option: String)] = CommandCatalogue.all.map(\.signature)
        .filter { !$0.takesAnything && !others.contains($0.name) }
        .flatMap { signature in
            signature.allParameters.filter { !everywhere.contains($0.name) }.map { (signature.name, $0.name) }
        }
        .filter { !idle.union(late).contains("\($0) --\($1)") }

    private static func text(for parameter: ParameterDescription, in folder: String) throws -> String {
        switch parameter.name {
        case "output", "to": return folder + "/new"
        case "FILE", "PATH", "config", "against": return folder + "/a.jpg"
        case "notice": return folder + "/notice.json"
        case "DIR", "data", "policy": return "/proc/obscura"
        default: break
        }
        let words = [
            "1", "b", "2000000", "library", "use", "forever", "uid:1000", "320x240", Samples.url.description,
            Samples.group.description, "{}", "brightness=1", Samples.use.use.description,
            Samples.consent.id.description,
            String(repeating: "ab", count: 32), "2099-12-01T00:00:00Z", "0,0,1,1",
        ]
        return try #require(
            (parameter.words + words).first(where: parameter.accepts),
            "no text for \(parameter.name), \(parameter.expectation)"
        )
    }

    private static func words(
        of signature: CommandSignature,
        with option: String,
        in folder: String
    ) throws -> [String] {
        try signature.allParameters.flatMap { parameter -> [String] in
            switch parameter.form {
            case .positional(let count):
                count == .one || count == .oneOrMore || parameter.name == option
                    ? [try text(for: parameter, in: folder)] : []
            case .flag: parameter.name == option ? ["--\(option)"] : []
            case .option(let isRequired):
                isRequired || parameter.name == option
                    ? ["--\(parameter.name)", try text(for: parameter, in: folder)] : []
            }
        }
    }

    @Test(arguments: cases)
    func `are read by their command`(command: String, option: String) async throws {
        let folder = try TemporaryDirectory()
        try folder.open().writeAtomically(Array("test".utf8), to: "a.jpg")
        let notice = Array(try JSONEncoder().encode(Samples.notice))
        try folder.open().writeAtomically(notice, to: "notice.json")
        let found = try #require(CommandCatalogue.all.first { $0.signature.name == command })
        var words = try Self.words(of: found.signature, with: option, in: folder.path)
        // Never where a cluster could be.
        if command == "up" {
            words += ["--runtime", "/proc/obscura"] + (option == "data" ? [] : ["--data", "/proc/obscura"])
        }
        let arguments = try ArgumentParser.parse(words, for: found.signature)
        let record = OutputRecord()
        let cluster = FakeCluster.answeringEverything()
        let context = CommandContext(
            terminal: Terminal(output: record.sink, errors: record.sink, environment: [:]),
            user: UserSituation(environment: ["OBSCURA_RUNTIME": "/r"], userID: 1000, account: nil),
            interruption: Interruption(),
            executable: "/bin/obscura",
            connect: { _ in cluster }
        )
        var failure = "none"
        do {
            _ = try await found.run(arguments, in: context)
        } catch {
            failure = "\(error)"
        }
        #expect(arguments.read.contains(option), "it had no effect; the command ended with: \(failure)")
    }
}

extension FakeCluster {
    /// Something for every request of the command line.
    static func answeringEverything() -> FakeCluster {
        let cluster = FakeCluster()
        cluster.on(ListServices.self) { _ in .init(deployment: "personal", ready: true, services: []) }
        cluster.on(ListSources.self) { _ in .init(sources: []) }
        cluster.on(ListCameras.self) { _ in .init(cameras: [Samples.camera("b", .back)]) }
        cluster.on(ListMicrophones.self) { _ in .init(microphones: []) }
        cluster.on(ShowCamera.self) { _ in .init(camera: Samples.camera("b", .back)) }
        cluster.onStream(WatchCameras.self) { _, _ in Empty() }
        cluster.on(ReportCameras.self) { _ in .init(lines: []) }
        cluster.on(TakePhoto.self) { _ in Samples.result() }
        cluster.onStream(RecordMovie.self) { _, _ in Samples.result() }
        cluster.on(ListRecordings.self) { _ in .init(recordings: ["r1"]) }
        cluster.onStream(PreviewCamera.self) { _, send in
            try await send(.init(number: 0, width: 64, height: 48, captured: 1, dropped: 0), [1])
            return Empty()
        }
        cluster.on(ReadControls.self) { _ in .init(controls: []) }
        cluster.on(SetControls.self) { _ in .init(controls: []) }
        cluster.on(ResetControls.self) { _ in .init(controls: []) }
        answerLibrary(cluster)
        answerPermissions(cluster)
        let job = ExportJob(job: "1", state: .done, destination: "/d")
        cluster.on(StartExport.self) { _ in job }
        cluster.onStream(FollowExport.self) { _, _ in job }
        cluster.on(ListExports.self) { _ in .init(jobs: [job]) }
        cluster.on(ControlExport.self) { _ in job }
        cluster.onStream(StreamExport.self) { _, _ in .init(job: "1", files: 0, bytes: 0) }
        return cluster
    }

    private static func answerLibrary(_ cluster: FakeCluster) {
        cluster.onUpload(ImportAsset.self) { _, _ in .init(outcome: .imported, asset: Samples.asset) }
        cluster.onUpload(SaveAsset.self) { _, _ in Samples.asset }
        cluster.on(ListGroups.self) { _ in .init(groups: []) }
        cluster.onStream(ListAssets.self) { _, _ in .init(count: 0) }
        cluster.on(FindAsset.self) { _ in .init(asset: Samples.asset) }
        cluster.onStream(ReadAsset.self) { _, send in
            try await send(Empty(), Array("test".utf8))
            return .init(count: 1, bytes: 4, sha256: sha256OfTest, size: 4)
        }
        cluster.onStream(ThumbnailAsset.self) { _, send in
            try await send(.init(width: 1, height: 1), [1])
            return Empty()
        }
        cluster.onUpload(ReplaceAsset.self) { _, _ in Samples.asset }
        cluster.onUpload(CheckAsset.self) { _, _ in .init(compatible: true, kind: .photo, uti: "public.jpeg") }
        cluster.on(ReadMetadata.self) { _ in .init(metadata: nil) }
        cluster.on(CountAssets.self) { _ in .init(count: 0, photos: 0, videos: 0) }
        cluster.onStream(ListChanges.self) { _, _ in .init(count: 0, token: "t") }
        cluster.onStream(WatchLibrary.self) { _, _ in Empty() }
        cluster.on(MarkAssets.self) { _ in .init(changed: 1) }
        cluster.on(TrashAssets.self) { _ in .init(changed: 1) }
        cluster.on(RestoreAssets.self) { _ in .init(changed: 1) }
        cluster.on(DeleteAssets.self) { _ in .init(changed: 1) }
        cluster.on(DeleteAlbum.self) { _ in .init(deleted: true) }
        cluster.on(CreateAlbum.self) { _ in .init(group: nil) }
        cluster.on(ChangeAlbum.self) { _ in .init(changed: 0) }
        cluster.on(VerifyLibrary.self) { _ in .init(checked: 0, damaged: [], missing: 0, orphans: 0, repaired: 0) }
        cluster.on(RebuildLibrary.self) { _ in .init(orphans: 0, restored: 0, damaged: 0, skipped: 0) }
        cluster.on(BackUpLibrary.self) { _ in .init(name: "library-20261201T013107Z-42.sqlite", bytes: 1) }
    }

    private static func answerPermissions(_ cluster: FakeCluster) {
        let state = PermissionState(principal: .user(1000), resource: .library, access: .read, status: .authorized)
        cluster.on(ListPermissions.self) { _ in .init(permissions: [state]) }
        cluster.on(PermissionStatus.self) { _ in .init(permissions: [state]) }
        cluster.on(RequestPermissions.self) { _ in .init(permissions: [state]) }
        cluster.on(GrantPermission.self) { _ in state }
        cluster.on(DenyPermission.self) { _ in state }
        cluster.on(RevokePermission.self) { _ in state }
        cluster.on(ResetPermission.self) { _ in state }
        cluster.onStream(WatchPermissions.self) { _, _ in Empty() }
        cluster.onStream(FollowRestrictions.self) { _, _ in Empty() }
        let receipt = Samples.receipt
        cluster.on(GiveConsent.self) { _ in receipt }
        cluster.on(RefuseConsent.self) { _ in receipt }
        cluster.on(RenewConsent.self) { _ in receipt }
        cluster.on(WithdrawConsent.self) { _ in receipt }
        cluster.on(GiveReceipt.self) { _ in receipt }
        let standing = ConsentStanding(state: .given, record: receipt.receipt.record)
        cluster.on(ListConsents.self) { _ in .init(consents: [standing]) }
        cluster.on(ShowConsent.self) { _ in standing }
        SampleAudit().serve(cluster)
        let use = Samples.use
        cluster.on(ListUses.self) { _ in .init(uses: [use]) }
        cluster.onStream(FollowUses.self) { _, _ in Empty() }
        cluster.on(StopUse.self) { _ in use }
        cluster.onStream(KeepSession.self) { _, _ in Empty() }
        cluster.on(TurnResource.self) { _ in .init(switchedOff: []) }
        cluster.on(ListPrompts.self) { _ in .init(prompts: []) }
        cluster.onStream(FollowPrompts.self) { _, _ in Empty() }
        cluster.on(AnswerPrompt.self) { _ in .init(permissions: [state]) }
    }
}
