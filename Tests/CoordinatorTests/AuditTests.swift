import Consent
import CoordinatorService
import Glibc
import Hashing
import MessageSchema
import Messaging
import Receipts
import SQLite
import Synchronization
import TestSupport
import Testing
import Timekeeping

private let start = Moment(milliseconds: DeskUnderTest.start)

private func draft(_ number: Int, _ kind: AuditKind = .useBegan) -> AuditEntryDraft {
    var draft = AuditEntryDraft(kind, at: Moment(milliseconds: start.milliseconds + Int64(number)))
    draft.principal = .user(UInt32(number))
    draft.needs = [Need(.camera("c-\(number)"))]
    return draft
}

private func decision(_ generation: UInt64) -> Decision {
    Decision(
        principal: .user(7),
        resource: .camera("*"),
        access: .use,
        verdict: .allowed,
        lifespan: .forever,
        decidedAt: start,
        decidedBy: .user(0),
        generation: generation
    )
}

private func record(_ generation: UInt64, in store: DecisionStore) async throws {
    try await store.record(
        [decision(generation)],
        forgetting: [],
        switchedOff: [],
        generation: generation,
        noting: [draft(Int(generation), .decisionAllowed)]
    )
}

private func entries(_ audit: AuditStore, _ filter: AuditFilter = AuditFilter()) async throws -> [ChainedEntry] {
    var (all, next): ([ChainedEntry], AuditNumber?) = ([], AuditNumber(0))
    while let number = next {
        let page = try await audit.page(filter, after: number, count: 3)
        all += page.entries
        next = page.next
    }
    return all
}

/// Checks the whole log as `obscura audit verify` does.
private func verify(_ audit: AuditStore) async throws -> AuditProof {
    var verifier = AuditVerifier(key: audit.publicKey)
    var checkpoints = try await audit.checkpoints(after: AuditNumber(0)).checkpoints[...]
    for entry in try await entries(audit) {
        try verifier.take(entry)
        while let next = checkpoints.first, next.checkpoint.sequence <= entry.entry.sequence {
            try verifier.take(next)
            checkpoints = checkpoints.dropFirst()
        }
    }
    for checkpoint in checkpoints { try verifier.take(checkpoint) }
    return try verifier.finish(isSealed: false)
}

/// Another connection to the database, as somebody has who can write the file.
private func intrude(_ path: String, _ script: String) throws {
    try Connection(opening: "\(path)/\(DecisionStore.fileName)").execute(script)
}

@Suite(.timeLimit(.minutes(1)))
struct `The stored audit log` {
    @Test func `closes segments by itself and when it is asked to, over several starts`() async throws {
        try await withTemporaryDirectory { path in
            for start in 0..<2 {
                let store = try DecisionStore(in: path, segmentLength: 3)
                for number in 1...4 { try await store.audit.note([draft(start * 10 + number)]) }
                let sealed = try await store.audit.seal(at: Moment(milliseconds: 1_797_000_000_000))
                #expect(try await store.audit.seal(at: Moment(milliseconds: 0)) == sealed)
                await store.close()
            }
            let audit = try DecisionStore(in: path).audit
            let checkpoints = try await audit.checkpoints(after: AuditNumber(0)).checkpoints.map(\.checkpoint)
            #expect(checkpoints.map(\.segment.value) == [1, 2, 3, 4])
            #expect(checkpoints.map(\.sequence.value) == [3, 4, 7, 8])
            let proof = try await verify(audit)
            #expect(proof.entries.value == 8 && proof.checkpoint?.sequence.value == 8)
            #expect(try await entries(audit).map(\.entry.principal) == [1, 2, 3, 4, 11, 12, 13, 14].map { .user($0) })
            #expect(try await audit.checkpoints(after: AuditNumber(3)).checkpoints.count == 1)
        }
    }

    @Test func `an empty log has no checkpoint`() async throws {
        try await withTemporaryDirectory { path in
            let audit = try DecisionStore(in: path).audit
            #expect(try await audit.seal(at: start) == nil)
            #expect(try await verify(audit).entries.value == 0)
        }
    }

