package import Media

/// Makes an album; needs `library` readWrite.
///
/// A name that is taken gives nothing.
package struct CreateAlbum: Request {
    package static let name = "library.album.create"
    package var album: String

    package init(album: String) { self.album = album }

    package struct Reply: Hashable, Sendable, Codable {
        package var group: Group?

        package init(group: Group?) { self.group = group }
    }
}

/// Adds assets to a group or takes them out of it; needs `library` readWrite.
package struct ChangeAlbum: Request {
    package static let name = "library.album.change"

    package enum Change: String, Hashable, Sendable, Codable, CaseIterable {
        case add, remove
    }

    package var change: Change
    package var group: GroupURL
    package var assets: [AssetURL]

    package init(_ change: Change, group: GroupURL, assets: [AssetURL]) {
        self.change = change
        self.group = group
        self.assets = assets
    }

    package struct Reply: Hashable, Sendable, Codable {
        /// How many assets are in another place now; 0 for a group that can not be edited.
        package var changed: Int
        /// Assets that the library does not have; absent when it has all.
        package var unknown: [AssetURL]?
        /// False for a group that can not be edited; else absent.
        package var editable: Bool?

        package init(changed: Int, unknown: [AssetURL]? = nil, editable: Bool? = nil) {
            self.changed = changed
            self.unknown = unknown
            self.editable = editable
        }
    }
}
