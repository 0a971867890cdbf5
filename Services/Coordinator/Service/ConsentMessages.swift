import Consent
private import Hashing
import MessageSchema
package import Messaging
private import Receipts

/// Puts the messages about consent records onto the coordinator's server.
package struct ConsentMessages: Sendable {
    /// The longest text in a record, in bytes.
    package static let textLimit = 4_096
    /// The longest that all texts of one request are together, so that a record fits into a reply.
    package static let totalLimit = 65_536
    /// The longest list in a record.
    package static let listLimit = 64

    private let desk: ConsentDesk
    private let operatorsOnly: CallerRule

    /// Makes the adapter; `operatorsOnly` refuses everybody else, and logs it.
    package init(desk: ConsentDesk, operatorsOnly: CallerRule) {
        self.desk = desk
        self.operatorsOnly = operatorsOnly
    }

    /// Registers every message; the server must not have been started.
    package func register(on server: MessageServer) async {
        await registerChanges(server)
        await server.register(ListConsents.self, access: operatorsOnly) { [desk] request, _ in
            guard let number = Int64(request.cursor ?? "0") else {
                throw ErrorReply.invalidParameter("cursor", "the next of a reply")
            }
            let limit = request.limit ?? ConsentStore.pageCount
            guard limit > 0 else { throw ErrorReply.invalidParameter("limit", "at least 1") }
            return try await answering {
                let page = try await desk.page(
                    about: request.subject,
                    after: number,
                    count: min(limit, ConsentStore.pageCount)
                )
                let time = desk.time
                return ListConsents.Reply(
                    consents: page.records.map { ConsentStanding(state: $0.state(at: time), record: $0) },
                    next: page.next.map { String($0) }
                )
            }
        }
        await server.register(ShowConsent.self, access: operatorsOnly) { [desk] request, _ in
            try await answering {
                let record = try await desk.record(request.record)
                return ConsentStanding(state: record.state(at: desk.time), record: record)
            }
        }
        await server.register(GiveReceipt.self, access: operatorsOnly) { [desk] request, _ in
            try await answering { try await desk.receipt(request.record) }
        }
        await server.register(ReceiptKey.self) { [desk] _, _ in
            ReceiptKey.Reply(algorithm: SignedReceipt.algorithm, publicKey: desk.publicKey.description)
        }
    }

    private func registerChanges(_ server: MessageServer) async {
        await server.register(GiveConsent.self, access: operatorsOnly, remembersReplies: true) { [desk] request, call in
            try check([request.subject, request.method], request.notice)
            return try await answering {
                try await desk.begin(
                    request.subject,
                    request.notice,
                    isGiven: true,
                    validUntil: request.validUntil,
                    method: request.method,
                    by: call.principal,
                    for: try key(request, call)
                )
            }
        }
        await server.register(RefuseConsent.self, access: operatorsOnly, remembersReplies: true) {
            [desk] request, call in
            try check([request.subject, request.method], request.notice)
            return try await answering {
                try await desk.begin(
                    request.subject,
                    request.notice,
                    isGiven: false,
                    method: request.method,
                    by: call.principal,
                    for: try key(request, call)
                )
            }
        }
        await server.register(RenewConsent.self, access: operatorsOnly, remembersReplies: true) {
            [desk] request, call in
            try check([request.method], nil)
            return try await answering {
                try await desk.renew(
                    request.record,
                    validUntil: request.validUntil,
                    method: request.method,
                    by: call.principal,
                    for: try key(request, call)
                )
            }
        }
        await server.register(WithdrawConsent.self, access: operatorsOnly, remembersReplies: true) {
            [desk] request, call in
            try check([request.method], nil)
            return try await answering {
                try await desk.withdraw(
                    request.record,
                    method: request.method,
                    by: call.principal,
                    for: try key(request, call)
                )
            }
        }
    }

    /// The key that a caller gave, for the database: the server's memory of replies ends with the process.
    private func key<R: Request>(_ request: R, _ call: Call) throws -> ConsentKey? {
        try call.idempotencyKey.map { try desk.requestKey($0, of: request, named: R.name, by: call.principal) }
    }

    /// Refuses texts and lists that are longer than anybody reads.
    private func check(_ texts: [String?], _ notice: ConsentNotice?) throws(ErrorReply) {
        var all = texts.compactMap(\.self)
        var lists: [Int] = []
        if let notice {
            let parties = notice.controllers.flatMap { [$0.id, $0.name, $0.address, $0.contact, $0.type] }
            all += [
                notice.purpose, notice.privacyNotice, notice.language, notice.retentionPeriod, notice.jurisdiction,
                notice.withdrawalMethod,
            ]
            all += [
                notice.lawfulBasis, notice.collectionMethod, notice.processingMethod, notice.processingLocation,
                notice.authority,
            ].compactMap(\.self)
            all +=
                parties + notice.piiTypes + notice.storageLocations + notice.recipients + (notice.privacyRights ?? [])
            lists = [
                notice.controllers.count, notice.piiTypes.count, notice.storageLocations.count, notice.recipients.count,
                notice.privacyRights?.count ?? 0,
            ]
        }
        guard all.allSatisfy({ $0.utf8.count <= Self.textLimit }), lists.allSatisfy({ $0 <= Self.listLimit }) else {
            throw .invalidParameter("each text", "of at most \(Self.textLimit) bytes, each list of \(Self.listLimit)")
        }
        guard all.reduce(0, { $0 + $1.utf8.count }) <= Self.totalLimit else {
            throw .invalidParameter("all texts together", "of at most \(Self.totalLimit) bytes")
        }
    }

    private func answering<Reply>(_ body: () async throws -> Reply) async throws -> Reply {
        do {
            return try await body()
        } catch let refusal as ConsentRefusal {
            throw ErrorReply.refusal(refusal)
        } catch let error as StorageFailure {
            throw ErrorReply.consentNotStored(error)
        }
    }
}

