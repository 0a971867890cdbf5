import Foundation
import Hashing
import Media
import SQLite

/// The rows of `contents`: bytes in the media store, and what a decoder said about them.
struct ContentTable {
    /// One row.
    struct Content {
        let row: Int64
        let digest: SHA256Digest
        let bytes: Int64
        let state: AssetState
        let renderingFailures: Int
        let renderingFailure: String?
    }

    let connection: Connection

    /// The row of this content, made when it is new, and whether it was lost or damaged until now.
    func row(for digest: SHA256Digest, bytes: Int64, report: InspectionReport) throws -> (row: Int64, isHealed: Bool) {
        if let found = try find(digest) {
            if found.state != .ok { try setState(.ok, of: digest) }
            return (found.row, found.state != .ok)
        }
        // Encoding a report of plain values does not fail.
        let text = (try? JSONEncoder().encode(report)).map { String(decoding: $0, as: UTF8.self) }
        try connection.run(
            "INSERT INTO contents (sha256, bytes, report) VALUES (?, ?, ?)",
            digest.bytes,
            bytes,
            text
        )
        return (connection.lastInsertedRow, false)
    }

    /// The row of this content; nil when there is none.
    func find(_ digest: SHA256Digest) throws -> Content? {
        try connection.first(
            "SELECT id, bytes, state, rendering_failures, rendering_failure FROM contents WHERE sha256 = ?",
            digest.bytes
        ) { row in
            Content(
                row: try row.integer(0),
                digest: digest,
                bytes: try row.integer(1),
                state: AssetState(rawValue: try row.text(2)) ?? .ok,
                renderingFailures: Int(try row.integer(3)),
                renderingFailure: try row.optionalText(4)
            )
        }
    }

    /// What a decoder said about this content before; nil when it has not been asked, or its words are of another version.
    func report(of digest: SHA256Digest) throws -> InspectionReport? {
        let text = try connection.first("SELECT report FROM contents WHERE sha256 = ?", digest.bytes) {
            try $0.optionalText(0)
        }
        guard let text = text ?? nil else { return nil }
        return try? JSONDecoder().decode(InspectionReport.self, from: Data(text.utf8))
    }

    /// Whether the bytes are there and whole; of whole bytes a picture may be tried again.
    func setState(_ state: AssetState, of digest: SHA256Digest) throws {
        try connection.run("UPDATE contents SET state = ? WHERE sha256 = ?", state.rawValue, digest.bytes)
        guard state == .ok else { return }
        try connection.run(
            "UPDATE contents SET rendering_failures = 0, rendering_failure = NULL WHERE sha256 = ?",
            digest.bytes
        )
    }

    /// Counts a picture that could not be made, with the reason.
    func addRenderingFailure(_ reason: String, of digest: SHA256Digest) throws {
        try connection.run(
            """
            UPDATE contents SET rendering_failures = rendering_failures + 1, rendering_failure = ?
            WHERE sha256 = ?
            """,
            reason,
            digest.bytes
        )
    }

    /// The contents after one, by hash, at most `count`; from the start without one.
    func page(after digest: SHA256Digest?, count: Int) throws -> [(digest: SHA256Digest, bytes: Int64)] {
        try connection.all(
            "SELECT sha256, bytes FROM contents WHERE sha256 > ? ORDER BY sha256 LIMIT ?",
            digest?.bytes ?? [],
            count
        ) { row in
            let bytes = try row.blob(0)
            guard let digest = SHA256Digest(bytes: bytes) else {
                preconditionFailure("the schema keeps hashes of 32 bytes")
            }
            return (digest, try row.integer(1))
        }
    }

    /// Of these hashes, those that have a row.
    func known(_ digests: [SHA256Digest]) throws -> Set<SHA256Digest> {
        var known: Set<SHA256Digest> = []
        for digest in digests where try find(digest) != nil { known.insert(digest) }
        return known
    }
}
