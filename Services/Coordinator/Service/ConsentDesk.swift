package import Consent
package import Hashing
private import Receipts

/// Records what people in front of cameras agree to, and gives them receipts.
///
/// Any task may call it; each call is one transaction.
package struct ConsentDesk: Sendable {
    private let store: ConsentStore
    private let key: SigningKey
    private let now: @Sendable () -> Moment

    /// Makes a desk.
    ///
    /// - Parameters:
    ///   - store: Where records are kept.
    ///   - key: What receipts are signed with.
    ///   - now: The wall clock.
    package init(store: ConsentStore, key: SigningKey, now: @escaping @Sendable () -> Moment) {
        self.store = store
        self.key = key
        self.now = now
    }

    /// What receipts are checked with.
    package var publicKey: VerifyingKey { key.publicKey }

    /// The time by which records stand.
    package var time: Moment { now() }

    /// Records what somebody said at first.
    ///
    /// - Throws: `ConsentRefusal`, `StorageFailure`.
    package func begin(
        _ subject: String,
        _ notice: ConsentNotice,
        isGiven: Bool,
        validUntil: Moment? = nil,
        method: String?,
        by entity: Principal
    ) async throws -> SignedReceipt {
        guard let id = ConsentRecordID(random: randomBytes(16).hexadecimal) else {
            preconditionFailure("16 bytes have 32 digits")
        }
        let record = try ConsentRecord(
            id: id,
            subject: subject,
            notice: notice,
            isGiven: isGiven,
            validUntil: validUntil,
            by: entity,
            method: method,
            at: now()
        )
        try await store.add(record)
        return receipt(of: record)
    }

    /// Records that a consent holds again, or for longer.
    ///
    /// - Throws: `ConsentRefusal`, `StorageFailure`; nothing has changed then.
    package func renew(
        _ id: ConsentRecordID,
        validUntil: Moment?,
        method: String?,
        by entity: Principal
    ) async throws -> SignedReceipt {
        let time = now()
        return receipt(
            of: try await store.change(id) { record throws(ConsentRefusal) in
                try record.renew(validUntil: validUntil, by: entity, method: method, at: time)
            }
        )
    }

    /// Records that somebody takes a consent back; only the receipt says still who.
    ///
    /// - Throws: `ConsentRefusal`, `StorageFailure`; nothing has changed then.
    package func withdraw(_ id: ConsentRecordID, method: String?, by entity: Principal) async throws -> SignedReceipt {
        let time = now()
        return receipt(
            of: try await store.change(id) { record throws(ConsentRefusal) in
                try record.withdraw(by: entity, method: method, at: time)
            }
        )
    }

    /// A receipt of a record as it is now.
    ///
    /// - Throws: `ConsentRefusal.unknownRecord`, `StorageFailure`.
    package func receipt(_ id: ConsentRecordID) async throws -> SignedReceipt {
        receipt(of: try await store.record(id))
    }

    /// The record of this name.
    ///
    /// - Throws: `ConsentRefusal.unknownRecord`, `StorageFailure`.
    package func record(_ id: ConsentRecordID) async throws -> ConsentRecord { try await store.record(id) }

    /// The records about somebody, or all of them, the oldest first.
    ///
    /// - Throws: `StorageFailure`.
    package func records(about subject: String?) async throws -> [ConsentRecord] {
        try await store.all().filter { subject == nil || $0.subject == subject }
    }

    private func receipt(of record: ConsentRecord) -> SignedReceipt {
        SignedReceipt(ConsentReceipt(of: record, at: now()), signedWith: key)
    }
}
