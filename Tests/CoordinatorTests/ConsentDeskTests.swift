import Consent
import CoordinatorService
import Files
import FoundationEssentials
import Hashing
import MessageSchema
import Messaging
import Receipts
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The consent desk` {
    private static let start = Moment(milliseconds: 1_796_000_000_000)
    private static let entity = Principal.user(0)

    /// A desk over a real database.
    private final class Setup: Sendable {
        let decisions: DecisionStore
        let desk: ConsentDesk
        let key: SigningKey

        init(in path: String) throws {
            decisions = try DecisionStore(in: path)
            key = try ReceiptSeal.key(in: path)
            desk = ConsentDesk(store: ConsentStore(in: decisions), key: key) { [clock = Clock()] in clock.now }
        }
    }

    /// Stands still, a second later at each look.
    private final class Clock: Sendable {
        private let looks = Mutex<Int64>(0)

        var now: Moment {
            looks.withLock { looks in
                looks += 1
                return Moment(milliseconds: `The consent desk`.start.milliseconds + looks * 1_000)
            }
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

    private func withDesk(_ body: (ConsentDesk, String, SigningKey) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            let setup = try Setup(in: path)
            try await body(setup.desk, path, setup.key)
            await setup.decisions.close()
        }
    }

    private func document(_ receipt: SignedReceipt) throws -> [UInt8] { Array(try JSONEncoder().encode(receipt)) }

    @Test func `gives receipts that verify, for giving, refusing, renewing and withdrawing`() async throws {
        try await withDesk { desk, _, key in
            let given = try await desk.begin("guest-17", Self.notice, isGiven: true, method: "form", by: Self.entity)
            let id = given.receipt.record.id
            let refused = try await desk.begin("guest-18", Self.notice, isGiven: false, method: nil, by: Self.entity)
            let renewed = try await desk.renew(id, validUntil: nil, method: nil, by: Self.entity)
            let withdrawn = try await desk.withdraw(id, method: "by word", by: Self.entity)
            let all = [given, refused, renewed, withdrawn]
            #expect(all.map(\.receipt.state) == [.given, .refused, .renewed, .withdrawn])
            for receipt in all {
                #expect(try VerifiedReceipt(checking: document(receipt), against: key.publicKey).key == key.publicKey)
            }
            #expect(withdrawn.receipt.record.subject == "guest-17", "whoever withdraws has a receipt that says so")
        }
    }

    @Test func `keeps nothing personal of what was withdrawn`() async throws {
        try await withDesk { desk, _, _ in
            let subject = "somebody-who-was-here"
            let given = try await desk.begin(subject, Self.notice, isGiven: true, method: "form-4711", by: Self.entity)
            let id = given.receipt.record.id
            _ = try await desk.withdraw(id, method: "phone-4712", by: Self.entity)
            let record = try await desk.record(id)
            #expect(record.state == .withdrawn && record.subject == nil && record.events.map(\.method) == [nil, nil])
            #expect(try await desk.page(about: subject).records.isEmpty)
            let receipt = try await desk.receipt(id)
            #expect(receipt.receipt.record.subject == nil && receipt.receipt.state == .withdrawn)
            #expect(try VerifiedReceipt(checking: document(receipt)).key == desk.publicKey)
        }
    }

    /// Whether some file of the data directory has these bytes.
    private func isFound(_ text: String, in path: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: path).contains { name in
            try Data(contentsOf: URL(filePath: "\(path)/\(name)")).firstRange(of: Data(text.utf8)) != nil
        }
    }

    @Test func `leaves nothing of what was withdrawn in any file, not in free space and not in the log`() async throws {
        try await withDesk { desk, path, _ in
            // Long enough to lie on pages of its own, and in the midst of others.
            let long = "somebody-with-a-name-" + String(repeating: "of many letters ", count: 200)
            let subjects = [long, "somebody-who-was-here"]
            var ids: [ConsentRecordID] = []
            for subject in subjects + ["another-guest"] {
                let key = try desk.requestKey("\(ids.count)", of: [subject], named: "consent.give", by: Self.entity)
                let given = try await desk.begin(
                    subject,
                    Self.notice,
                    isGiven: true,
                    method: "form of \(subject)",
                    by: Self.entity,
                    for: key
                )
                ids.append(given.receipt.record.id)
            }
            for subject in subjects { #expect(try isFound(subject, in: path)) }
            for id in ids.prefix(2) { _ = try await desk.withdraw(id, method: "phone-4712", by: Self.entity) }
            for text in ["somebody-with-a-name", "of many letters", "somebody-who-was-here", "phone-4712"] {
                #expect(try !isFound(text, in: path), "\(text)")
            }
            #expect(try isFound("another-guest", in: path))
        }
    }

    /// The tables of version 3, with what the later versions do not change.
    private static let version3 = """
        CREATE TABLE decision (
            id TEXT PRIMARY KEY, principal TEXT NOT NULL, label TEXT, resource TEXT NOT NULL, access TEXT NOT NULL,
            verdict TEXT NOT NULL CHECK (verdict IN ('allowed', 'denied')), lifespan TEXT NOT NULL,
            decided_us INTEGER NOT NULL, decided_by TEXT NOT NULL, generation INTEGER NOT NULL, redeemed_by TEXT,
            used_us INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE counter (only INTEGER PRIMARY KEY CHECK (only = 1), generation INTEGER NOT NULL) STRICT;
        INSERT INTO counter VALUES (1, 0);
        CREATE TABLE switched_off (resource TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE consent (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL) STRICT;
        PRAGMA application_id = 0x4f425343;
        PRAGMA user_version = 3;
        """

    /// Writes a database as version 3 left it.
    private func writeVersion3(_ records: [ConsentRecord], in path: String) throws {
        let connection = try Connection(opening: "\(path)/\(DecisionStore.fileName)")
        try connection.execute(Self.version3)
        for record in records {
            try connection.run(
                "INSERT INTO consent (id, document) VALUES (?, ?)",
                record.id.description,
                String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
            )
        }
    }

    @Test func `finds records of the version before by whom they are about`() async throws {
        try await withTemporaryDirectory { path in
            var records: [ConsentRecord] = []
            for subject in ["g", "h \"é\""] {
                let id = try #require(ConsentRecordID(random: randomBytes(16).hexadecimal))
                records.append(
                    try ConsentRecord(
                        id: id,
                        subject: subject,
                        notice: Self.notice,
                        isGiven: true,
                        by: Self.entity,
                        at: Self.start
                    )
                )
            }
            try records[0].withdraw(by: Self.entity, method: nil, at: Self.start)
            try writeVersion3([records[0].kept, records[1]], in: path)
            let setup = try Setup(in: path)
            #expect(try await setup.desk.page(about: "g").records.isEmpty)
            #expect(try await setup.desk.page(about: "h \"é\"").records == [records[1]])
            #expect(try await setup.desk.page(about: nil).records.count == 2)
            await setup.decisions.close()
        }
    }

    @Test func `lists in pages, of all or of one, each record once`() async throws {
        try await withDesk { desk, _, _ in
            var notice = Self.notice
            notice.purpose = String(repeating: "\"", count: 4_096)
            for number in 0..<240 {
                let subject = number % 3 == 0 ? "regular" : "guest-\(number)"
                _ = try await desk.begin(subject, notice, isGiven: true, method: nil, by: Self.entity)
            }
            let cases: [(String?, Int)] = [(nil, 240), ("regular", 80), ("nobody", 0)]
            for (subject, count) in cases {
                var found: [ConsentRecord] = []
                var next: Int64? = 0
                while let number = next {
                    let page = try await desk.page(about: subject, after: number)
                    let reply = ListConsents.Reply(
                        consents: page.records.map { ConsentStanding(state: .given, record: $0) }
                    )
                    #expect(try JSONEncoder().encode(reply).count < Limits.bodyBytes)
                    #expect(page.records.count <= ConsentStore.pageCount)
                    found += page.records
                    next = page.next
                }
                #expect(found.count == count && Set(found.map(\.id)).count == count)
                #expect(found.allSatisfy { subject == nil || $0.subject == subject })
            }
        }
    }

    @Test func `does once what was asked again with its key after the process ended`() async throws {
        try await withTemporaryDirectory { path in
            /// Asks in a process of its own, as it were.
            func ask(_ body: (ConsentDesk) async throws -> SignedReceipt) async throws -> SignedReceipt {
                let setup = try Setup(in: path)
                do {
                    let receipt = try await body(setup.desk)
                    await setup.decisions.close()
                    return receipt
                } catch {
                    await setup.decisions.close()
                    throw error
                }
            }
            func begin(_ subject: String) async throws -> SignedReceipt {
                try await ask { desk in
                    let key = try desk.requestKey("k", of: [subject], named: "consent.give", by: Self.entity)
                    return try await desk.begin(
                        subject,
                        Self.notice,
                        isGiven: true,
                        method: nil,
                        by: Self.entity,
                        for: key
                    )
                }
            }
            let id = try await begin("g").receipt.record.id
            #expect(try await begin("g").receipt.record.id == id)
            let conflict = await failure { try await begin("h") }
            #expect(conflict?.code == .idempotencyConflict)
            func withdraw() async throws -> SignedReceipt {
                try await ask { desk in
                    let key = try desk.requestKey("k", of: [id], named: "consent.withdraw", by: Self.entity)
                    return try await desk.withdraw(id, method: nil, by: Self.entity, for: key)
                }
            }
            #expect(try await withdraw().receipt.record.subject == "g")
            let again = try await withdraw()
            #expect(again.receipt.state == .withdrawn && again.receipt.record.subject == nil)
            #expect(try await begin("g").receipt.record.id == id, "it is not given anew")
            let other = try await ask { desk in
                let key = try desk.requestKey("k", of: ["h"], named: "consent.give", by: .user(7))
                return try await desk.begin("h", Self.notice, isGiven: true, method: nil, by: .user(7), for: key)
            }
            #expect(other.receipt.record.id != id, "a key is its principal's")
        }
    }

    @Test func `refuses what the record does not allow, and changes nothing`() async throws {
        try await withDesk { desk, _, _ in
            let refused = try await desk.begin("g", Self.notice, isGiven: false, method: nil, by: Self.entity)
            let id = refused.receipt.record.id
            await #expect(throws: ConsentRefusal.refused) {
                try await desk.withdraw(id, method: nil, by: Self.entity)
            }
            let unknown = try #require(ConsentRecordID(random: String(repeating: "00", count: 16)))
            await #expect(throws: ConsentRefusal.unknownRecord) {
                try await desk.renew(unknown, validUntil: nil, method: nil, by: Self.entity)
            }
            await #expect(throws: ConsentRefusal.unknownRecord) { try await desk.record(unknown) }
            #expect(try await desk.record(id) == refused.receipt.record)
        }
    }

    @Test func `has its records and its key after a restart`() async throws {
        try await withTemporaryDirectory { path in
            let first = try Setup(in: path)
            let given = try await first.desk.begin("g", Self.notice, isGiven: true, method: nil, by: Self.entity)
            await first.decisions.close()
            let second = try Setup(in: path)
            #expect(second.key.publicKey == first.key.publicKey)
            #expect(try await second.desk.page(about: "g").records == [given.receipt.record])
            await second.decisions.close()
            let status = try FileDescriptor(opening: "\(path)/\(ReceiptSeal.fileName)", [.read]).status()
            #expect(status.permissions == 0o600)
            try Directory(opening: path).writeAtomically(Array("no key".utf8), to: ReceiptSeal.fileName)
            #expect(throws: ErrorReply.self) { try ReceiptSeal.key(in: path) }
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Consent on the wire` {
    private func notice() throws -> ConsentNotice {
        let party = ConsentParty(id: "1", name: "n", address: "a", contact: "c", type: "controller")
        return ConsentNotice(
            purpose: "p",
            privacyNotice: "n",
            language: "en",
            piiTypes: ["image"],
            controllers: [party],
            storageLocations: ["here"],
            retentionPeriod: "a year",
            jurisdiction: "DE",
            recipients: [],
            withdrawalMethod: "by word"
        )
    }

    @Test func `an operator records, lists, shows and withdraws`() async throws {
        try await withWire { wire in
            let client = try wire.program()
            let until = Moment(milliseconds: DeskUnderTest.start + 60_000)
            let give = GiveConsent(subject: "g", notice: try notice(), validUntil: until, method: "form")
            let receipt = try await client.call(give)
            let id = receipt.receipt.record.id
            #expect(receipt.receipt.record.events.first?.entity != nil)
            #expect(try await client.call(ReceiptKey()).publicKey == receipt.publicKey)
            #expect(try await client.call(ShowConsent(record: id)).state == .given)
            wire.consentClock.set(until)
            #expect(try await client.call(ListConsents(subject: "g")).consents.map(\.state) == [.expired])
            #expect(try await client.call(RenewConsent(record: id)).receipt.state == .renewed)
            #expect(try await client.call(WithdrawConsent(record: id)).receipt.state == .withdrawn)
            let error = await failure { try await client.call(WithdrawConsent(record: id)) }
            #expect(error?.code == .invalidArgument && error?.cause == "withdrawn")
            #expect(try await client.call(GiveReceipt(record: id)).receipt.record.subject == nil)
        }
    }

    @Test func `a repeated request with the same key records once`() async throws {
        try await withWire { wire in
            let client = try wire.program()
            let give = GiveConsent(subject: "g", notice: try notice())
            let options = CallOptions(idempotencyKey: "once-4711")
            let first = try await client.call(give, options)
            #expect(try await client.call(give, options) == first)
            #expect(try await client.call(ListConsents()).consents.count == 1)
            _ = try await client.call(GiveConsent(subject: "h", notice: try notice()))
            let page = try await client.call(ListConsents(limit: 1))
            #expect(page.consents.map(\.record.subject) == ["g"])
            let next = try #require(page.next)
            let rest = try await client.call(ListConsents(cursor: next, limit: 1))
            #expect(rest.consents.map(\.record.subject) == ["h"] && rest.next == nil)
            #expect(await failure { try await client.call(ListConsents(cursor: "x")) }?.code == .invalidArgument)
            #expect(await failure { try await client.call(ListConsents(limit: 0)) }?.code == .invalidArgument)
        }
    }

    @Test func `a program records nothing, sees nothing, and gets the key`() async throws {
        try await withWire { wire in
            wire.speaksForPerson.withLock { $0 = false }
            let program = try wire.program()
            let id = try #require(ConsentRecordID(random: String(repeating: "00", count: 16)))
            let give = GiveConsent(subject: "g", notice: try notice())
            let refuse = RefuseConsent(subject: "g", notice: try notice())
            var codes = [await failure { try await program.call(give) }?.code]
            codes.append(await failure { try await program.call(refuse) }?.code)
            codes.append(await failure { try await program.call(RenewConsent(record: id)) }?.code)
            codes.append(await failure { try await program.call(WithdrawConsent(record: id)) }?.code)
            codes.append(await failure { try await program.call(ListConsents()) }?.code)
            codes.append(await failure { try await program.call(ShowConsent(record: id)) }?.code)
            codes.append(await failure { try await program.call(GiveReceipt(record: id)) }?.code)
            #expect(codes.count == 7 && codes.allSatisfy { $0 == .operatorRequired })
            #expect(try await program.call(ReceiptKey()).publicKey.utf8.count == 64)
        }
    }

    @Test func `a notice that says too little, and one that says too much, are refused`() async throws {
        try await withWire { wire in
            let client = try wire.program()
            var empty = try notice()
            empty.jurisdiction = ""
            let error = await failure { try await client.call(GiveConsent(subject: "g", notice: empty)) }
            #expect(error?.cause == "emptyFields" && error?.reason?.contains("jurisdiction") == true)
            var long = try notice()
            long.purpose = String(repeating: "x", count: ConsentMessages.textLimit + 1)
            let refused = await failure { try await client.call(GiveConsent(subject: "g", notice: long)) }
            #expect(refused?.code == .invalidArgument && refused?.cause == nil)
            #expect(try await client.call(ListConsents()).consents.isEmpty)
        }
    }
}
