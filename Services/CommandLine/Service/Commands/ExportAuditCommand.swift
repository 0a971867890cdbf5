import Consent
import Hashing
import MessageSchema
import Receipts

/// `obscura audit export`.
struct ExportAuditCommand: Command {
    private static let output = Option(
        "output",
        "FILE",
        "Write there, where no file is yet; - is standard output",
        isRequired: true,
        as: .text
    )

    /// What is told about an export.
    private struct Result: Encodable {
        let output: String
        let entries: UInt64
        /// The last segment.
        let checkpoint: UInt64
        /// The last entry.
        let through: UInt64
        let publicKey: String
        let problem: String?
    }

    var signature: CommandSignature {
        CommandSignature(
            "audit export",
            "Closes a segment of the audit log, and writes all of it into a file; an operator alone may",
            discussion:
                "Lines of JSON: a head with the public key, entries with their hashes, and each signed checkpoint behind the entry\n"
                + "that it is about. Kept elsewhere, it shows later whether the log is still the same: 'audit verify --against'.\n"
                + "Ends with 65 when the log is damaged; the file has it as it is then.",
            parameters: [Self.output],
            examples: [
                (
                    "audit export --output audit-2026-11-30.jsonl",
                    "keep it where the cluster's machine can not change it"
                )
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let (terminal, asJSON) = (context.terminal, arguments[CommonParameters.json])
        let target = try OutputTarget(arguments[Self.output] ?? "-", arguments, terminal, replacing: false)
        let cluster = try context.cluster(arguments)
        let result = try await target.write { output in
            let reply = try await cluster.call(ReceiptKey())
            guard let key = VerifyingKey(reply.publicKey) else { throw ErrorReply(.badMessage, "The key is none") }
            guard let end = try await cluster.call(SealAudit()).checkpoint?.checkpoint else {
                throw ErrorReply(.invalidData, "The audit log is empty")
            }
            return try await Self.write(LiveAudit(cluster: cluster), key, end, to: output, named: target.path)
        }
        if asJSON {
            terminal.writeJSON(result)
        } else {
            let entries = CountText.of(result.entries, "entry", plural: "entries")
            target.tell("\(entries), sealed through entry \(result.through) (segment \(result.checkpoint))")
            target.tell("signed with \(result.publicKey)")
            if let problem = result.problem { target.tell("damaged  \(problem)") }
        }
        return result.problem == nil ? .success : .badData
    }

    private static func write(
        _ audit: LiveAudit,
        _ key: VerifyingKey,
        _ end: AuditCheckpoint,
        to output: any Output,
        named path: String
    ) async throws -> Result {
        var pending: [UInt8] = []
        var (reader, fault): (AuditExportReader, AuditFault?) = (AuditExportReader(expecting: key), nil)
        func add(_ line: [UInt8]) async throws {
            if fault == nil {
                do throws(AuditFault) { try reader.take(line) } catch { fault = error }
            }
            pending += line + [UInt8(ascii: "\n")]
            guard pending.count > 256 << 10 else { return }
            try await output.write(pending)
            pending = []
        }
        try await add(AuditExport.head(key))
        try await audit.everything(through: end) { entry in
            try await add(AuditExport.line(entry))
        } checkpoint: { checkpoint in
            try await add(AuditExport.line(checkpoint))
        }
        try await output.write(pending)
        if fault == nil {
            do throws(AuditFault) { _ = try reader.finish() } catch { fault = error }
        }
        return Result(
            output: path,
            entries: reader.count.value,
            checkpoint: end.segment.value,
            through: end.sequence.value,
            publicKey: key.description,
            problem: fault?.words
        )
    }
}
