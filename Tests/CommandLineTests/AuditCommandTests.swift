import CommandLineService
import Consent
import Files
import FoundationEssentials
import Hashing
import MessageSchema
import Receipts
import TestSupport
import Testing

/// An audit log that a fake cluster has, in pages of two.
struct SampleAudit: Sendable {
    static let key = Samples.key
    var entries: [ChainedEntry] = []
    var checkpoints: [SignedCheckpoint] = []

    init(_ count: Int = 5, sealed: Set<Int> = [2, 5]) {
        var chain = AuditChain()
        for number in 1...count {
            var draft = AuditEntryDraft(
                number == 1 ? .coordinatorStarted : .decisionDenied,
                at: Moment(milliseconds: 1_796_000_000_000 + Int64(number) * 1_000)
            )
            draft.principal = number == 1 ? nil : .user(UInt32(number))
            draft.needs = number == 1 ? [] : [Need(.camera("a"))]
            draft.by = number == 1 ? nil : .user(0)
            draft.lifespan = number == 1 ? nil : .forever
            entries.append(chain.append(draft))
            guard sealed.contains(number) else { continue }
            let checkpoint = AuditCheckpoint(
                segment: AuditNumber(UInt64(checkpoints.count + 1)),
                sequence: chain.count,
                hash: chain.hash.description,
                time: Moment(milliseconds: 1_796_000_100_000)
            )
            checkpoints.append(SignedCheckpoint(checkpoint, signedWith: Self.key))
        }
    }

    /// Has a cluster answer with it.
    func serve(_ cluster: FakeCluster) {
        let (entries, checkpoints) = (entries, checkpoints)
        cluster.on(ListAudit.self) { request in
            let behind = entries.filter { $0.entry.sequence > request.cursor ?? AuditNumber(0) }
            let page = behind.prefix(2)
            return .init(
                entries: page.filter { request.filter.takes($0.entry) },
                next: behind.count > 2 ? page.last?.entry.sequence : nil
            )
        }
        cluster.on(ListCheckpoints.self) { request in
            let behind = checkpoints.filter { $0.checkpoint.segment > request.cursor ?? AuditNumber(0) }
            return .init(
                checkpoints: Array(behind.prefix(1)),
                next: behind.count > 1 ? behind.first?.checkpoint.segment : nil
            )
        }
        cluster.on(SealAudit.self) { _ in .init(checkpoint: checkpoints.last) }
        cluster.on(ReceiptKey.self) { _ in
            .init(algorithm: "Ed25519", publicKey: Self.key.publicKey.description)
        }
    }

