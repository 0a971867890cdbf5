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
            #expect(try await desk.records(about: subject).isEmpty)
            let receipt = try await desk.receipt(id)
            #expect(receipt.receipt.record.subject == nil && receipt.receipt.state == .withdrawn)
            #expect(try VerifiedReceipt(checking: document(receipt)).key == desk.publicKey)
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
            #expect(try await second.desk.records(about: "g") == [given.receipt.record])
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
