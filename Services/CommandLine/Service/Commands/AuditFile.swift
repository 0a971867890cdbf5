import Consent
import Hashing
import MessageSchema
import Receipts

/// Why a log proves less than it should, and how many entries fit before that.
struct AuditProblem: Error {
    let fault: AuditFault
    let entries: AuditNumber
}

/// An exported audit log in a file, read line by line.
enum AuditFile {
    /// Checks the file.
    ///
    /// - Throws: `AuditProblem`; `ErrorReply` for a file that can not be read.
    static func proof(
        of path: String,
        expecting key: VerifyingKey?,
        against earlier: AuditCheckpoint?
    ) async throws -> AuditProof {
        let file = try InputFile(path)
        var reader = AuditExportReader(expecting: key, against: earlier)
        do {
            var rest: [UInt8] = []
            while let bytes = try await file.next() {
                rest += bytes
                var begin = rest.startIndex
                while let end = rest[begin...].firstIndex(of: UInt8(ascii: "\n")) {
                    try reader.take(Array(rest[begin..<end]))
                    begin = end + 1
                }
                rest.removeFirst(begin)
                guard rest.count <= AuditExport.lineLimit else {
                    throw AuditFault.malformed("the line behind entry \(reader.count) is too long")
                }
            }
            guard rest.isEmpty else {
                throw AuditFault.malformed("the line behind entry \(reader.count) is not whole")
            }
            return try reader.finish()
        } catch let fault as AuditFault {
            throw AuditProblem(fault: fault, entries: reader.count)
        }
    }
}

extension AuditFault {
    /// What is wrong, in words.
    var words: String {
        switch self {
        case .malformed(let what): "not an audit log as it was written: \(what)"
        case .notTheNext(let expected, let found):
            "entry \(expected) is missing or not in its place: entry \(found) stands there"
        case .changed(let entry): "entry \(entry) is not as it was written"
        case .rewritten(let from, let through):
            "of the entries \(from) to \(through) at least one was changed, and the hashes made anew"
        case .cutOff(let after, let known):
            "the log ends with entry \(after), and a signed checkpoint knows of entry \(known): what came between is missing"
        case .misplaced(let segment): "the checkpoint of segment \(segment) is missing, or is not in its place"
        case .wrongSignature(let segment): "the checkpoint of segment \(segment) is not as it was signed"
        case .otherKey(let segment, let key):
            segment.value == 0
                ? "it is of another key: \(key)" : "the checkpoint of segment \(segment) is of another key: \(key)"
        case .unsealed(let entry): "no checkpoint stands behind entry \(entry), with which it ends: the rest is missing"
        case .differs(let through): "up to entry \(through) it is not the log that was exported before"
        }
    }
}
