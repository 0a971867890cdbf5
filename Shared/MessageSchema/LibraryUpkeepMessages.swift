/// Makes assets of originals that the index does not know, after it was lost or an older copy of it restored; an operator
/// alone may.
package struct RebuildLibrary: Request {
    package static let name = "library.rebuild"

    package init() {}

    package struct Reply: Hashable, Sendable, Codable {
        /// Originals without an asset that were found.
        package var orphans: Int
        /// Those that are assets now: imported, and the caller's.
        package var restored: Int
        /// Those whose bytes are not what they were: left where they are.
        package var damaged: Int
        /// Those that are neither a picture nor a film: left where they are.
        package var skipped: Int

        package init(orphans: Int, restored: Int, damaged: Int, skipped: Int) {
            self.orphans = orphans
            self.restored = restored
            self.damaged = damaged
            self.skipped = skipped
        }
    }
}

/// Copies the index into the folder of its copies; an operator alone may.
package struct BackUpLibrary: Request {
    package static let name = "library.backup"

    package init() {}

    package struct Reply: Hashable, Sendable, Codable {
        /// The file's name, in the folder `backups` beside the index.
        package var name: String
        package var bytes: Int64

        package init(name: String, bytes: Int64) {
            self.name = name
            self.bytes = bytes
        }
    }
}
