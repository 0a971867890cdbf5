/// The name of a consent record: `c` and 32 hexadecimal digits in lower case.
package struct ConsentRecordID: TextCodable {
    /// The text.
    package let description: String

    package init?(_ description: String) {
        let digits = description.dropFirst()
        guard description.first == "c", digits.utf8.count == 32,
            digits.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        self.description = description
    }

    /// A name out of 16 random bytes, in hexadecimal digits.
    package init?(random digits: String) {
        self.init("c" + digits)
    }
}

/// A party to the processing that somebody agrees to (ISO/IEC TS 27560: party identifier, name, address, contact, type).
package struct ConsentParty: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    package var address: String
    package var contact: String
    /// Such as `controller`.
    package var type: String

    /// Makes a party.
    package init(id: String, name: String, address: String, contact: String, type: String) {
        self.id = id
        self.name = name
        self.address = address
        self.contact = contact
        self.type = type
    }
}

/// What somebody in front of a camera is told, and agrees to or refuses: the processing section of ISO/IEC TS 27560.
package struct ConsentNotice: Codable, Hashable, Sendable {
    package var purpose: String
    /// The notice itself, or where it is.
    package var privacyNotice: String
    /// In which language it was given (BCP 47).
    package var language: String
    /// What is collected, such as `image` and `video`.
    package var piiTypes: [String]
    package var controllers: [ConsentParty]
    package var storageLocations: [String]
    package var retentionPeriod: String
    package var jurisdiction: String
    /// Third parties that get it; may be empty.
    package var recipients: [String]
    /// How to withdraw; it is to be as easy as to give (GDPR, article 7, paragraph 3).
    package var withdrawalMethod: String
    /// Such as `consent`.
    package var lawfulBasis: String?
    package var collectionMethod: String?
    package var processingMethod: String?
    package var processingLocation: String?
    package var privacyRights: [String]?
    /// The supervisory authority.
    package var authority: String?

    /// Makes a notice with what the standard demands.
    package init(
        purpose: String,
        privacyNotice: String,
        language: String,
        piiTypes: [String],
        controllers: [ConsentParty],
        storageLocations: [String],
        retentionPeriod: String,
        jurisdiction: String,
        recipients: [String],
        withdrawalMethod: String
    ) {
        self.purpose = purpose
        self.privacyNotice = privacyNotice
        self.language = language
        self.piiTypes = piiTypes
        self.controllers = controllers
        self.storageLocations = storageLocations
        self.retentionPeriod = retentionPeriod
        self.jurisdiction = jurisdiction
        self.recipients = recipients
        self.withdrawalMethod = withdrawalMethod
    }

    /// The fields that the standard demands and that say nothing here; empty for a notice that can be used.
    package var emptyFields: [String] {
        let texts = [
            ("purpose", purpose), ("privacyNotice", privacyNotice), ("language", language),
            ("retentionPeriod", retentionPeriod), ("jurisdiction", jurisdiction),
            ("withdrawalMethod", withdrawalMethod),
        ]
        var empty = texts.filter { Self.isBlank($0.1) }.map(\.0)
        if piiTypes.isEmpty || piiTypes.contains(where: Self.isBlank) { empty.append("piiTypes") }
        if storageLocations.isEmpty || storageLocations.contains(where: Self.isBlank) {
            empty.append("storageLocations")
        }
        let areNamed = controllers.allSatisfy { party in
            ![party.id, party.name, party.address, party.contact, party.type].contains(where: Self.isBlank)
        }
        if controllers.isEmpty || !areNamed { empty.append("controllers") }
        return empty
    }

    private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }
}

/// What has happened to a consent.
package enum ConsentEventType: String, Codable, Sendable, Hashable, CaseIterable {
    case given, refused, renewed, withdrawn, expired

    /// Whether processing may rest on it from then on.
    package var allowsProcessing: Bool { self == .given || self == .renewed }
}

/// Something that has happened to a consent (ISO/IEC TS 27560: event time, type, state, validity duration, entity).
package struct ConsentEvent: Codable, Hashable, Sendable {
    package var time: Moment
    package var type: ConsentEventType
    /// When the consent ends by itself; nil for one that does not, or that does not hold.
    package var validUntil: Moment?
    /// Who recorded it; nil for what time did.
    package var entity: Principal?
    /// How it was expressed, such as `signed form 17`.
    package var method: String?

    /// Makes an event.
    package init(time: Moment, type: ConsentEventType, validUntil: Moment?, entity: Principal?, method: String?) {
        self.time = time
        self.type = type
        self.validUntil = validUntil
        self.entity = entity
        self.method = method
    }
}