extension ErrorReply {
    /// What an operator is told whose change of a consent record was refused.
    static func refusal(_ refusal: ConsentRefusal) -> ErrorReply {
        switch refusal {
        case .unknownRecord:
            ErrorReply(
                .invalidArgument,
                "There is no such consent record",
                recoverySuggestion: "`obscura consent list` lists them.",
                cause: "noSuchRecord",
                parameters: ["parameter": "record"]
            )
        case .refused:
            ErrorReply(
                .invalidArgument,
                "The consent was refused",
                reason: "A refusal stays as it is.",
                recoverySuggestion: "Record another agreement as a new one: `obscura consent give`.",
                cause: "refused",
                parameters: ["parameter": "record"]
            )
        case .withdrawn:
            ErrorReply(
                .invalidArgument,
                "The consent was withdrawn",
                reason: "A withdrawal stays as it is.",
                recoverySuggestion: "Record another agreement as a new one: `obscura consent give`.",
                cause: "withdrawn",
                parameters: ["parameter": "record"]
            )
        case .alreadyOver:
            ErrorReply(
                .invalidArgument,
                "The validity is already over",
                recoverySuggestion: "Give a time that is still to come.",
                parameters: ["parameter": "validUntil"]
            )
        case .emptyFields(let fields):
            ErrorReply(
                .invalidArgument,
                "The record says too little",
                reason: "ISO/IEC TS 27560 demands something in: \(fields.joined(separator: ", ")).",
                recoverySuggestion: "`obscura consent notice` prints an example to fill in.",
                cause: "emptyFields",
                parameters: ["parameter": fields.joined(separator: ",")]
            )
        }
    }

    /// What an operator is told whose record did not reach the disk.
    static func consentNotStored(_ failure: StorageFailure) -> ErrorReply {
        ErrorReply(
            failure.isDiskFull ? .diskFull : .inputOutput,
            "The consent record could not be stored or read",
            reason: "The coordinator's database: \(failure.text).",
            recoverySuggestion: "Nothing was changed. Make room on its disk and repeat the command.",
            cause: "notStored"
        )
    }
}
