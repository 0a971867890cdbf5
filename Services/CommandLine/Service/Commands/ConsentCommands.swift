private import Consent
import Hashing
import MessageSchema

/// `obscura consent notice`.
struct ConsentNoticeCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "consent notice",
            "Prints an example of what somebody is told, to be filled in",
            discussion: "The fields are those of ISO/IEC TS 27560. Needs no cluster.",
            examples: [("consent notice > notice.json", "then put in who you are and what for")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        var notice = ConsentNotice(
            purpose: "Pictures for …",
            privacyNotice: "https://example.org/privacy",
            language: "en",
            piiTypes: ["image", "video"],
            controllers: [
                ConsentParty(
                    id: "controller-1",
                    name: "Example",
                    address: "1 Example Road, Berlin",
                    contact: "privacy@example.org",
                    type: "controller"
                )
            ],
            storageLocations: ["this machine"],
            retentionPeriod: "30 days",
            jurisdiction: "DE",
            recipients: [],
            withdrawalMethod: "Write to privacy@example.org, or say so where the picture was taken"
        )
        notice.lawfulBasis = "consent"
        notice.privacyRights = ["access", "rectification", "erasure", "portability"]
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(notice)
        } else {
            context.terminal.write(try ConsentParameters.pretty(notice))
        }
        return .success
    }
}

/// `obscura consent give` and `obscura consent refuse`.
struct BeginConsentCommand: Command {
    let isGiven: Bool

    private var verb: String { isGiven ? "give" : "refuse" }

