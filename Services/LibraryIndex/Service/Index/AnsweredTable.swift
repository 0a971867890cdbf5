package import Hashing
import SQLite
import Timekeeping

/// A request's key, so that repeating it has its effect once (24 hours).
package struct IdempotencyKey: Hashable, Sendable {
    /// The text of the principal it is scoped to.
    package let principal: String
    /// The request's name.
    package let name: String
    /// The caller's key.
    package let key: String
    /// The hash of the request with its content: another request with the same key is a conflict.
    package var request: SHA256Digest

    package init(principal: String, name: String, key: String, request: SHA256Digest) {
        self.principal = principal
        self.name = name
        self.key = key
        self.request = request
    }
}

/// The rows of `answered`: written in the transaction of the effect.
struct AnsweredTable {
    static let lifetime = Duration.seconds(24 * 3600)

    let connection: Connection

    /// The outcome and the asset of the request with this key; nil when it was never answered.
    ///
    /// - Throws: `idempotencyConflict` for another request.
    func find(_ key: IdempotencyKey, now: Timestamp) throws -> (outcome: String, asset: Int64?)? {
        let found = try connection.first(
            "SELECT request, outcome, asset FROM answered WHERE principal = ? AND name = ? AND key = ? AND at_us > ?",
            key.principal,
            key.name,
            key.key,
            (now - AnsweredTable.lifetime).microseconds
        ) { row in (try row.blob(0), try row.text(1), try row.optionalInteger(2)) }
        guard let (request, outcome, asset) = found else { return nil }
        guard request == key.request.bytes else { throw LibraryError(.idempotencyConflict) }
        return (outcome, asset)
    }

    /// Records an outcome, and forgets what is older than 24 hours.
    func add(_ key: IdempotencyKey, outcome: String, asset: Int64?, now: Timestamp) throws {
        try connection.run("DELETE FROM answered WHERE at_us <= ?", (now - AnsweredTable.lifetime).microseconds)
        try connection.run(
            """
            INSERT INTO answered (principal, name, key, request, outcome, asset, at_us) VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            key.principal,
            key.name,
            key.key,
            key.request.bytes,
            outcome,
            asset,
            now.microseconds
        )
    }
}
