import Consent
private import Files
import FoundationEssentials
import MessageSchema

/// The options of the `consent` verbs.
enum ConsentParameters {
    static let record = Positional(
        "RECORD",
        "As 'consent list' names it",
        as: ValueReader<ConsentRecordID>.written("the name of a consent record: c and 32 hexadecimal digits")
    )
    static let subject = Option(
        "subject",
        "ID",
        "Whom it is about, by a name that means something to you alone; not their name",
        isRequired: true,
        as: .name
    )
    static let notice = Option(
        "notice",
        "FILE",
        "What they were told: JSON as 'consent notice' prints it",
        isRequired: true,
        as: .text
    )
    static let until = Option(
        "until",
        "RFC3339",
        "When the consent ends by itself (default: it does not)",
        as: ValueReader<Moment>.written("a time such as 2027-11-30T00:00:00Z")
    )
    static let method = Option("method", "TEXT", "How it was expressed, such as 'signed form 17'", as: .text)
    static let output = Option("output", "FILE", "Write the signed receipt there; - is standard output", as: .text)

    /// Reads what somebody was told.
    static func notice(at path: String) throws -> ConsentNotice {
        let bytes: [UInt8]
        do throws(FilesError) {
            bytes = try FileDescriptor(opening: path, [.read]).readAll(limit: 1 << 20)
        } catch {
            throw ErrorReply.cannotRead(path, error)
        }
        do {
            return try JSONDecoder().decode(ConsentNotice.self, from: Data(bytes))
        } catch {
            throw ErrorReply(
                .invalidData,
                "This is no notice",
                reason: "\(path): \(words(error))",
                recoverySuggestion: "'obscura consent notice' prints an example to fill in."
            )
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\"\((context.codingPath + [key]).map(\.stringValue).joined(separator: "."))\" is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "\"\(context.codingPath.map(\.stringValue).joined(separator: "."))\" is of another type than it has to be"
        default: "it is no JSON"
        }
    }

    /// Has something recorded, prints its receipt, and writes it where the user wants it.
    ///
    /// The file is opened first, so that nothing is recorded whose receipt has no place to go.
    ///
    /// - Throws: What `record` throws; when the receipt can not be written, an error that names what was recorded.
    static func deliver(
        _ arguments: Arguments,
        _ terminal: Terminal,
        _ record: () async throws -> SignedReceipt,
        told: (SignedReceipt) async -> Void = { _ in }
    ) async throws {
        let target = try arguments[output].map { try OutputTarget($0, arguments, terminal) }
        let file = try target?.open()
        let receipt: SignedReceipt
        do {
            receipt = try await record()
        } catch {
            await file?.discard()
            throw error
        }
        if let file {
            do throws(ErrorReply) {
                try await file.write(bytes(receipt))
                try await file.commit()
            } catch {
                await file.discard()
                throw error.telling(of: receipt)
            }
        }
        await told(receipt)
        if arguments[CommonParameters.json] { return terminal.writeJSON(receipt) }
        let standing = ConsentStanding(state: receipt.receipt.state, record: receipt.receipt.record)
        if let target {
            target.tell(ConsentText.line(standing))
        } else {
            terminal.writeLine(ConsentText.line(standing))
        }
    }

    private static func bytes(_ receipt: SignedReceipt) throws(ErrorReply) -> [UInt8] {
        do { return try pretty(receipt) } catch { throw ErrorReply(.internalFault, "The receipt can not be written") }
    }

    /// JSON that a person can read.
    static func pretty(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    }
}

/// A consent record as the verbs print it.
enum ConsentText {
    static func line(_ standing: ConsentStanding) -> String {
        let end = standing.record.events.last?.validUntil.map { "until \($0)" }
        return [
            standing.record.id.description, standing.state.rawValue, standing.record.subject ?? "(erased)",
            standing.record.notice.purpose, end,
        ].compactMap(\.self).joined(separator: "  ")
    }
}

extension ErrorReply {
    /// The same error, which says too that the record stands.
    fileprivate func telling(of receipt: SignedReceipt) -> ErrorReply {
        var error = self
        let id = receipt.receipt.record.id
        error.reason = ErrorWords.joined([reason, "It is recorded as \(id)"], by: ". ")
        error.recoverySuggestion = "'obscura consent receipt \(id) --output FILE' writes a receipt of it."
        return error
    }
}
