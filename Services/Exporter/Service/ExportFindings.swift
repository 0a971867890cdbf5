import Bags
package import MessageSchema

/// What a job found in its bag beside its own files.
package struct ExportFindings: Hashable, Sendable {
    /// So many paths of a kind are named, because a job is one message.
    private static let mostNamed = 1_000

    /// What had been changed and was renewed.
    package var repaired: [ExportRepair] = []
    /// Changed files of earlier exports that could not be renewed.
    package var damaged: [String] = []
    /// Files of earlier exports that are gone.
    package var missing: [String] = []
    /// Files that no export put there.
    package var unlisted: [String] = []

    /// Nothing.
    package init() {}

    init(_ summary: BagSummary) {
        self.init(summary.repairs)
        damaged = Array(summary.damaged.prefix(Self.mostNamed))
        missing = Array(summary.missing.prefix(Self.mostNamed))
        unlisted = Array(summary.unlisted.prefix(Self.mostNamed))
    }

    init(_ repairs: [BagRepair]) {
        repaired = repairs.map { ExportRepair(path: $0.path, kept: $0.kept) }
    }
}
