private import Files
package import Hashing
private import MessageSchema

/// The key that receipts are signed with: a file beside the database that nobody but the coordinator's user can read.
package enum ReceiptSeal {
    /// The file's name in the data directory: 64 hexadecimal digits.
    package static let fileName = "receipt-key"

    /// The key, made when there is none; blocks meanwhile.
    ///
    /// - Throws: `ErrorReply` `damaged` for a file that holds no key; `FilesError`.
    package static func key(in dataDirectory: String) throws -> SigningKey {
        let directory = try Directory(opening: dataDirectory)
        if let bytes = try directory.read(fileName, limit: 4_096) {
            let text = String(decoding: bytes, as: UTF8.self)
            let digits = text.hasSuffix("\n") ? String(text.dropLast()) : text
            guard let seed = [UInt8](hexadecimal: digits), let key = SigningKey(seed: seed) else {
                throw ErrorReply(
                    .damaged,
                    "The key of receipts is damaged",
                    reason: "\(dataDirectory)/\(fileName) does not hold 64 hexadecimal digits.",
                    recoverySuggestion: "Restore it from a backup, or move it away: then receipts have another key."
                )
            }
            return key
        }
        let key = SigningKey.random()
        try directory.writeAtomically(Array((key.seed.hexadecimal + "\n").utf8), to: fileName)
        return key
    }
}
