import Consent
import Hashing
import MessageSchema
import Receipts

/// `obscura audit verify`.
struct VerifyAuditCommand: Command {
    private static let file = Positional("FILE", "An exported log (default: that of the cluster)", .optional, as: .text)
    private static let earlier = Option(
        "against",
        "FILE",
        "An export made before, and kept where nobody could change it",
        as: .text
    )
    private static let key = Option(
        "key",
        "HEX",
        "The coordinator's key, known from elsewhere ('consent key')",
        as: ValueReader<VerifyingKey>.written("a public key of 64 hexadecimal digits")
    )

    /// What is told about a log.
    private struct Result: Encodable {
        var verified = false
        /// How many entries fit each other.
        var entries: UInt64 = 0
        /// The last entry that is sealed.
        var through: UInt64?
        /// The last segment.
        var checkpoint: UInt64?
        /// When it was closed.
        var time: String?
        var publicKey: String?
        /// Whether the key is one that was expected; false when none was.
        var keyIsExpected = false
        /// The last entry of the export that was made before.
        var against: UInt64?
        /// What does not fit first.
        var problem: String?

        mutating func describe(_ proof: AuditProof) {
            verified = true
            entries = proof.entries.value
            through = proof.checkpoint?.sequence.value
            checkpoint = proof.checkpoint?.segment.value
            time = proof.checkpoint?.time.description
            publicKey = proof.key.description
            against = proof.earlier?.sequence.value
        }
    }

    var signature: CommandSignature {
        CommandSignature(
            "audit verify",
            "Checks the hash chain of the audit log and its signed checkpoints, with the public key alone",
            discussion:
                "With FILE it needs no cluster. It says up to which entry nobody without the coordinator's key can have changed\n"
                + "anything. That the coordinator itself has not is proven by --against alone, for what that export has.\n"
                + "Ends with 65 for a log that is damaged, and names the first entry that does not fit.",
            parameters: [Self.file, Self.earlier, Self.key],
            examples: [
                ("audit verify", "the log of the cluster, an operator alone may"),
                (
                    "audit verify --against audit-2026-11-30.jsonl",
                    "whether it still begins with what was exported then"
                ),
                ("audit verify audit-2026-11-30.jsonl --key HEX", "an export, offline"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let (path, key) = (arguments[Self.file].first, arguments[Self.key])
        let (earlierPath, asJSON) = (arguments[Self.earlier], arguments[CommonParameters.json])
        let cluster = path == nil ? try context.cluster(arguments) : nil
        var result = Result()
        let earlier = try await earlierPath.mapAsync { try await Self.earlierProof(at: $0, key) }
        var expected = key ?? earlier?.key
        do {
            let proof: AuditProof
            if let path {
                proof = try await AuditFile.proof(of: path, expecting: expected, against: earlier?.checkpoint)
            } else if let cluster {
                let told = try await cluster.call(ReceiptKey()).publicKey
                expected = expected ?? VerifyingKey(told)
                guard let expected else { throw ErrorReply(.badMessage, "The key is none") }
                proof = try await Self.proof(of: cluster, expecting: expected, against: earlier?.checkpoint)
            } else {
                preconditionFailure("without a file there is a cluster")
            }
            result.describe(proof)
        } catch let problem as AuditProblem {
            result.entries = problem.entries.value
            result.problem = problem.fault.words
        }
        result.keyIsExpected = result.problem == nil && (key != nil || path == nil)
        if asJSON {
            context.terminal.writeJSON(result)
        } else {
            for line in Self.lines(about: result, earlierPath) { context.terminal.writeLine(line) }
        }
        return result.verified ? .success : .badData
    }

    private static func proof(
        of cluster: any Cluster,
        expecting key: VerifyingKey,
        against earlier: AuditCheckpoint?
    ) async throws -> AuditProof {
        var verifier = AuditVerifier(key: key, against: earlier)
        do {
            try await LiveAudit(cluster: cluster).everything { entry in
                try verifier.take(entry)
            } checkpoint: { checkpoint in
                try verifier.take(checkpoint)
            }
            return try verifier.finish(isSealed: false)
        } catch let fault as AuditFault {
            throw AuditProblem(fault: fault, entries: verifier.count)
        }
    }

    private static func earlierProof(at path: String, _ key: VerifyingKey?) async throws -> AuditProof {
        do {
            return try await AuditFile.proof(of: path, expecting: key, against: nil)
        } catch let problem as AuditProblem {
            throw ErrorReply(
                .damaged,
                "The earlier export proves nothing",
                reason: "'\(path)': \(problem.fault.words).",
                recoverySuggestion: "Name another export with --against; 'obscura audit export' makes them.",
                cause: "earlierExport"
            )
        }
    }

    private static func lines(about result: Result, _ earlier: String?) -> [String] {
        let entries = CountText.of(result.entries, "entry", plural: "entries")
        if let problem = result.problem { return ["damaged  \(problem)", "\(entries) before it fit each other."] }
        guard let through = result.through, let segment = result.checkpoint, let key = result.publicKey else {
            return ["verified  \(entries) fit each other; none is sealed yet, which proves nothing"]
        }
        var lines = [
            "verified  \(entries), sealed through entry \(through) (segment \(segment), \(result.time ?? ""))",
            "signed with \(key)",
            "Proven: nobody without that key has changed, added or removed anything up to entry \(through).",
        ]
        if result.entries > through {
            let rest = CountText.of(result.entries - through, "entry behind it is", plural: "entries behind it are")
            lines.append("\(rest) chained, and not sealed yet.")
        }
        if let against = result.against, let earlier {
            lines.append("Proven: nor has the coordinator changed anything up to entry \(against) since '\(earlier)'.")
        } else {
            lines.append(
                "Not proven: that this is not an older state of the log, or another one that the coordinator wrote; "
                    + "--against an export kept elsewhere shows that."
            )
        }
        if !result.keyIsExpected {
            lines.append("Compare this key with the one that the operator publishes, or give it with --key.")
        }
        return lines
    }
}

extension Optional {
    /// What the closure makes of the value, if there is one.
    fileprivate func mapAsync<Result>(_ body: (Wrapped) async throws -> Result) async throws -> Result? {
        if let self { try await body(self) } else { nil }
    }
}
