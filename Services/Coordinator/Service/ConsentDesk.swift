package import Consent
private import FoundationEssentials
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

    /// The key under which a request is remembered; nothing but this coordinator can tell from it what was asked.
    ///
    /// - Throws: `EncodingError`.
    package func requestKey(
        _ key: String,
        of request: some Encodable,
        named name: String,
        by principal: Principal
    ) throws -> ConsentKey {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let body = Array(try encoder.encode(request))
        let hash = SHA256Digest(hashing: self.key.seed + body)
        return ConsentKey(principal: principal, name: name, key: key, request: hash, time: now())
    }

    /// Records what somebody said at first; a request that was answered before gets a receipt of its record as it is now.
    ///
    /// - Throws: `ConsentRefusal`, `StorageFailure`, `ErrorReply` `idempotencyConflict`.
    package func begin(
        _ subject: String,
        _ notice: ConsentNotice,
        isGiven: Bool,
        validUntil: Moment? = nil,
        method: String?,
        by entity: Principal,
        for key: ConsentKey? = nil
    ) async throws -> SignedReceipt {
        guard let id = ConsentRecordID(random: randomBytes(16).hexadecimal) else {
            preconditionFailure("16 bytes have 32 digits")
        }
        let time = now()
        return receipt(
            of: try await store.add(for: key) { () throws(ConsentRefusal) in
                try ConsentRecord(
                    id: id,
                    subject: subject,
                    notice: notice,
                    isGiven: isGiven,
                    validUntil: validUntil,
                    by: entity,
                    method: method,
                    at: time
                )
            }
        )
    }

    /// Records that a consent holds again, or for longer.
    ///
    /// - Throws: `ConsentRefusal`, `StorageFailure`, `ErrorReply` `idempotencyConflict`; nothing has changed then.
    package func renew(
        _ id: ConsentRecordID,
        validUntil: Moment?,
        method: String?,
        by entity: Principal,
        for key: ConsentKey? = nil
    ) async throws -> SignedReceipt {
        let time = now()
        return receipt(
            of: try await store.change(id, for: key) { record throws(ConsentRefusal) in
                try record.renew(validUntil: validUntil, by: entity, method: method, at: time)
            }
        )
    }

    /// Records that somebody takes a consent back; only the receipt says still who.
    ///
    /// - Throws: `ConsentRefusal`, `StorageFailure`, `ErrorReply` `idempotencyConflict`; nothing has changed then.
    package func withdraw(
        _ id: ConsentRecordID,
        method: String?,
        by entity: Principal,
        for key: ConsentKey? = nil
    ) async throws -> SignedReceipt {
        let time = now()
        return receipt(
            of: try await store.change(id, for: key) { record throws(ConsentRefusal) in
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

    /// Records about somebody, or any, the oldest first, and the number behind which it goes on; nil at the end.
    ///
    /// - Throws: `StorageFailure`.
    package func page(
        about subject: String?,
        after number: Int64 = 0,
        count: Int = ConsentStore.pageCount
    ) async throws -> (records: [ConsentRecord], next: Int64?) {
        try await store.page(about: subject, after: number, count: count)
    }

    private func receipt(of record: ConsentRecord) -> SignedReceipt {
        SignedReceipt(ConsentReceipt(of: record, at: now()), signedWith: key)
    }
}
