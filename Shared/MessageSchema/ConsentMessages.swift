package import Consent

/// Records that somebody in front of a camera agrees; an operator alone may.
package struct GiveConsent: Request {
    package typealias Reply = SignedReceipt
    package static let name = "consent.give"
    /// Whom it is about, by a name that means something to you alone.
    package var subject: String
    package var notice: ConsentNotice
    /// When it ends by itself; it does not when absent.
    package var validUntil: Moment?
    /// How it was expressed.
    package var method: String?

    package init(subject: String, notice: ConsentNotice, validUntil: Moment? = nil, method: String? = nil) {
        self.subject = subject
        self.notice = notice
        self.validUntil = validUntil
        self.method = method
    }
}

/// Records that somebody refuses; an operator alone may.
package struct RefuseConsent: Request {
    package typealias Reply = SignedReceipt
    package static let name = "consent.refuse"
    package var subject: String
    package var notice: ConsentNotice
    package var method: String?

    package init(subject: String, notice: ConsentNotice, method: String? = nil) {
        self.subject = subject
        self.notice = notice
        self.method = method
    }
}

/// Records that a consent holds again, or for longer; an operator alone may.
package struct RenewConsent: Request {
    package typealias Reply = SignedReceipt
    package static let name = "consent.renew"
    package var record: ConsentRecordID
    package var validUntil: Moment?
    package var method: String?

    package init(record: ConsentRecordID, validUntil: Moment? = nil, method: String? = nil) {
        self.record = record
        self.validUntil = validUntil
        self.method = method
    }
}

/// Records that somebody takes a consent back; an operator alone may.
///
/// The receipt still says who; what is stored does not.
package struct WithdrawConsent: Request {
    package typealias Reply = SignedReceipt
    package static let name = "consent.withdraw"
    package var record: ConsentRecordID
    package var method: String?

    package init(record: ConsentRecordID, method: String? = nil) {
        self.record = record
        self.method = method
    }
}

/// A consent record and how it stands now.
package struct ConsentStanding: Hashable, Sendable, Codable {
    package var state: ConsentEventType
    package var record: ConsentRecord

    package init(state: ConsentEventType, record: ConsentRecord) {
        self.state = state
        self.record = record
    }
}

/// Lists consent records, the oldest first, as many as fit into a reply; an operator alone may.
package struct ListConsents: Request {
    package static let name = "consent.list"
    /// Only those about this one.
    package var subject: String?
    /// The `next` of the reply before; from the first on when absent.
    package var cursor: String?
    /// How many at most, up to 200.
    package var limit: Int?

    package init(subject: String? = nil, cursor: String? = nil, limit: Int? = nil) {
        self.subject = subject
        self.cursor = cursor
        self.limit = limit
    }

    package struct Reply: Hashable, Sendable, Codable {
        package var consents: [ConsentStanding]
        /// Where it goes on; absent when this is the end.
        package var next: String?

        package init(consents: [ConsentStanding], next: String? = nil) {
            self.consents = consents
            self.next = next
        }
    }
}

/// Shows one consent record; an operator alone may.
package struct ShowConsent: Request {
    package typealias Reply = ConsentStanding
    package static let name = "consent.show"
    package var record: ConsentRecordID

    package init(record: ConsentRecordID) { self.record = record }
}

/// Gives a receipt of a record as it is now; an operator alone may.
package struct GiveReceipt: Request {
    package typealias Reply = SignedReceipt
    package static let name = "consent.receipt"
    package var record: ConsentRecordID

    package init(record: ConsentRecordID) { self.record = record }
}

/// Asks for the key that receipts are checked with; anybody may.
package struct ReceiptKey: Request {
    package static let name = "consent.key"

    package init() {}

    package struct Reply: Hashable, Sendable, Codable {
        package var algorithm: String
        /// 64 hexadecimal digits.
        package var publicKey: String

        package init(algorithm: String, publicKey: String) {
            self.algorithm = algorithm
            self.publicKey = publicKey
        }
    }
}
