import CommandLineService
import Consent
import Files
import FoundationEssentials
import Hashing
import Media
import MessageSchema
import Receipts
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Consent commands` {
    private func encoded(_ value: some Encodable) throws -> [UInt8] { Array(try JSONEncoder().encode(value)) }

    private func write(_ bytes: [UInt8], _ name: String, in folder: String) throws -> String {
        try Directory(opening: folder).writeAtomically(bytes, to: name)
        return "\(folder)/\(name)"
    }

    @Test func `the example notice can be given as it is`() async throws {
        try await withTemporaryDirectory { folder in
            let cluster = FakeCluster()
            let example = await obscura("consent", "notice", on: cluster)
            let path = try write(Array(example.text.utf8), "notice.json", in: folder)
            let given = Mutex<[GiveConsent]>([])
            cluster.on(GiveConsent.self) { request in
                given.withLock { $0.append(request) }
                return Samples.receipt
            }
            let until = "2099-12-01T00:00:00Z"
            let words = ["consent", "give", "--subject", "g", "--notice", path, "--until", until, "--method", "form"]
            let outcome = await obscura(words + ["--output", "\(folder)/r.json"], on: cluster)
            #expect(outcome.status == .success, "\(outcome.errors)")
            #expect(outcome.text.contains(Samples.consent.id.description) && outcome.text.contains("given"))
            let request = try #require(given.withLock { $0.first })
            #expect(request.subject == "g" && request.validUntil == Moment(until) && request.method == "form")
            #expect(request.notice.emptyFields.isEmpty)
            let receipt = await obscura("consent", "verify", "\(folder)/r.json", on: cluster)
            #expect(receipt.status == .success, "\(receipt.errors)")
        }
    }

    @Test func `a second consent for the same purpose is recorded, and the first one is named`() async throws {
        try await withTemporaryDirectory { folder in
            let cluster = FakeCluster()
            let earlier = Samples.consent
            cluster.on(GiveConsent.self) { _ in
                var receipt = Samples.receipt
                receipt.receipt.record = try ConsentRecord(
                    id: try #require(ConsentRecordID(random: String(repeating: "0b", count: 16))),
                    subject: "guest-17",
                    notice: Samples.notice,
                    isGiven: true,
                    by: .user(0),
                    at: Moment(milliseconds: 1_796_000_000_000)
                )
                return receipt
            }
            let standing = Mutex([ConsentStanding(state: .given, record: earlier)])
            cluster.on(ListConsents.self) { _ in .init(consents: standing.withLock { $0 }) }
            let path = try write(try encoded(Samples.notice), "n", in: folder)
            let words = ["consent", "give", "--subject", "guest-17", "--notice", path]
            let outcome = await obscura(words, on: cluster)
            #expect(outcome.status == .success && outcome.errors.contains("in force already: \(earlier.id)"))
            standing.withLock { $0[0].state = .withdrawn }
            #expect(await obscura(words, on: cluster).errors.isEmpty)
        }
    }

    @Test(arguments: [
        ("validUntil", "over", ["--until", "2001-01-01T00:00:00Z"], "--until"),
        ("purpose,controllers", "TS 27560 demands something in: purpose, controllers.", [], "--notice"),
    ])
    func `a refusal names the option that has to change`(
        field: String,
        reason: String,
        options: [String],
        word: String
    ) async throws {
        try await withTemporaryDirectory { folder in
            let path = try write(try encoded(Samples.notice), "n", in: folder)
            let cluster = FakeCluster()
            cluster.on(GiveConsent.self) { _ in
                throw ErrorReply(.invalidArgument, "No", reason: reason, parameters: ["parameter": field])
            }
            let words = ["consent", "give", "--subject", "g", "--notice", path] + options
            #expect(await obscura(words, on: cluster).errors.contains(word))
        }
    }

    @Test(arguments: ["renew", "withdraw"])
    func `a refusal about a record names the argument`(verb: String) async {
        let cluster = FakeCluster()
        let error = ErrorReply(
            .invalidArgument,
            "The consent was withdrawn",
            reason: "A withdrawal stays as it is.",
            cause: "withdrawn",
            parameters: ["parameter": "record"]
        )
        cluster.on(RenewConsent.self) { _ in throw error }
        cluster.on(WithdrawConsent.self) { _ in throw error }
        let outcome = await obscura("consent", verb, Samples.consent.id.description, on: cluster)
        #expect(outcome.status == .badData && outcome.errors.contains("RECORD: A withdrawal"), "\(outcome.errors)")
    }

    @Test(arguments: [
        (#"{"purpose": "x"}"#, "is missing"), (#"{"purpose": 1}"#, "purpose"), ("no JSON", "it is no JSON"),
    ])
    func `a notice that is none says what is wrong`(text: String, words: String) async throws {
        try await withTemporaryDirectory { folder in
            let path = try write(Array(text.utf8), "n", in: folder)
            let outcome = await obscura("consent", "refuse", "--subject", "g", "--notice", path, on: FakeCluster())
            #expect(outcome.status == .badData && outcome.errors.contains(words), "\(outcome.errors)")
        }
    }

    @Test func `a receipt is verified offline, with the key that is expected`() async throws {
        try await withTemporaryDirectory { folder in
            let path = try write(try encoded(Samples.receipt), "r", in: folder)
            let key = Samples.key.publicKey.description
            let outcome = await obscura("consent", "verify", path, "--key", key, on: FakeCluster())
            #expect(outcome.status == .success && !outcome.text.contains("Compare"))
            let open = await obscura("consent", "verify", path, on: FakeCluster())
            #expect(open.text.contains("Compare") && open.text.contains(key))
            let json = await obscura("consent", "verify", path, "--key", key, "--json", on: FakeCluster())
            #expect(json.text.contains(#""keyIsExpected":true"#) && json.text.contains(#""state":"given""#))
            let other = SigningKey.random().publicKey.description
            let wrong = await obscura("consent", "verify", path, "--key", other, on: FakeCluster())
            #expect(wrong.status == .badData && wrong.errors.contains("another key"))
        }
    }

    @Test func `a receipt that was changed proves nothing`() async throws {
        try await withTemporaryDirectory { folder in
            var receipt = Samples.receipt
            receipt.receipt.state = .withdrawn
            let path = try write(try encoded(receipt), "r", in: folder)
            let outcome = await obscura("consent", "verify", path, on: FakeCluster())
            #expect(outcome.status == .badData && outcome.errors.contains("was changed"))
            let missing = await obscura("consent", "verify", "\(folder)/none", on: FakeCluster())
            #expect(missing.status == .noInput)
        }
    }

    @Test func `nothing is recorded whose receipt has no place to go, and what is recorded is named`() async throws {
        let cluster = FakeCluster()
        cluster.on(WithdrawConsent.self) { _ in Samples.receipt }
        let id = Samples.consent.id.description
        let nowhere = await obscura("consent", "withdraw", id, "--output", "/nowhere/r.json", on: cluster)
        #expect(nowhere.status == .cannotCreate && cluster.calls.isEmpty, "\(nowhere.errors)")
        let full = await obscura("consent", "withdraw", id, "--output", "/dev/full", on: cluster)
        #expect(full.status == .inputOutput && cluster.calls == [WithdrawConsent.name], "\(full.errors)")
        #expect(full.errors.contains("obscura consent receipt \(id)"), "\(full.errors)")
    }

    @Test func `texts of records steer no terminal`() async {
        let cluster = FakeCluster()
        let standing = ConsentStanding(state: .given, record: Samples.consent)
        cluster.on(ListConsents.self) { _ in .init(consents: [standing]) }
        cluster.on(ShowConsent.self) { _ in standing }
        cluster.on(WithdrawConsent.self) { _ in Samples.receipt }
        let id = Samples.consent.id.description
        for words in [["list"], ["show", id], ["withdraw", id]] {
            let outcome = await obscura(["consent"] + words, on: cluster)
            #expect(outcome.status == .success && !outcome.text.contains("\u{1B}"))
            #expect(outcome.text.contains(#"guest-17\u{1b}[2J"#))
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Uses and the switch on the command line` {
    @Test func `a use that is not there ends with the status of what is not there`() async {
        let cluster = FakeCluster()
        cluster.on(StopUse.self) { _ in throw ErrorReply(.invalidArgument, "There is no such use", cause: "noSuchUse") }
        let outcome = await obscura("permissions", "stop", "capture-1-1", on: cluster)
        #expect(outcome.status == .noInput, "\(outcome.errors)")
    }

    @Test(arguments: [[], ["--json"]])
    func `the policy's schema is JSON`(words: [String]) async throws {
        let outcome = await obscura(["schema", "--policy"] + words, on: FakeCluster())
        let document = try JSONDecoder().decode(SchemaHead.self, from: Data(outcome.output))
        #expect(document.type == "object")
    }

    private struct SchemaHead: Decodable { var type: String }

    private func cluster() -> FakeCluster {
        let cluster = FakeCluster()
        cluster.on(ListUses.self) { _ in .init(uses: [Samples.use]) }
        cluster.on(StopUse.self) { _ in Samples.use }
        return cluster
    }

    @Test func `uses are listed, and one is stopped by its name`() async {
        let list = await obscura("permissions", "uses", on: cluster())
        #expect(list.text.contains("capture-1234-17") && list.text.contains("camera/pattern-back use"))
        let stop = await obscura("permissions", "stop", "capture-1234-17", on: cluster())
        #expect(stop.status == .success && stop.text.hasPrefix("ended  capture-1234-17"))
        #expect(stop.lines.last == "What it had filmed is kept (--discard discards it).")
        let asked = Mutex<[Unfinished?]>([])
        let other = cluster()
        other.on(StopUse.self) { request in
            asked.withLock { $0.append(request.unfinished) }
            return Samples.use
        }
        let discarded = await obscura("permissions", "stop", "capture-1234-17", "--discard", on: other)
        #expect(discarded.lines.last == "What it had filmed is discarded.")
        #expect(asked.withLock { $0 } == [.discarded])
    }

    @Test func `watching shows what begins and ends`() async {
        let cluster = cluster()
        cluster.onStream(WatchPermissions.self) { _, _ in Empty() }
        cluster.onStream(FollowRestrictions.self) { _, _ in Empty() }
        cluster.onStream(FollowUses.self) { _, send in
            try await send(.init(kind: .begun, use: Samples.use), [])
            try await send(.init(kind: .ended, use: Samples.use, reason: .revoked), [])
            return Empty()
        }
        let text = await obscura("permissions", "watch", on: cluster)
        #expect(text.lines.map { $0.prefix(5) } == ["begun", "ended"])
        #expect(text.lines.last?.hasSuffix("(revoked)") == true)
        let json = await obscura("permissions", "watch", "--json", on: cluster)
        #expect(
            json.lines.count == 2 && json.text.contains(#""type":"item""#) && json.text.contains(#""kind":"ended""#)
        )
    }

    @Test func `watching and listing show what is forbidden, and when it is no more`() async {
        let cluster = FakeCluster()
        let off = RestrictionState(resource: .camera("*"), cause: .switch)
        cluster.onStream(WatchPermissions.self) { _, _ in Empty() }
        cluster.onStream(FollowUses.self) { _, _ in Empty() }
        cluster.onStream(FollowRestrictions.self) { _, send in
            for now in [[], [off], []] { try await send(.init(restrictions: now), []) }
            return Empty()
        }
        let watch = await obscura("permissions", "watch", on: cluster)
        #expect(
            watch.lines == [
                "everybody  camera/*  restricted: switch",
                "everybody  camera/*  allowed again, as it was decided: switch",
            ]
        )
        cluster.on(ListPermissions.self) { _ in .init(permissions: [], restrictions: [off]) }
        let list = await obscura("permissions", "list", on: cluster)
        #expect(list.lines.count == 2 && list.text.contains("everybody") && list.text.contains("restricted: switch"))
        let json = await obscura("permissions", "list", "--json", on: cluster)
        #expect(json.lines == [#"{"cause":"switch","resource":"camera/*","status":"restricted"}"#])
    }

    /// A camera is written as it is everywhere else, and one that is not there is switched with a warning.
    @Test func `the switch takes cameras as other commands do`() async {
        let cluster = FakeCluster()
        let asked = Mutex<[Resource?]>([])
        var front = Samples.camera("pattern-front", .front)
        front.name = "Door camera"
        cluster.on(ListCameras.self) { [front] _ in .init(cameras: [front]) }
        cluster.on(ListMicrophones.self) { _ in .init(microphones: []) }
        cluster.on(ShowCamera.self) { [front] request in
            .init(camera: ["front", "pattern-front"].contains(request.camera) ? front : nil)
        }
        cluster.on(TurnResource.self) { request in
            asked.withLock { $0.append(request.resource) }
            return .init(switchedOff: [])
        }
        let names = [
            "camera/front", "front", "camera/pattern-front", "pattern-front", "Door camera", "camera/door camera",
        ]
        for name in names {
            let outcome = await obscura("permissions", "switch", name, "off", on: cluster)
            #expect(outcome.status == .success && outcome.errors.isEmpty, "\(name): \(outcome.errors)")
        }
        #expect(asked.withLock { $0 } == names.map { _ in .camera("pattern-front") })
        for (name, word) in [("camera/usb-9", "camera 'usb-9'"), ("microphone/usb-9", "microphone 'usb-9'")] {
            let outcome = await obscura("permissions", "switch", name, "off", on: cluster)
            #expect(outcome.status == .success && outcome.errors.contains("there is no \(word) now"))
            let request = await obscura("permissions", "request", "--resource", name, on: cluster)
            #expect(request.status == .noInput && request.errors.contains(word), "\(request.errors)")
        }
        #expect(await obscura("permissions", "switch", "libary", "off", on: cluster).status == .usage)
        #expect(await obscura("permissions", "switch", "camera/back", "off", on: cluster).status == .unavailable)
        #expect(asked.withLock { $0.count } == names.count + 2)
    }

    @Test func `the switch is turned one way, or shown`() async {
        let asked = Mutex<[TurnResource]>([])
        let cluster = FakeCluster()
        cluster.on(TurnResource.self) { request in
            asked.withLock { $0.append(request) }
            return .init(switchedOff: [.camera("*")])
        }
        _ = await obscura("permissions", "switch", "camera/*", "off", on: cluster)
        let shown = await obscura("permissions", "switch", on: cluster)
        #expect(shown.text.contains("camera/*"))
        let requests = asked.withLock { $0 }
        #expect(requests.map(\.resource) == [.camera("*"), nil] && requests.map(\.on) == [false, nil])
        let half = await obscura("permissions", "switch", "camera/*", on: cluster)
        #expect(half.status == .usage)
    }

    @Test(arguments: [(#"{"restricted": ["camera/*"]}"#, true), (#"{"restrictions": {}}"#, false)])
    func `the doctor checks a policy before it is put in its place`(text: String, isGood: Bool) async throws {
        try await withTemporaryDirectory { folder in
            try Directory(opening: folder).writeAtomically(Array(text.utf8), to: "p.json")
            let outcome = await obscura("doctor", "--policy", "\(folder)/p.json", on: FakeCluster())
            #expect(outcome.text.contains(isGood ? "restricted 1" : #""restrictions" is not known"#))
        }
    }
}
