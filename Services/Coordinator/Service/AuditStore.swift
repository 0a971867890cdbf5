package import Consent
private import FoundationEssentials
package import Hashing
private import MessageSchema
private import Messaging
import Receipts
import SQLite

/// The audit log in the coordinator's database: rows that are added at the end and never changed, and signed checkpoints.
///
/// Where the log ends is read from the database each time, so that whoever writes into it in a transaction of their own adds
/// to the same chain.
package struct AuditStore: Sendable {
    /// How many entries a segment has, unless it is closed earlier.
    package static let segmentLength: UInt64 = 1_000
    /// The most entries of one page, and the most rows that are looked at for it.
    package static let pageCount = 500
    /// About the most bytes of one page; a single longer entry is a page.
    private static let pageBytes = Limits.bodyBytes / 2

    private let database: Database
    private let key: SigningKey
    private let length: UInt64

    /// Keeps the log in a database; `key` signs its checkpoints.
    init(in database: Database, key: SigningKey, segmentLength: UInt64 = AuditStore.segmentLength) {
        self.database = database
        self.key = key
        length = segmentLength
    }

    /// What checkpoints are checked with.
    package var publicKey: VerifyingKey { key.publicKey }

    // MARK: Writing

    /// Adds entries within a transaction of the caller, and closes the segment when it is long enough.
    ///
    /// - Throws: `SQLiteError`; `UnreadableAudit` where the end of the log is not as it was written.
    func append(_ drafts: [AuditEntryDraft], _ connection: Connection) throws {
        guard let last = drafts.last else { return }
        var chain = try Self.chain(connection)
        for draft in drafts {
            let entry = chain.append(draft)
            try connection.run(
                "INSERT INTO audit (sequence, document, hash) VALUES (?, ?, ?)",
                Int64(clamping: entry.entry.sequence.value),
                String(decoding: AuditChain.canonicalForm(of: entry.entry), as: UTF8.self),
                entry.hash
            )
        }
        let sealed = try Self.lastCheckpoint(connection)?.checkpoint.sequence ?? AuditNumber(0)
        // A log whose end was taken away may be shorter than a checkpoint says.
        if chain.count.value >= sealed.value &+ length { _ = try seal(chain, last.time, connection) }
    }

    /// Adds entries; they have reached the disk when this returns.
    ///
    /// - Throws: `StorageFailure`.
    package func note(_ drafts: [AuditEntryDraft]) async throws {
        try await failing { try await database.transaction { try append(drafts, $0) } }
    }

    /// Closes the segment with a checkpoint behind the last entry.
    ///
    /// - Returns: The checkpoint, or the last one where nothing came behind it; nil for an empty log.
    /// - Throws: `StorageFailure`.
    package func seal(at now: Moment) async throws -> SignedCheckpoint? {
        try await failing {
            try await database.transaction { connection in
                let chain = try Self.chain(connection)
                let last = try Self.lastCheckpoint(connection)
                guard chain.count.value > 0, last?.checkpoint.sequence != chain.count else { return last }
                return try seal(chain, now, connection)
            }
        }
    }

    private func seal(_ chain: AuditChain, _ time: Moment, _ connection: Connection) throws -> SignedCheckpoint {
        let segment = try Self.lastCheckpoint(connection)?.checkpoint.segment ?? AuditNumber(0)
        let signed = SignedCheckpoint(
            AuditCheckpoint(
                segment: segment.next,
                sequence: chain.count,
                hash: chain.hash.description,
                time: time
            ),
            signedWith: key
        )
        try connection.run(
            "INSERT INTO audit_checkpoint (segment, document) VALUES (?, ?)",
            Int64(clamping: signed.checkpoint.segment.value),
            String(decoding: try AuditExport.line(signed), as: UTF8.self)
        )
        return signed
    }

    private static func chain(_ connection: Connection) throws -> AuditChain {
        let row = try connection.first("SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1") {
            (try $0.integer(0), try $0.text(1))
        }
        guard let (sequence, text) = row else { return AuditChain() }
        guard let hash = SHA256Digest(text) else { throw UnreadableAudit("entry \(sequence)") }
        return AuditChain(count: AuditNumber(UInt64(clamping: sequence)), hash: hash)
    }

    private static func lastCheckpoint(_ connection: Connection) throws -> SignedCheckpoint? {
        try connection.first("SELECT segment, document FROM audit_checkpoint ORDER BY segment DESC LIMIT 1") {
            try read("checkpoint \(try $0.integer(0))", try $0.text(1))
        }
    }

    // MARK: Reading

    /// Entries that are wanted, in the order of the log.
    ///
    /// - Parameters:
    ///   - filter: Which are wanted.
    ///   - number: The `next` of the page before; 0 at first.
    ///   - count: How many at most.
    /// - Returns: The entries, and the number behind which it goes on; nil at the end. There may be more also behind no entries:
    ///   one page looks at no more rows than it may have.
    /// - Throws: `StorageFailure`, `UnreadableAudit`.
    package func page(
        _ filter: AuditFilter,
        after number: AuditNumber,
        count: Int
    ) async throws -> (entries: [ChainedEntry], next: AuditNumber?) {
        let rows = try await failing { try await database.snapshot { try Self.rows(after: number, $0) } }
        return try await Self.entries(rows, filter, count)
    }

    private static func rows(after number: AuditNumber, _ connection: Connection) throws -> [StoredEntry] {
        try connection.all(
            "SELECT sequence, document, hash FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ?",
            Int64(clamping: number.value),
            pageCount + 1
        ) {
            StoredEntry(sequence: try $0.integer(0), document: try $0.text(1), hash: try $0.text(2))
        }
    }

    /// Reads rows on a thread of the pool; the last one may only say that there are more.
    @concurrent
    private static func entries(
        _ rows: [StoredEntry],
        _ filter: AuditFilter,
        _ count: Int
    ) async throws -> (entries: [ChainedEntry], next: AuditNumber?) {
        var (entries, last, room): ([ChainedEntry], Int64, Int) = ([], 0, pageBytes)
        for (index, row) in rows.enumerated() {
            room -= row.document.utf8.count + row.hash.utf8.count + 40
            guard index == 0 || (index < pageCount && room >= 0 && entries.count < count) else {
                return (entries, AuditNumber(UInt64(clamping: last)))
            }
            let entry: AuditEntry = try read("entry \(row.sequence)", row.document)
            if filter.takes(entry) { entries.append(ChainedEntry(entry: entry, hash: row.hash)) }
            last = row.sequence
        }
        return (entries, nil)
    }

    /// Checkpoints in the order of the log, and the number behind which it goes on; nil at the end.
    ///
    /// - Throws: `StorageFailure`, `UnreadableAudit`.
    package func checkpoints(
        after segment: AuditNumber
    ) async throws -> (checkpoints: [SignedCheckpoint], next: AuditNumber?) {
        let all = try await failing {
            try await database.snapshot { connection in
                try connection.all(
                    "SELECT segment, document FROM audit_checkpoint WHERE segment > ? ORDER BY segment LIMIT ?",
                    Int64(clamping: segment.value),
                    Self.pageCount + 1
                ) { try Self.read("checkpoint \(try $0.integer(0))", try $0.text(1)) as SignedCheckpoint }
            }
        }
        guard all.count > Self.pageCount else { return (all, nil) }
        let page = Array(all.prefix(Self.pageCount))
        return (page, page.last?.checkpoint.segment)
    }

    /// Reads what is stored, and nothing that differs from what was written in a single byte.
    private static func read<Value: Codable>(_ name: String, _ document: String) throws -> Value {
        guard let value = try? JSONDecoder().decode(Value.self, from: Data(document.utf8)),
            let line = try? AuditExport.line(value),
            line == Array(document.utf8)
        else { throw UnreadableAudit(name) }
        return value
    }

    /// Passes on what is unreadable, and makes everything else a failure of the storage.
    private func failing<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as UnreadableAudit {
            throw error
        } catch let error as SQLiteError {
            throw StorageFailure(isDiskFull: error.code == .diskFull, text: error.message)
        } catch {
            throw StorageFailure(text: "\(error)")
        }
    }
}

/// A row of the log.
private struct StoredEntry: Sendable {
    let sequence: Int64
    let document: String
    let hash: String
}

/// An entry, or a checkpoint, is not as it was written.
package struct UnreadableAudit: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which.
    package let name: String

    init(_ name: String) { self.name = name }

    package var description: String { "\(name) of the audit log is not as it was written" }
}
