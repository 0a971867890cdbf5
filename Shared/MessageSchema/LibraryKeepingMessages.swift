package import Media

/// What became of assets that were to be changed.
package struct ChangedAssets: Hashable, Sendable, Codable {
    /// How many are otherwise now than they were.
    package var changed: Int
    /// Assets that the library does not have; absent when it has all.
    package var unknown: [AssetURL]?
    /// RFC 3339: when what is in the trash now will be deleted for good; absent otherwise.
    package var expires: String?

    package init(changed: Int, unknown: [AssetURL]? = nil, expires: String? = nil) {
        self.changed = changed
        self.unknown = unknown
        self.expires = expires
    }
}

/// Marks assets as favourites or not, or gives them a caption; needs `library` readWrite, or to have saved them all.
package struct MarkAssets: Request {
    package typealias Reply = ChangedAssets
    package static let name = "library.mark"
    package var assets: [AssetURL]
    /// As it is when absent.
    package var favourite: Bool?
    /// As it is when absent; an empty one takes it away.
    package var caption: String?

    package init(_ assets: [AssetURL], favourite: Bool? = nil, caption: String? = nil) {
        self.assets = assets
        self.favourite = favourite
        self.caption = caption
    }

    package func checkParameters() throws(ErrorReply) {
        guard let caption, caption.utf8.count > Limits.captionBytes else { return }
        throw .invalidParameter("caption", "of at most \(Limits.captionBytes) bytes")
    }
}

/// Puts assets into the trash, where they are kept for a while; needs `library` readWrite, or to have saved them all.
package struct TrashAssets: Request {
    package typealias Reply = ChangedAssets
    package static let name = "library.trash"
    package var assets: [AssetURL]

    package init(_ assets: [AssetURL]) { self.assets = assets }
}

/// Takes assets out of the trash, into the albums in which they were; needs `library` readWrite, or to have saved them all.
package struct RestoreAssets: Request {
    package typealias Reply = ChangedAssets
    package static let name = "library.restore"
    package var assets: [AssetURL]

    package init(_ assets: [AssetURL]) { self.assets = assets }
}

/// Deletes assets for good, whether they are in the trash or not; needs `library` readWrite, or to have saved them all.
package struct DeleteAssets: Request {
    package typealias Reply = ChangedAssets
    package static let name = "library.delete"
    package var assets: [AssetURL]

    package init(_ assets: [AssetURL]) { self.assets = assets }
}

/// Deletes an album; its assets stay; needs `library` readWrite.
package struct DeleteAlbum: Request {
    package static let name = "library.album.delete"
    package var group: GroupURL

    package init(group: GroupURL) { self.group = group }

    package struct Reply: Hashable, Sendable, Codable {
        /// False for a group that is none, or that is always there.
        package var deleted: Bool

        package init(deleted: Bool) { self.deleted = deleted }
    }
}

/// Counts assets without enumerating them; needs what ``ListAssets`` needs.
package struct CountAssets: Request {
    package static let name = "library.count"
    /// Its `reverse`, `offset` and `limit` make no difference.
    package var query: AssetQuery

    package init(query: AssetQuery) { self.query = query }

    package func checkParameters() throws(ErrorReply) { try query.check("query") }

    package struct Reply: Hashable, Sendable, Codable {
        package var count: Int
        package var photos: Int
        package var videos: Int

        package init(count: Int, photos: Int, videos: Int) {
            self.count = count
            self.photos = photos
            self.videos = videos
        }
    }
}
