import Hashing
import SQLite
import Timekeeping

/// The rows of `quarantined`: contents that have ended their workers, whether they were kept or not.
struct QuarantineTable {
    /// The oldest are forgotten beyond so many, and cost workers once more.
    private static let mostRows = 10_000

    let connection: Connection

    /// Why this content is not looked at again; nil when it may be.
    func reason(for digest: SHA256Digest) throws -> String? {
        try connection.first("SELECT reason FROM quarantined WHERE sha256 = ?", digest.bytes) { try $0.text(0) }
    }

    /// Notes a content that has ended its workers.
    func add(_ digest: SHA256Digest, reason: String, now: Timestamp) throws {
        try connection.run(
            """
            INSERT INTO quarantined (sha256, reason, at_us) VALUES (?, ?, ?)
            ON CONFLICT (sha256) DO UPDATE SET reason = excluded.reason, at_us = excluded.at_us
            """,
            digest.bytes,
            reason,
            now.microseconds
        )
        try connection.run(
            """
            DELETE FROM quarantined WHERE sha256 IN
                (SELECT sha256 FROM quarantined ORDER BY at_us DESC LIMIT -1 OFFSET ?)
            """,
            Self.mostRows
        )
    }
}
