private import Hashing
import Media
import MessageSchema

/// Reads assets' bytes and checks them against the hash that the library states.
struct AssetReader: Sendable {
    private let cluster: any Cluster
    private let rules: CallRules

    init(_ cluster: any Cluster, _ rules: CallRules = CallRules(timeout: nil)) {
        self.cluster = cluster
        self.rules = rules
    }

    /// Hands the bytes to the closure, chunk by chunk.
    func read(
        _ request: ReadAsset,
        _ each: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws -> ReadAsset.Summary {
        let hash = RunningHash()
        let summary = try await cluster.stream(request, rules) { _, bytes in
            await hash.add(bytes)
            try await each(bytes)
        }
        guard await hash.text == summary.sha256 else {
            throw ErrorReply(
                .damaged,
                "Damaged on the way",
                reason: "The bytes that arrived do not have the hash that the library stated."
            )
        }
        return summary
    }
}

/// A hash that grows across concurrent contexts.
private actor RunningHash {
    private let hash = SHA256()

    func add(_ bytes: [UInt8]) { hash.update(bytes) }

    var text: String { hash.finish().description }
}
