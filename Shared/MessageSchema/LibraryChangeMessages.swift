package import Media

/// Something that changed in the library.
///
/// An asset that goes into the trash is deleted, one that comes back is inserted. When assets were inserted or deleted, the
/// groups that have all of them by what they are, `library` and `savedPhotos`, are told as updated.
package struct LibraryEvent: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case inserted, updated, deleted
    }

    /// Higher for each change, within one epoch of the library.
    package var generation: Int64
    package var kind: Kind
    /// The asset or the group.
    package var url: LibraryURL

    package init(generation: Int64, kind: Kind, url: LibraryURL) {
        self.generation = generation
        self.kind = kind
        self.url = url
    }
}

/// Asks what changed since a token, in order; needs `library` read.
///
/// Without a token nothing but the present token comes. A token of another library, of one that was restored, or one that is
/// older than what is kept, is `changeTokenExpired`: enumerate anew, beginning with a new token.
package struct ListChanges: StreamRequest {
    package static let name = "library.changes"
    /// What an earlier answer ended with; to be kept, and not to be understood.
    package var since: String?

    package init(since: String? = nil) { self.since = since }

    package struct Item: Hashable, Sendable, Codable {
        package var changes: [LibraryEvent]

        package init(changes: [LibraryEvent]) { self.changes = changes }
    }

    package struct Summary: Hashable, Sendable, Codable {
        package var count: Int
        /// Stands for everything that was told, and what came before.
        package var token: String

        package init(count: Int, token: String) {
            self.count = count
            self.token = token
        }
    }
}

/// Follows the library's changes, from a token or from now on; needs `library` read.
package struct WatchLibrary: StreamRequest {
    package typealias Item = LibraryEvent
    package typealias Summary = Empty
    package static let name = "library.events"
    /// From there on; as for ``ListChanges``.
    package var since: String?

    package init(since: String? = nil) { self.since = since }
}