    @Test(arguments: ["audit", "decision"])
    func `has an entry exactly when the decision is stored`(table: String) async throws {
        try await withTemporaryDirectory { path in
            let store = try DecisionStore(in: path)
            try intrude(
                path,
                "CREATE TRIGGER refused BEFORE INSERT ON \(table) BEGIN SELECT raise(ABORT, 'refused'); END"
            )
            await #expect(throws: StorageFailure.self) { try await record(1, in: store) }
            #expect(try await store.load() == StoredDecisions())
            #expect(try await entries(store.audit).isEmpty)
            try intrude(path, "DROP TRIGGER refused")
            try await record(1, in: store)
            #expect(try await store.load().decisions.count == 1)
            #expect(try await entries(store.audit).map(\.entry.kind) == [.decisionAllowed])
        }
    }

    @Test(arguments: [1, 3, 8, 20])
    func `has exactly the entries of what is stored after a kill`(count: Int) async throws {
        try await withTemporaryDirectory { path in
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, count = count as Int] in
                let store = try DecisionStore(in: path, segmentLength: 4)
                for generation in 1...count { try await record(UInt64(generation), in: store) }
                // One more is on its way to the disk.
                async let last: Void = record(UInt64(count + 1), in: store)
                for _ in 0..<count * 50 { await Task.yield() }
                kill(getpid(), SIGKILL)
                try await last
            }
            let store = try DecisionStore(in: path, segmentLength: 4)
            let stored = try await store.load().decisions.count
            #expect(stored == count || stored == count + 1)
            let proof = try await verify(store.audit)
            #expect(proof.entries.value == UInt64(stored))
            try await record(UInt64(stored + 1), in: store)
            #expect(try await verify(store.audit).entries.value == UInt64(stored + 1))
        }
    }

    @Test(arguments: ["audit", "audit_checkpoint", "consent"])
    func `has an entry exactly when the consent record is stored`(table: String) async throws {
        try await withTemporaryDirectory { path in
            let store = try DecisionStore(in: path, segmentLength: 1)
            let consents = ConsentDesk(store: ConsentStore(in: store), key: .random()) { start }
            try intrude(
                path,
                "CREATE TRIGGER refused BEFORE INSERT ON \(table) BEGIN SELECT raise(ABORT, 'refused'); END"
            )
            @Sendable func give() async throws -> SignedReceipt {
                try await consents.begin("guest-17", Self.notice, isGiven: true, method: "a form", by: .user(0))
            }
            await #expect(throws: StorageFailure.self) { try await give() }
            #expect(try await consents.page(about: nil).records.isEmpty)
            #expect(try await entries(store.audit).isEmpty)
            try intrude(path, "DROP TRIGGER refused")
            let id = try await give().receipt.record.id
            _ = try await consents.withdraw(id, method: "by word", by: .user(1))
            let told = try await entries(store.audit)
            #expect(told.map(\.entry.kind) == [.consentGiven, .consentWithdrawn])
            #expect(told.map(\.entry.by) == [.user(0), .user(1)] && told.allSatisfy { $0.entry.record == id })
            // Nothing about who it is, and nothing of what was said.
            let text = told.map { String(decoding: AuditChain.canonicalForm(of: $0.entry), as: UTF8.self) }.joined()
            for word in ["guest", "form", "Prints", "word"] { #expect(!text.contains(word)) }
        }
    }

    private static let notice = ConsentNotice(
        purpose: "Prints",
        privacyNotice: "https://example.org",
        language: "en",
        piiTypes: ["image"],
        controllers: [ConsentParty(id: "1", name: "n", address: "a", contact: "c", type: "controller")],
        storageLocations: ["here"],
        retentionPeriod: "30 days",
        jurisdiction: "DE",
        recipients: [],
        withdrawalMethod: "by word"
    )

    @Test func `is added to alone`() async throws {
        try await withTemporaryDirectory { path in
            let audit = try DecisionStore(in: path).audit
            try await audit.note([draft(1), draft(2)])
            for change in ["UPDATE audit SET hash = ''", "DELETE FROM audit WHERE sequence = 2"] {
                #expect(throws: SQLiteError.self) { try intrude(path, change) }
            }
        }
    }

    @Test(arguments: [
        (
            "UPDATE audit SET document = replace(document, 'uid:2', 'uid:3') WHERE sequence = 2",
            AuditFault.changed(.init(2))
        ),
        ("UPDATE audit SET hash = replace(hash, '0', '1') WHERE sequence = 5", .changed(.init(5))),
        ("DELETE FROM audit WHERE sequence = 3", .notTheNext(expected: .init(3), found: .init(4))),
        ("DELETE FROM audit WHERE sequence > 4", .cutOff(after: .init(4), known: .init(6))),
        ("DELETE FROM audit", .cutOff(after: .init(0), known: .init(3))),
        ("DELETE FROM audit_checkpoint WHERE segment = 1", .misplaced(segment: .init(2))),
    ])
    func `shows what somebody did who can write the file`(script: String, fault: AuditFault) async throws {
        try await withTemporaryDirectory { path in
            let audit = try DecisionStore(in: path, segmentLength: 3).audit
            for number in 1...7 { try await audit.note([draft(number)]) }
            #expect(try await verify(audit).entries.value == 7)
            try intrude(path, "DROP TRIGGER audit_kept; DROP TRIGGER audit_fixed; \(script)")
            await #expect(throws: fault) { try await verify(audit) }
        }
    }

    @Test func `names an entry that can not be read`() async throws {
        try await withTemporaryDirectory { path in
            let audit = try DecisionStore(in: path).audit
            try await audit.note([draft(1), draft(2)])
            // What a reader leaves out is a change too.
            let change =
                "UPDATE audit SET document = replace(document, '{\"kind', '{\"a\":\"b\",\"kind') WHERE sequence = 2"
            try intrude(path, "DROP TRIGGER audit_fixed; \(change)")
            let error = await #expect(throws: UnreadableAudit.self) { try await entries(audit) }
            #expect(error?.name == "entry 2")
        }
    }

    @Test func `is filtered page by page`() async throws {
        try await withTemporaryDirectory { path in
            let audit = try DecisionStore(in: path).audit
            try await audit.note((1...1_200).map { draft($0, $0 % 400 == 0 ? .useEnded : .useBegan) })
            let found = try await entries(audit, AuditFilter(kind: .useEnded)).map(\.entry.sequence.value)
            #expect(found == [400, 800, 1_200])
            #expect(try await audit.checkpoints(after: AuditNumber(0)).checkpoints.count == 1)
            let first = try await audit.page(AuditFilter(principal: .user(900)), after: AuditNumber(0), count: 1)
            #expect(first.entries.isEmpty && first.next == AuditNumber(500))
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `What the desk has the audit log tell` {
    @Test func `decisions, how they end, and by whom`() async throws {
        let test = try await DeskUnderTest()
        try await test.decide(.allowed, .once)
        try await test.revoke()
        try await test.reset()
        let noted = test.storage.noted
        #expect(noted.map(\.kind) == [.decisionAllowed, .decisionEnded, .decisionDenied, .decisionEnded])
        #expect(noted.map(\.cause) == [nil, "revoked", nil, "reset"])
        #expect(noted.map(\.lifespan) == [.once, nil, .forever, nil])
        #expect(noted.allSatisfy { $0.by == DeskUnderTest.operator && $0.principal == DeskUnderTest.program })
        #expect(noted.allSatisfy { $0.needs == [DeskUnderTest.front] })
        #expect(noted.map { $0.decisions.map(\.description) } == [["d1"], ["d1"], ["d2"], ["d2"]])
    }

    @Test func `an answer with its decision in one write, and a dismissal with whose it was`() async throws {
        let test = try await DeskUnderTest()
        let prompter = try await test.desk.followPrompts()
        var events = prompter.events.makeAsyncIterator()
        async let first = test.request()
        let allowed = try #require(try await events.next()?.prompt.prompt)
        try await test.answer(allowed, .allow(.forever))
        _ = try await first
        #expect(test.storage.writes == 1)
        #expect(test.storage.noted.map(\.kind) == [.decisionAllowed, .promptClosed])
        _ = try await events.next()
        async let second = test.request([Need(.library, .read)])
        let dismissed = try #require(try await events.next()?.prompt.prompt)
        try await test.desk.turn(by: .user(5)) { machine, now in
            try machine.answer(PromptID(dismissed) ?? PromptID(0), .dismiss, by: .user(5), at: now)
        }
        _ = try await second
        await test.desk.storeNotes()
        let last = try #require(test.storage.noted.last)
        #expect(last.kind == .promptClosed && last.cause == "dismissed" && last.by == .user(5))
        #expect(last.needs == [Need(.library, .read)] && last.prompt?.description == dismissed)
        #expect(test.storage.writes == 1)
    }

    @Test func `the policy and the switch`() async throws {
        let test = try await DeskUnderTest()
        try await test.desk.turn { machine, now in machine.follow(restrictions: [Restriction(.export)], at: now) }
        for isOn in [false, true] {
            try await test.desk.turn(by: .user(5)) { machine, now in machine.turn(.camera("*"), on: isOn, at: now) }
        }
        await test.desk.storeNotes()
        #expect(test.storage.noted.map(\.kind) == [.policyChanged, .switchedOff, .switchedOn])
        #expect(test.storage.noted.first?.rules == ["restricted export"])
        #expect(test.storage.noted.map(\.by) == [nil, .user(5), .user(5)])
        #expect(test.storage.noted.map(\.resource) == [nil, .camera("*"), .camera("*")])
    }

    @Test func `nothing of a grant that could not be stored`() async throws {
        let test = try await DeskUnderTest()
        test.storage.fail(true)
        await #expect(throws: StorageFailure.self) { try await test.decide(.allowed) }
        test.storage.fail(false)
        try await test.decide(.denied)
        #expect(test.storage.noted.map(\.kind) == [.decisionDenied])
    }

    @Test func `what could not be written before what is written next, in its order`() async throws {
        let test = try await DeskUnderTest()
        try await test.decide(.allowed)
        test.storage.fail(true)
        for restrictions in [[Restriction(.export)], []] {
            // Neither fails, nor waits for the disk.
            try await test.desk.turn { machine, now in machine.follow(restrictions: restrictions, at: now) }
        }
        await test.desk.storeNotes()
        await #expect(throws: StorageFailure.self) { try await test.revoke() }
        await test.desk.note { [AuditEntryDraft(.operatorRefused, at: $0)] }
        await #expect(throws: StorageFailure.self) { try await test.decide(.allowed, .forever, .camera("back")) }
        #expect(test.storage.noted.count == 1)
        test.storage.fail(false)
        try await test.decide(.allowed, .forever, .camera("back"))
        #expect(
            test.storage.noted.map(\.kind) == [
                .decisionAllowed, .policyChanged, .policyChanged, .decisionEnded, .decisionDenied, .operatorRefused,
                .decisionAllowed,
            ]
        )
    }

    @Test func `what could not be written, by itself when there is room`() async throws {
        let test = try await DeskUnderTest()
        test.storage.fail(true)
        await test.desk.note { [AuditEntryDraft(.operatorRefused, at: $0)] }
        await test.clock.nextTimerScheduled()
        test.storage.fail(false)
        test.clock.advance(by: PermissionDesk.retryInterval)
        while test.storage.noted.isEmpty { try await turn() }
        #expect(test.storage.noted.map(\.kind) == [.operatorRefused] && test.storage.writes == 0)
    }

    @Test func `that a coordinator started and ended, when it did anything between`() async throws {
        let idle = try await DeskUnderTest()
        await idle.desk.noteStart()
        try await idle.desk.begin()
        _ = try await idle.request(mayPrompt: false)
        for _ in 0..<1_000 { await Task.yield() }
        #expect(await !idle.desk.noteEnd())
        #expect(idle.storage.noted.isEmpty)
        let busy = try await DeskUnderTest()
        await busy.desk.noteStart()
        try await busy.decide(.denied)
        #expect(await busy.desk.noteEnd())
        #expect(busy.storage.noted.map(\.kind) == [.coordinatorStarted, .decisionDenied, .coordinatorEnded])
    }

    @Test func `no more of programs than memory can take while the disk is full`() async throws {
        let test = try await DeskUnderTest()
        test.storage.fail(true)
        for user in 0..<50 { await test.desk.note { _ in (0..<600).map { _ in draft(user) } } }
        await test.desk.note { [AuditEntryDraft(.policyChanged, at: $0)] }
        test.storage.fail(false)
        #expect(await test.desk.noteEnd())
        let noted = test.storage.noted
        #expect(noted.count { $0.kind == .useBegan } == 20_000)
        #expect(noted.contains { $0.kind == .policyChanged })
        #expect(noted.compactMap(\.count).reduce(0) { $0 + $1.value } == 10_000)
    }

    @Test func `no more of one program than a disk can take, and how much was left out`() async throws {
        let test = try await DeskUnderTest()
        await test.desk.note { _ in (0..<1_000).map { _ in draft(7) } + [draft(8)] }
        await test.desk.storeNotes()
        #expect(test.storage.noted.count == 601)
        #expect(test.storage.noted.last?.principal == .user(8))
        test.clock.advance(by: .seconds(61))
        await test.desk.note { [AuditEntryDraft(.operatorRefused, at: $0)] }
        await test.desk.storeNotes()
        let omitted = try #require(test.storage.noted.first { $0.kind == .entriesOmitted })
        #expect(omitted.principal == .user(7) && omitted.count == AuditNumber(400))
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Messages about the audit log` {
    @Test func `are an operator's alone, and whoever is refused is told of`() async throws {
        try await withWire { wire in
            wire.speaksForPerson.withLock { $0 = false }
            let client = try wire.program()
            #expect(await failure { try await client.call(ListAudit()) }?.code == .operatorRequired)
            #expect(await failure { try await client.call(ListCheckpoints()) }?.code == .operatorRequired)
            #expect(await failure { try await client.call(SealAudit()) }?.code == .operatorRequired)
            let status = Wire.status(.capture)
            #expect(await failure { try await client.call(RegisterService(service: status)) }?.code == .roleRequired)
            let probe = Wire.status(.probe)
            let capture = try wire.capture()
            #expect(await failure { try await capture.call(RegisterService(service: probe)) }?.code == .roleRequired)
            while wire.test.storage.noted.count < 5 { try await turn() }
            let noted = wire.test.storage.noted
            #expect(noted.prefix(3).allSatisfy { $0.kind == .operatorRefused && $0.cause == "operatorRequired" })
            #expect(noted.suffix(2).map(\.kind) == [.serviceRefused, .serviceRefused])
            #expect(noted.suffix(2).map(\.service) == [nil, .capture])
        }
    }

    @Test func `tell what goes on, what is over, and who stopped it`() async throws {
        try await withWire { wire in
            let use = Use(
                use: UseID(.capture, process: getpid(), number: 1),
                service: .capture,
                principal: .user(1000),
                label: "/usr/bin/booth",
                needs: [Wire.front],
                grants: [DecisionID(generation: 1)],
                purpose: "A portrait",
                since: "2026-11-30T00:00:00Z"
            )
            let capture = try wire.capture()
            _ = try await capture.call(ReportUses(uses: [use]))
            _ = try await wire.program().call(StopUse(use: use.use))
            _ = try await capture.call(ReportUses(uses: []))
            await wire.test.desk.storeNotes()
            let noted = wire.test.storage.noted
            #expect(noted.map(\.kind) == [.useBegan, .useStopped, .useEnded])
            #expect(noted.allSatisfy { $0.use == use.use && $0.principal == use.principal && $0.service == .capture })
            #expect(noted.allSatisfy { $0.needs == use.needs && $0.decisions == use.grants })
            #expect(noted.map(\.by) == [nil, .user(geteuid()), nil])
        }
    }

    @Test func `list, seal and show checkpoints`() async throws {
        try await withWire { wire in
            try await wire.decisions.audit.note((1...3).map { draft($0) })
            let client = try wire.program()
            let page = try await client.call(ListAudit(AuditFilter(), limit: 2))
            #expect(page.entries.map(\.entry.sequence.value) == [1, 2] && page.next == AuditNumber(2))
            let rest = try await client.call(ListAudit(AuditFilter(), cursor: page.next))
            #expect(rest.entries.map(\.entry.sequence.value) == [3] && rest.next == nil)
            let sealed = try #require(try await client.call(SealAudit()).checkpoint)
            #expect(sealed.checkpoint.sequence == AuditNumber(3))
            #expect(try await client.call(ListCheckpoints()).checkpoints == [sealed])
            #expect(try await client.call(ListCheckpoints(cursor: AuditNumber(1))).checkpoints.isEmpty)
            #expect(await failure { try await client.call(ListAudit(limit: 0)) }?.code == .invalidArgument)
        }
    }
}
