import CommandLineService
import Consent
import Media
import MessageSchema
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A command that waits for the person` {
    /// A cluster where these needs are open, and in which work goes on when `isNoticed` says that it was told.
    private static func cluster(open: Set<Need>, deployment: String = "system") -> FakeCluster {
        let cluster = FakeCluster()
        cluster.on(ListServices.self) { _ in .init(deployment: deployment, ready: true, services: []) }
        cluster.on(ShowCamera.self) { _ in .init(camera: Samples.camera("usb-1", .front)) }
        cluster.on(ListMicrophones.self) { _ in
            let microphones: [(id: String, state: Availability.State)] = [
                ("mic-0", .busy), ("mic-1", .available), ("mic-2", .available),
            ]
            return .init(
                microphones: microphones.map {
                    .init(id: $0.id, name: "M", driver: "d", builtIn: false, availability: Availability($0.state))
                }
            )
        }
        cluster.on(PermissionStatus.self) { request in
            .init(
                permissions: request.needs.map { need in
                    let status: Status = open.contains(need) ? .notDetermined : .authorized
                    return .init(principal: .user(1000), resource: need.resource, access: need.access, status: status)
                }
            )
        }
        return cluster
    }

    private static func line(_ needs: String) -> String {
        "Nobody has decided about \(needs) yet: waiting for the person's answer, where 'obscura up' or "
            + "'obscura permissions prompts --answer' runs, or by 'obscura permissions answer'.\n"
    }

    @Test func `says so once, names what is open, and says it only while it waits`() async throws {
        let record = OutputRecord()
        let terminal = Terminal(output: record.sink, errors: record.sink, environment: [:])
        let cluster = Self.cluster(open: [Need(.location)])
        let needs = [Need(.export), Need(.location)]
        try await WaitingNotice(of: needs, after: .zero, cluster, terminal).around { _ in
            while record.text.isEmpty { try await turn() }
        }
        try await WaitingNotice(of: needs, after: .seconds(3_600), cluster, terminal).around { hasBegun in hasBegun() }
        #expect(record.text == Self.line("location read"))
    }

    static let commands: [(words: [String], needs: String)] = [
        (["photo", "--camera", "front"], "camera/usb-1 use, library addOnly"),
        (["record", "--camera", "usb-1"], "camera/usb-1 use, library addOnly"),
        (["record", "--camera", "usb-1", "--sound"], "camera/usb-1 use, library addOnly, microphone/mic-1 use"),
        (
            ["record", "--microphone", "mic-2", "--camera", "usb-1"],
            "camera/usb-1 use, library addOnly, microphone/mic-2 use"
        ),
        (["preview", "--camera", "usb-1", "--output", "-", "--frames", "1"], "camera/usb-1 use"),
        (["library", "list"], "library read"), (["library", "groups"], "library read"),
        (["library", "album", "create", "A"], "library readWrite"),
        (["export", "--to", "/nowhere", "--service"], "export use, library read, location read"),
        (["permissions", "request", "--resource", "library", "--access", "addOnly"], "library addOnly"),
    ]

    @Test(arguments: commands)
    func `says so, whichever it is`(words: [String], needs: String) async {
        let all = [
            Need(.camera("usb-1")), Need(.library, .addOnly), Need(.library, .read), Need(.library, .readWrite),
            Need(.export), Need(.location), Need(.microphone("mic-1")), Need(.microphone("mic-2")),
        ]
        let cluster = Self.cluster(open: Set(all))
        let refusal = ErrorReply(.dismissed, "Nobody answered")
        let errors = OutputRecord()
        // The answer comes when it was said that it is waited for.
        let wait: @Sendable () async throws -> Void = {
            while errors.text.isEmpty { try await turn() }
            throw refusal
        }
        cluster.on(TakePhoto.self) { _ in
            try await wait()
            throw refusal
        }
        cluster.onStream(RecordMovie.self) { _, _ in
            try await wait()
            throw refusal
        }
        cluster.onStream(PreviewCamera.self) { _, _ in
            try await wait()
            throw refusal
        }
        cluster.onStream(ListAssets.self) { _, _ in
            try await wait()
            throw refusal
        }
        cluster.on(ListGroups.self) { _ in
            try await wait()
            throw refusal
        }
        cluster.on(CreateAlbum.self) { _ in
            try await wait()
            throw refusal
        }
        cluster.on(StartExport.self) { _ in
            try await wait()
            throw refusal
        }
        cluster.on(RequestPermissions.self) { _ in
            try await wait()
            throw refusal
        }
        let outcome = await obscura(words, on: cluster, silence: .zero, errors: errors)
        #expect(outcome.status == .tryAgain)
        #expect(outcome.errors.hasPrefix(Self.line(needs)), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 2)
        for quiet in ["--json", "--no-prompt"] where words[0] != "preview" {
            let outcome = await obscura(words + [quiet], on: cluster, silence: .zero)
            #expect(!outcome.errors.contains("waiting for the person"))
        }
    }

    /// Who may not answer is not asked here, though there is a terminal, and is told where.
    @Test(arguments: [true, false])
    func `says so at a terminal where the question is not asked`(isOperator: Bool) async {
        let cluster = Self.cluster(open: [Need(.library, .read)], deployment: "personal")
        cluster.on(ListPrompts.self) { _ in
            guard isOperator else { throw ErrorReply(.operatorRequired, "Not yours") }
            return .init(prompts: [])
        }
        cluster.onStream(FollowPrompts.self) { _, _ in
            guard isOperator else { throw ErrorReply(.operatorRequired, "Not yours") }
            await Interruption().wait()
            return Empty()
        }
        let errors = OutputRecord()
        cluster.on(ListGroups.self) { _ in
            while !isOperator, errors.text.isEmpty { try await turn() }
            return .init(groups: [])
        }
        let person = PersonTerminal(write: { _ in }, readLine: { nil })
        let outcome = await obscura("library", "groups", on: cluster, person: person, silence: .zero, errors: errors)
        #expect(outcome.status == .success)
        #expect(outcome.errors == (isOperator ? "" : Self.line("library read")))
    }
}