    var cluster: FakeCluster {
        let cluster = FakeCluster()
        serve(cluster)
        return cluster
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Audit commands` {
    private static let key = SampleAudit.key.publicKey.description

    private struct Verdict: Decodable {
        var verified: Bool
        var entries: Int
        var through: Int?
        var checkpoint: Int?
        var keyIsExpected: Bool
        var against: Int?
        var problem: String?
    }

    private func verdict(_ words: [String], on cluster: FakeCluster = FakeCluster()) async throws -> Verdict {
        let outcome = await obscura(["audit", "verify"] + words + ["--json"], on: cluster)
        let verdict = try JSONDecoder().decode(Verdict.self, from: Data(outcome.output))
        #expect(outcome.status == (verdict.verified ? .success : .badData), "\(outcome.errors)")
        return verdict
    }

    /// An export of a log, in a folder.
    private func export(_ audit: SampleAudit, _ name: String, in folder: String) async -> String {
        let path = "\(folder)/\(name)"
        let outcome = await obscura("audit", "export", "--output", path, on: audit.cluster)
        #expect(outcome.status == .success, "\(outcome.errors)")
        return path
    }

    @Test func `the log is listed, all pages of it, and filtered`() async {
        let all = await obscura("audit", "list", on: SampleAudit().cluster)
        #expect(all.status == .success && all.lines.count == 6, "\(all.text)")
        #expect(all.lines.last?.contains("decision.denied") == true && all.lines.last?.contains("camera/a use") == true)
        let one = await obscura("audit", "list", "--principal", "uid:4", "--json", on: SampleAudit().cluster)
        #expect(one.lines.count == 1 && one.text.contains(#""sequence":"4""#) && one.text.contains(#""hash":"#))
        let late = ["--since", "2026-11-30T00:53:24Z", "--until", "2026-11-30T00:53:25Z"]
        #expect(await obscura(["audit", "list", "--json"] + late, on: SampleAudit().cluster).lines.count == 1)
        let none = await obscura("audit", "list", "--kind", "use.began", on: SampleAudit().cluster)
        #expect(none.text == "no entries\n")
    }

    @Test func `an export is verified offline, with the key that is expected`() async throws {
        try await withTemporaryDirectory { folder in
            let path = await export(SampleAudit(), "log", in: folder)
            let open = try await verdict([path])
            #expect(open.verified && open.entries == 5 && open.through == 5 && open.checkpoint == 2)
            #expect(!open.keyIsExpected && open.against == nil)
            #expect(try await verdict([path, "--key", Self.key]).keyIsExpected)
            let other = SigningKey.random().publicKey.description
            let wrong = try await verdict([path, "--key", other])
            #expect(!wrong.verified && wrong.problem?.contains("another key") == true && !wrong.keyIsExpected)
            let said = await obscura("audit", "verify", path, on: FakeCluster())
            #expect(said.text.contains("Compare") && said.text.contains(Self.key), "\(said.text)")
            #expect(said.text.contains("Not proven"))
            let missing = await obscura("audit", "verify", "\(folder)/none", on: FakeCluster())
            #expect(missing.status == .noInput)
        }
    }

    @Test func `a file that was changed, or cut off, is damaged, and the entry is named`() async throws {
        try await withTemporaryDirectory { folder in
            let path = await export(SampleAudit(), "log", in: folder)
            let directory = try Directory(opening: folder)
            let bytes = try #require(try directory.read("log", limit: 1 << 20))
            let text = String(decoding: bytes, as: UTF8.self)
            for (changed, words) in [
                (text.replacing("uid:4", with: "uid:9"), "entry 4"),
                (
                    text.split(separator: "\n").filter { !$0.contains("uid:4") }.joined(separator: "\n") + "\n",
                    "entry 4"
                ),
                (text.split(separator: "\n").dropLast().joined(separator: "\n") + "\n", "entry 5"),
                (String(text.dropLast()), "not whole"), (text + "\n", "no JSON"), ("", "empty"),
            ] {
                try directory.writeAtomically(Array(changed.utf8), to: "changed")
                let found = try await verdict(["\(folder)/changed"])
                #expect(!found.verified && found.problem?.contains(words) == true, "\(found)")
            }
            #expect(try await verdict([path]).verified)
        }
    }

    @Test func `the log of the cluster is verified, and against an earlier export`() async throws {
        try await withTemporaryDirectory { folder in
            let path = await export(SampleAudit(), "log", in: folder)
            let longer = SampleAudit(8, sealed: [2, 5, 7])
            let live = try await verdict([], on: longer.cluster)
            #expect(live.verified && live.entries == 8 && live.through == 7 && live.keyIsExpected)
            let against = try await verdict(["--against", path], on: longer.cluster)
            #expect(against.verified && against.against == 5)
            let said = await obscura("audit", "verify", "--against", path, on: longer.cluster)
            #expect(said.text.contains("1 entry behind it is chained, and not sealed yet."), "\(said.text)")
            #expect(said.text.contains("nor has the coordinator") && !said.text.contains("Compare"))
            // An older state of the whole log fits by itself, and not what was exported.
            let older = SampleAudit(4, sealed: [2])
            #expect(try await verdict([], on: older.cluster).verified)
            let shorter = try await verdict(["--against", path], on: older.cluster)
            #expect(!shorter.verified && shorter.problem?.contains("entry 5") == true, "\(shorter)")
            var changed = longer
            changed.entries[3].entry = longer.entries[4].entry
            let damaged = try await verdict([], on: changed.cluster)
            #expect(!damaged.verified && damaged.entries == 3 && damaged.problem?.contains("entry 4") == true)
        }
    }

    @Test func `an earlier export that is damaged is no measure`() async throws {
        try await withTemporaryDirectory { folder in
            try Directory(opening: folder).writeAtomically(Array("{}\n".utf8), to: "log")
            let outcome = await obscura("audit", "verify", "--against", "\(folder)/log", on: SampleAudit().cluster)
            #expect(outcome.status == .badData && outcome.errors.contains("earlier export"), "\(outcome.errors)")
        }
    }

    @Test func `an export takes the place of no file, and leaves none when it fails`() async throws {
        try await withTemporaryDirectory { folder in
            let path = await export(SampleAudit(), "log", in: folder)
            let cluster = SampleAudit().cluster
            let again = await obscura("audit", "export", "--output", path, on: cluster)
            #expect(again.status == .cannotCreate && cluster.calls.isEmpty, "\(again.errors)")
            let kept = try await verdict([path])
            #expect(kept.verified)
            let empty = FakeCluster()
            SampleAudit().serve(empty)
            empty.on(SealAudit.self) { _ in .init(checkpoint: nil) }
            let none = await obscura("audit", "export", "--output", "\(folder)/none", on: empty)
            #expect(none.status == .badData)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["log"])
        }
    }

    @Test func `an export leaves out what came after its checkpoint, and has a damaged log as it is`() async throws {
        try await withTemporaryDirectory { folder in
            let path = await export(SampleAudit(8, sealed: [2, 5]), "log", in: folder)
            let sealed = try await verdict([path])
            #expect(sealed.entries == 5)
            var damaged = SampleAudit()
            damaged.entries[1].hash = damaged.entries[2].hash
            let outcome = await obscura("audit", "export", "--output", "\(folder)/bad", on: damaged.cluster)
            #expect(outcome.status == .badData && outcome.text.contains("damaged  entry 2"), "\(outcome.text)")
            #expect(try await verdict(["\(folder)/bad"]).problem?.contains("entry 2") == true)
            let toOutput = await obscura("audit", "export", "--output", "-", on: SampleAudit().cluster)
            #expect(toOutput.status == .success && toOutput.lines.count == 8 && toOutput.errors.contains("5 entries"))
        }
    }
}
