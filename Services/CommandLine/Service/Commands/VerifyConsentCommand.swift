private import Consent
private import Files
import Hashing
import MessageSchema
private import Receipts

/// `obscura consent key`.
struct ConsentKeyCommand: Command {
    var signature: CommandSignature {
        CommandSignature(
            "consent key",
            "Prints the public key that receipts of this cluster are checked with",
            examples: [("consent key", "publish it where people find it")]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let key = try await context.cluster(arguments).call(ReceiptKey())
        if arguments[CommonParameters.json] {
            context.terminal.writeJSON(key)
        } else {
            context.terminal.writeLine(key.publicKey)
        }
        return .success
    }
}

/// `obscura consent verify`.
struct VerifyConsentCommand: Command {
    private static let file = Positional("FILE", "A signed receipt", as: .text)
    private static let key = Option(
        "key",
        "HEX",
        "The key that it has to be signed with, as the controller publishes it ('consent key')",
        as: ValueReader<VerifyingKey>.written("a public key of 64 hexadecimal digits")
    )

    /// What is told about a receipt that was checked.
    private struct Result: Encodable {
        let verified: Bool
        /// Whether the key is the one that was expected; false when none was.
        let keyIsExpected: Bool
        let publicKey: String
        let record: String?
        let state: String?
        let issuedAt: String?
    }

    var signature: CommandSignature {
        CommandSignature(
            "consent verify",
            "Checks a receipt offline, with the public key alone",
            discussion:
                "Without --key it is proven that nothing was changed since the holder of the key in the file signed it, and\n"
                + "not who that is. Needs no cluster. Ends with 65 for a receipt that proves nothing.",
            parameters: [Self.file, Self.key],
            examples: [
                ("consent verify receipt.json --key HEX", "signed by whom you know"),
                ("consent verify receipt.json", "not changed since it was signed"),
            ]
        )
    }

    func run(_ arguments: Arguments, in context: CommandContext) async throws -> ProgramStatus {
        let (path, key) = (arguments.one(Self.file), arguments[Self.key])
        let bytes: [UInt8]
        do throws(FilesError) {
            bytes = try FileDescriptor(opening: path, [.read]).readAll(limit: 1 << 20)
        } catch {
            throw ErrorReply.cannotRead(path, error)
        }
        let receipt: VerifiedReceipt
        do throws(ReceiptFault) {
            receipt = try VerifiedReceipt(checking: bytes, against: key)
        } catch {
            throw ErrorReply.unproven(path, error)
        }
        let (document, terminal) = (receipt.document, context.terminal)
        let result = Result(
            verified: true,
            keyIsExpected: key != nil,
            publicKey: receipt.key.description,
            record: document["record"]?["id"]?.text,
            state: document["state"]?.text,
            issuedAt: document["issuedAt"]?.text
        )
        if arguments[CommonParameters.json] {
            terminal.writeJSON(result)
            return .success
        }
        let words = [result.record, result.state, result.issuedAt.map { "issued \($0)" }].compactMap(\.self)
        terminal.writeLine("verified  " + words.joined(separator: "  "))
        terminal.writeLine("signed with \(receipt.key)")
        if key == nil {
            terminal.writeLine("Compare this key with the one that the controller publishes, or give it with --key.")
        }
        return .success
    }
}

extension ErrorReply {
    /// A receipt that proves nothing.
    fileprivate static func unproven(_ path: String, _ fault: ReceiptFault) -> ErrorReply {
        let (cause, reason) =
            switch fault {
            case .notAReceipt(let words): ("notAReceipt", words)
            case .unknownAlgorithm(let name): ("unknownAlgorithm", "it is signed by '\(name)', which is not known")
            case .wrongSignature:
                ("wrongSignature", "it was changed after it was signed, or signed with another key than it names")
            case .otherKey(let key): ("otherKey", "it is signed with another key: \(key)")
            }
        return ErrorReply(
            .damaged,
            "The receipt proves nothing",
            reason: "\(path): \(reason).",
            recoverySuggestion: "Ask whoever gave it for another one; 'obscura consent receipt' gives it.",
            cause: cause
        )
    }
}