/// Why an event can not happen to a consent record.
package enum ConsentRefusal: Error, Hashable, Sendable {
    /// There is no such record.
    case unknownRecord
    /// It was refused, and a refusal stays: another agreement is another record.
    case refused
    /// It was withdrawn, and that stays.
    case withdrawn
    /// The end of its validity is no time to come.
    case alreadyOver
    /// These fields of the notice say nothing.
    case emptyFields([String])
}

/// The agreement, or the refusal, of somebody in front of a camera, with everything that happened to it.
///
/// Events are added at the end and never changed. After a withdrawal the record is a tombstone: who it was about, and how
/// it was expressed, is gone.
package struct ConsentRecord: Codable, Hashable, Sendable, Identifiable {
    /// What the record is written after.
    package static let currentSchema = "ISO/IEC TS 27560:2023 obscura/1"

    package let id: ConsentRecordID
    package let schemaVersion: String
    /// Whom it is about, by a name that means something to the controller alone; nil in a tombstone.
    package private(set) var subject: String?
    package let notice: ConsentNotice
    /// The oldest first; there is always one.
    package private(set) var events: [ConsentEvent]

    /// Records what somebody said at first: `given` or `refused`.
    ///
    /// - Throws: `emptyFields`, `alreadyOver`.
    package init(
        id: ConsentRecordID,
        subject: String,
        notice: ConsentNotice,
        isGiven: Bool,
        validUntil: Moment? = nil,
        by entity: Principal,
        method: String? = nil,
        at now: Moment
    ) throws(ConsentRefusal) {
        var empty = notice.emptyFields
        if subject.allSatisfy(\.isWhitespace) { empty.insert("subject", at: 0) }
        guard empty.isEmpty else { throw .emptyFields(empty) }
        if isGiven { try Self.check(validUntil, at: now) }
        self.id = id
        schemaVersion = Self.currentSchema
        self.subject = subject
        self.notice = notice
        events = [
            ConsentEvent(
                time: now,
                type: isGiven ? .given : .refused,
                validUntil: isGiven ? validUntil : nil,
                entity: entity,
                method: method
            )
        ]
    }

    /// What happened last, as recorded; what time has ended since then is in ``state(at:)``.
    package var state: ConsentEventType {
        guard let last = events.last else { preconditionFailure("A record begins with an event") }
        return last.type
    }

    /// How it stands at `now`.
    package func state(at now: Moment) -> ConsentEventType {
        guard state.allowsProcessing, let end = events.last?.validUntil, end <= now else { return state }
        return .expired
    }

    /// It holds again, or for longer.
    ///
    /// - Throws: `refused`, `withdrawn`, `alreadyOver`; nothing has changed then.
    package mutating func renew(
        validUntil: Moment?,
        by entity: Principal,
        method: String?,
        at now: Moment
    ) throws(ConsentRefusal) {
        try checkOpen()
        try Self.check(validUntil, at: now)
        expire(at: now)
        add(.renewed, validUntil, entity, method, now)
    }

    /// Whoever it is about takes it back.
    ///
    /// - Throws: `refused`, `withdrawn`; nothing has changed then.
    package mutating func withdraw(by entity: Principal, method: String?, at now: Moment) throws(ConsentRefusal) {
        try checkOpen()
        expire(at: now)
        add(.withdrawn, nil, entity, method, now)
    }

    /// Records that its time is over; false when it is not, or was recorded before.
    @discardableResult
    package mutating func expire(at now: Moment) -> Bool {
        guard state != .expired, state(at: now) == .expired, let end = events.last?.validUntil else { return false }
        add(.expired, nil, nil, nil, end)
        return true
    }

    /// What stays of a record that was withdrawn: nothing personal; any other one as it is.
    package var kept: ConsentRecord {
        guard state == .withdrawn else { return self }
        var tombstone = self
        tombstone.subject = nil
        for index in tombstone.events.indices { tombstone.events[index].method = nil }
        return tombstone
    }

    private mutating func add(
        _ type: ConsentEventType,
        _ validUntil: Moment?,
        _ entity: Principal?,
        _ method: String?,
        _ now: Moment
    ) {
        // A clock that was set back does not put the end before the beginning.
        let time = events.last.map { max($0.time, now) } ?? now
        events.append(
            ConsentEvent(time: time, type: type, validUntil: validUntil, entity: entity, method: method)
        )
    }

    private func checkOpen() throws(ConsentRefusal) {
        switch state {
        case .refused: throw .refused
        case .withdrawn: throw .withdrawn
        case .given, .renewed, .expired: return
        }
    }

    private static func check(_ validUntil: Moment?, at now: Moment) throws(ConsentRefusal) {
        if let validUntil, validUntil <= now { throw .alreadyOver }
    }
}
