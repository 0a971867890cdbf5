/// A file of the bag whose bytes had been changed, and that was renewed in its place.
package struct BagRepair: Hashable, Sendable {
    /// The path in the bag.
    package let path: String
    /// Where in the bag the bytes are now that lay there; no manifest lists them.
    package let kept: String
}

/// The whole of a bag.
package struct BagSummary: Hashable, Sendable {
    package let files: Int
    package let bytes: Int64
    /// What this run renewed.
    package let repairs: [BagRepair]
    /// The paths of files of earlier exports that have other bytes than they had, and that this run could not renew.
    package let damaged: [String]
    /// The paths of files of earlier exports that are not there any more, and that this run did not bring.
    package let missing: [String]
    /// The paths of files below `data/` that no export put there; no manifest lists them.
    package let unlisted: [String]
}
