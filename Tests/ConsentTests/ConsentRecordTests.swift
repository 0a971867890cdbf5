import Consent
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A consent record` {
    enum State: CaseIterable {
        case given, refused, renewed, withdrawn, overdue, expired
    }

    enum Event: CaseIterable {
        case renew, withdraw, expire
    }

    static let end = time(100)
    static let entity = Principal.user(0)

    static func time(_ seconds: Int64) -> Moment { Moment(milliseconds: 1_796_000_000_000 + seconds * 1_000) }

    static func notice(_ change: (inout ConsentNotice) -> Void = { _ in }) -> ConsentNotice {
        let party = ConsentParty(id: "o", name: "n", address: "a", contact: "c", type: "controller")
        var notice = ConsentNotice(
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
        change(&notice)
        return notice
    }

    static func record(
        given isGiven: Bool = true,
        until validUntil: Moment? = end,
        _ notice: ConsentNotice = notice(),
        subject: String = "guest 17"
    ) throws -> ConsentRecord {
        try ConsentRecord(
            id: try #require(ConsentRecordID(random: String(repeating: "07", count: 16))),
            subject: subject,
            notice: notice,
            isGiven: isGiven,
            validUntil: validUntil,
            by: entity,
            method: "a signed form",
            at: time(0)
        )
    }

    static func record(in state: State) throws -> ConsentRecord {
        var record = try record(given: state != .refused)
        switch state {
        case .given, .refused, .overdue: break
        case .renewed: try record.renew(validUntil: time(200), by: entity, method: nil, at: time(1))
        case .withdrawn: try record.withdraw(by: entity, method: nil, at: time(1))
        case .expired: record.expire(at: time(150))
        }
        return record
    }

    /// What the last event is, and whether it is refused; written from the rules, not from the code.
    static func expectation(_ state: State, _ event: Event) -> (type: ConsentEventType, refusal: ConsentRefusal?) {
        switch (state, event) {
        case (.refused, .renew), (.refused, .withdraw): (.refused, .refused)
        case (.withdrawn, .renew), (.withdrawn, .withdraw): (.withdrawn, .withdrawn)
        case (.refused, .expire): (.refused, nil)
        case (.withdrawn, .expire): (.withdrawn, nil)
        case (.renewed, .expire): (.renewed, nil)
        case (.given, .expire): (.given, nil)
        case (_, .renew): (.renewed, nil)
        case (_, .withdraw): (.withdrawn, nil)
        case (.overdue, .expire), (.expired, .expire): (.expired, nil)
        }
    }

    @Test(arguments: State.allCases, Event.allCases)
    func `every event in every state leads where the rules say`(state: State, event: Event) throws {
        var record = try Self.record(in: state)
        let before = record
        let now = Self.time([.overdue, .expired].contains(state) ? 150 : 50)
        var refusal: ConsentRefusal?
        do throws(ConsentRefusal) {
            switch event {
            case .renew: try record.renew(validUntil: Self.time(500), by: Self.entity, method: "by word", at: now)
            case .withdraw: try record.withdraw(by: Self.entity, method: "by word", at: now)
            case .expire: record.expire(at: now)
            }
        } catch {
            refusal = error
        }
        let expected = Self.expectation(state, event)
        #expect(record.state == expected.type && refusal == expected.refusal)
        #expect(Array(record.events.prefix(before.events.count)) == before.events, "events are added, never changed")
        if refusal != nil { #expect(record == before) }
        #expect(zip(record.events, record.events.dropFirst()).allSatisfy { $0.time <= $1.time })
        if state == .overdue { #expect(record.events[1].type == .expired && record.events[1].time == Self.end) }
    }

    @Test func `is over at its end, before anybody has recorded that`() throws {
        let record = try Self.record()
        #expect(record.state(at: Self.time(99)) == .given && record.state(at: Self.end) == .expired)
        #expect(try Self.record(until: nil).state(at: Self.time(1_000_000_000)) == .given)
    }

    @Test func `that was withdrawn keeps nothing personal`() throws {
        let kept = try Self.record(in: .withdrawn).kept
        #expect(kept.subject == nil && kept.events.map(\.method) == [nil, nil])
        #expect(kept.events.map(\.type) == [.given, .withdrawn])
        let given = try Self.record(in: .given)
        #expect(given.kept == given)
    }

    @Test func `does not end before it began, though the clock was set back`() throws {
        var record = try Self.record()
        try record.withdraw(by: Self.entity, method: nil, at: Self.time(-500))
        #expect(record.events.last?.time == Self.time(0))
    }

    @Test func `names each field that the standard demands and that says nothing`() {
        let notice = Self.notice { notice in
            notice.purpose = " "
            notice.piiTypes = []
            notice.controllers[0].contact = ""
        }
        #expect(throws: ConsentRefusal.emptyFields(["subject", "purpose", "piiTypes", "controllers"])) {
            try Self.record(notice, subject: "")
        }
        #expect(throws: ConsentRefusal.alreadyOver) { try Self.record(until: Self.time(0)) }
    }

    @Test(arguments: ["", "c", "x07070707070707070707070707070707", "c0707070707070707070707070707070G", "c07"])
    func `has a name of a certain form`(text: String) {
        #expect(ConsentRecordID(text) == nil)
    }
}
