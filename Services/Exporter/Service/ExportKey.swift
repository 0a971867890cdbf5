private import FoundationEssentials
package import Hashing
package import MessageSchema

/// The key that a program gave to its request, and what it asked for with it.
package struct ExportKey: Hashable, Sendable {
    package let key: String
    package let hash: SHA256Digest

    /// The key of a request; nil for one that has none.
    package init?(_ key: String?, of request: StartExport) throws {
        guard let key else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        self.key = key
        hash = SHA256Digest(hashing: Array(try encoder.encode(request)))
    }
}