    var signature: CommandSignature {
        let common: [any Parameter] = [
            ConsentParameters.subject, ConsentParameters.notice, ConsentParameters.method, ConsentParameters.output,
        ]
        return CommandSignature(
            "consent \(verb)",
            (isGiven ? "Records the consent of somebody in front of a camera" : "Records that somebody refuses")
                + ", and gives a signed receipt; an operator alone may",
            discussion:
                "The notice has to say something in purpose, privacyNotice, language, retentionPeriod, jurisdiction,\n"
                + "withdrawalMethod, piiTypes, storageLocations, and of each of the controllers in id, name, address, contact and\n"
                + "type (ISO/IEC TS 27560). What it says is yours to answer for: nobody checks that it is true.",
            parameters: common + (isGiven ? [ConsentParameters.until] : []),
            examples: [
                (
                    "consent \(verb) --subject guest-17 --notice notice.json --output receipt.json",
                    "the receipt is for the guest to keep"
                )
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let terminal = context.terminal
        let (subject, path) = (arguments[ConsentParameters.subject] ?? "", arguments[ConsentParameters.notice] ?? "")
        let until = isGiven ? arguments[ConsentParameters.until] : nil
        let method = arguments[ConsentParameters.method]
        let notice = try ConsentParameters.notice(at: path)
        let rules = CallRules().keyed(randomBytes(16).hexadecimal)
        let cluster = try context.cluster(arguments)
        try await ConsentParameters.deliver(arguments, terminal) {
            isGiven
                ? try await cluster.call(
                    GiveConsent(subject: subject, notice: notice, validUntil: until, method: method),
                    rules
                )
                : try await cluster.call(RefuseConsent(subject: subject, notice: notice, method: method), rules)
        } told: { receipt in
            guard isGiven else { return }
            await Self.tellOthers(than: receipt.receipt.record, cluster, terminal)
        }
        return .success
    }
}

extension BeginConsentCommand {
    /// Says which other records of the same subject and purpose are in force: one of them may have been meant.
    private static func tellOthers(than record: ConsentRecord, _ cluster: any Cluster, _ terminal: Terminal) async {
        var request = ListConsents(subject: record.subject)
        var others: [ConsentRecordID] = []
        repeat {
            // It is recorded; a list that does not come takes nothing of that back.
            guard let page = try? await cluster.call(request, CallRules(timeout: .seconds(2))) else { return }
            others += page.consents.filter { standing in
                standing.state.allowsProcessing && standing.record.id != record.id
                    && standing.record.notice.purpose == record.notice.purpose
            }.map(\.record.id)
            request.cursor = page.next
        } while request.cursor != nil
        guard let first = others.first else { return }
        let names = others.map(\.description).joined(separator: ", ")
        terminal.writeError(
            "Note: a consent of this subject for this purpose was in force already: \(names). Both stand now; "
                + "'obscura consent renew \(first)' would have prolonged it, and each is withdrawn by itself."
        )
    }
}

/// `obscura consent renew` and `obscura consent withdraw`.
struct ChangeConsentCommand: Command {
    let isRenewed: Bool

    var signature: CommandSignature {
        let common: [any Parameter] = [
            ConsentParameters.record, ConsentParameters.method, ConsentParameters.output,
        ]
        return CommandSignature(
            isRenewed ? "consent renew" : "consent withdraw",
            (isRenewed ? "Records that a consent holds again, or for longer" : "Records that a consent is taken back")
                + ", and gives a signed receipt; an operator alone may",
            discussion: isRenewed
                ? ""
                : "What is stored says no more who it was about. Pictures and films are not erased by this version: delete "
                    + "them and their copies yourself.",
            parameters: common + (isRenewed ? [ConsentParameters.until] : []),
            examples: [
                (
                    "consent \(isRenewed ? "renew" : "withdraw") c0123456789abcdef0123456789abcdef --output receipt.json",
                    "as 'consent list' names it"
                )
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let terminal = context.terminal
        let record = arguments.one(ConsentParameters.record)
        let until = isRenewed ? arguments[ConsentParameters.until] : nil
        let method = arguments[ConsentParameters.method]
        let rules = CallRules().keyed(randomBytes(16).hexadecimal)
        let cluster = try context.cluster(arguments)
        try await ConsentParameters.deliver(arguments, terminal) {
            isRenewed
                ? try await cluster.call(RenewConsent(record: record, validUntil: until, method: method), rules)
                : try await cluster.call(WithdrawConsent(record: record, method: method), rules)
        }
        return .success
    }
}

/// `obscura consent list`.
struct ListConsentsCommand: Command {
    private static let subject = Option("subject", "ID", "Only those about this one", as: .text)

    var signature: CommandSignature {
        CommandSignature(
            "consent list",
            "Lists consent records and how they stand; an operator alone may",
            parameters: [Self.subject],
            examples: [("consent list --subject guest-17", "what guest 17 has said")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        var request = ListConsents(subject: arguments[Self.subject])
        let cluster = try context.cluster(arguments)
        var consents: [ConsentStanding] = []
        repeat {
            let page = try await cluster.call(request)
            consents += page.consents
            request.cursor = page.next
        } while request.cursor != nil
        if arguments[CommonParameters.json] {
            for consent in consents { context.terminal.writeJSON(consent) }
            return .success
        }
        var table = TextTable("record", "state", "subject", "purpose", "until", "at")
        for consent in consents {
            let last = consent.record.events.last
            table.add(
                consent.record.id.description,
                consent.state.rawValue,
                consent.record.subject ?? "(erased)",
                consent.record.notice.purpose,
                last?.validUntil?.description,
                last?.time.description
            )
        }
        context.terminal.write(table, orSay: "no consent records")
        return .success
    }
}

/// `obscura consent show`.
struct ShowConsentCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "consent show",
            "Shows a consent record with everything that happened to it; an operator alone may",
            parameters: [ConsentParameters.record],
            examples: [
                ("consent show c0123456789abcdef0123456789abcdef", "what was said, when, and how it was recorded")
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let request = ShowConsent(record: arguments.one(ConsentParameters.record))
        let consent = try await context.cluster(arguments).call(request)
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(consent)
            return .success
        }
        context.terminal.writeLine(ConsentText.line(consent))
        var table = TextTable("at", "what", "until", "recorded by", "how")
        for event in consent.record.events {
            table.add(
                event.time.description,
                event.type.rawValue,
                event.validUntil?.description,
                event.entity?.description,
                event.method
            )
        }
        context.terminal.write(table, orSay: "nothing happened")
        return .success
    }
}

/// `obscura consent receipt`.
struct ConsentReceiptCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "consent receipt",
            "Gives a signed receipt of a consent record as it is now; an operator alone may",
            parameters: [ConsentParameters.record, ConsentParameters.output],
            examples: [("consent receipt c0123456789abcdef0123456789abcdef --output receipt.json", "for them to keep")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let request = GiveReceipt(record: arguments.one(ConsentParameters.record))
        let cluster = try context.cluster(arguments)
        try await ConsentParameters.deliver(arguments, context.terminal) { try await cluster.call(request) }
        return .success
    }
}
