package import Media

/// One form in which an asset's content is kept.
package struct Representation: Hashable, Sendable, Codable {
    package var uti: String
    package var filename: String
    package var bytes: Int64
    package var width: Int
    package var height: Int
    package var orientation: Orientation
    package var scale: Double
    package var url: AssetURL

    package init(
        uti: String,
        filename: String,
        bytes: Int64,
        width: Int,
        height: Int,
        orientation: Orientation,
        scale: Double,
        url: AssetURL
    ) {
        self.uti = uti
        self.filename = filename
        self.bytes = bytes
        self.width = width
        self.height = height
        self.orientation = orientation
        self.scale = scale
        self.url = url
    }
}

/// A picture or a film in the library.
package struct Asset: Hashable, Sendable, Codable {
    package var url: AssetURL
    package var kind: AssetKind
    package var uti: String
    package var filename: String
    package var bytes: Int64
    /// In hexadecimal; absent where the original is not the caller's to see.
    package var sha256: String?
    /// What was taken out of the file that `bytes` and `sha256` are of, in an export; absent for the original.
    package var privacy: PrivacyProfile?
    /// As displayed; 0 where not known.
    package var width: Int
    package var height: Int
    package var orientation: Orientation
    package var date: AssetDate?
    /// Seconds; absent for photos.
    package var duration: Double?
    package var location: Location?
    package var state: AssetState
    /// Why the state is not `ok`.
    package var reason: String?
    /// The asset that this one is a modified version of.
    package var original: AssetURL?
    package var representations: [Representation]
    package var cameraMake: String?
    package var cameraModel: String?
    /// RFC 3339: when it came into the library.
    package var added: String
    /// Whether a person likes it; absent when it is not marked.
    package var favourite: Bool?
    package var caption: String?
    /// Whether the caller may replace its content; absent when not.
    package var editable: Bool?
    /// RFC 3339: when it was put into the trash; absent when it is not there.
    package var trashed: String?
    /// RFC 3339: when it will be deleted for good; absent when it is not in the trash.
    package var expires: String?

    package init(
        url: AssetURL,
        kind: AssetKind,
        uti: String,
        filename: String,
        bytes: Int64,
        sha256: String?,
        width: Int,
        height: Int,
        orientation: Orientation,
        state: AssetState,
        representations: [Representation],
        added: String
    ) {
        self.url = url
        self.kind = kind
        self.uti = uti
        self.filename = filename
        self.bytes = bytes
        self.sha256 = sha256
        self.width = width
        self.height = height
        self.orientation = orientation
        self.state = state
        self.representations = representations
        self.added = added
    }
}

/// What a group is, in the Assets Library's words.
package enum GroupType: String, Hashable, Sendable, Codable, CaseIterable {
    case library, album, event, faces, savedPhotos, photoStream
}

/// An ordered set of assets.
package struct Group: Hashable, Sendable, Codable {
    package var url: GroupURL
    package var name: String
    package var type: GroupType
    package var count: Int
    package var editable: Bool

    package init(url: GroupURL, name: String, type: GroupType, count: Int, editable: Bool) {
        self.url = url
        self.name = name
        self.type = type
        self.count = count
        self.editable = editable
    }
}

/// Metadata that a saver gives beside the bytes; it wins over what the bytes say.
package struct SaveMetadata: Hashable, Sendable, Codable {
    package var date: AssetDate?
    package var orientation: Orientation?
    package var location: Location?
    package var cameraMake: String?
    package var cameraModel: String?

    package init() {}
}

/// A program's own request that a service carries out for it, and that has its effect once.
package struct RequestKey: Hashable, Sendable, Codable {
    /// The request's name and the program's key, such as `camera.photo/K`.
    package var key: String
    /// In hexadecimal: the SHA-256 of what the program asked; another request with the key is a conflict.
    package var requestHash: String

    package init(key: String, requestHash: String) {
        self.key = key
        self.requestHash = requestHash
    }
}

/// Asks what an earlier request of the program was answered with; a service that captures alone may.
///
/// A request that was not answered within 24 hours gives nothing, another one with its key `idempotencyConflict`.
package struct FindSaved: Request {
    package static let name = "library.saved"
    package var request: RequestKey

    package init(request: RequestKey) { self.request = request }

    package struct Reply: Hashable, Sendable, Codable {
        package var asset: Asset?

        package init(asset: Asset?) { self.asset = asset }
    }
}

/// Saves a photo or a video from bytes; needs `library` addOnly.
///
/// What can not be viewed or played is -3302.
package struct SaveAsset: UploadRequest {
    package typealias Reply = Asset
    package static let name = "library.save"
    package var mediaType: MediaType
    /// A suggestion; the type is found from the content.
    package var filename: String
    package var metadata: SaveMetadata?
    /// The asset of which this is a modified version.
    package var original: AssetURL?
    /// In hexadecimal: refused if the bytes that arrive are others.
    package var sha256: String?
    /// From a service, in the place of an idempotency key: the request that the bytes are the effect of.
    package var effectOf: RequestKey?

    package init(mediaType: MediaType, filename: String) {
        self.mediaType = mediaType
        self.filename = filename
    }
}

/// Takes a file into the library as it is, with its state; an operator alone may.
package struct ImportAsset: UploadRequest {
    package static let name = "library.import"
    package var filename: String
    /// RFC 3339: the file's modification time.
    package var modified: String?

    package init(filename: String, modified: String? = nil) {
        self.filename = filename
        self.modified = modified
    }

    package struct Reply: Hashable, Sendable, Codable {
        package enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
            case imported
            /// The same bytes of the same owner are there already.
            case duplicate
            /// Not media at all, or empty: nothing is kept.
            case skipped
        }

        package var outcome: Outcome
        package var reason: String?
        package var asset: Asset?

        package init(outcome: Outcome, reason: String? = nil, asset: Asset? = nil) {
            self.outcome = outcome
            self.reason = reason
            self.asset = asset
        }
    }
}

/// Asks for all groups; needs `library` read.
package struct ListGroups: Request {
    package static let name = "library.groups"
    /// Only these types; all when absent.
    package var types: [GroupType]?

    package init(types: [GroupType]? = nil) { self.types = types }

    package struct Reply: Hashable, Sendable, Codable {
        package var groups: [Group]

        package init(groups: [Group]) { self.groups = groups }
    }
}

/// Which assets are meant, and in which order.
package struct AssetQuery: Hashable, Sendable, Codable {
    package var group: GroupURL?
    package var kind: AssetKind?
    /// RFC 3339, or a date alone; compared with the wall clock of the asset.
    package var since: String?
    package var until: String?
    /// Part of the file name, without regard to case.
    package var filter: String?
    package var reverse: Bool?
    /// Assets at most; all when absent.
    package var limit: Int?
    /// Assets to be left out before the first.
    package var offset: Int?
    /// Words that begin words of the file name or the caption, without regard to case and accents; all of them have to be there.
    ///
    /// At most ``Limits/searchTextBytes``; a text without words finds nothing.
    package var text: String?
    /// Part of the camera's make or model, without regard to case.
    package var camera: String?
    /// Where it was taken; needs `location` read, too.
    package var area: MapArea?
    /// Only those that are marked as favourites.
    package var favourite: Bool?
    /// Those in the trash, in place of those that are not; needs `library` readWrite.
    package var trashed: Bool?

    package init() {}

    func check(_ path: String) throws(ErrorReply) {
        try ErrorReply.checkCount(limit, path + ".limit")
        try ErrorReply.checkCount(offset, path + ".offset")
        if let text, text.utf8.count > Limits.searchTextBytes {
            throw .invalidParameter(path + ".text", "of at most \(Limits.searchTextBytes) bytes")
        }
        if let area, !area.isValid {
            throw .invalidParameter(path + ".area", "between parallels and meridians of the Earth, its south first")
        }
    }
}

/// Enumerates assets in pages; needs `library` read.
package struct ListAssets: StreamRequest {
    package static let name = "library.assets"
    package var query: AssetQuery

    package init(query: AssetQuery) { self.query = query }

    package func checkParameters() throws(ErrorReply) { try query.check("query") }

    /// A page of assets.
    package struct Item: Hashable, Sendable, Codable {
        package var assets: [Asset]

        package init(assets: [Asset]) { self.assets = assets }
    }

    package struct Summary: Hashable, Sendable, Codable {
        package var count: Int

        package init(count: Int) { self.count = count }
    }
}

/// Asks for one asset; needs `library` read, or to have saved it.
///
/// An unknown one gives nothing.
package struct FindAsset: Request {
    package static let name = "library.asset"
    package var url: AssetURL

    package init(url: AssetURL) { self.url = url }

    package struct Reply: Hashable, Sendable, Codable {
        package var asset: Asset?

        package init(asset: Asset?) { self.asset = asset }
    }
}

/// Reads bytes of an asset's original in chunks; needs `library` read, or to have saved it.
package struct ReadAsset: StreamRequest {
    package typealias Item = Empty
    package static let name = "library.read"
    package var url: AssetURL
    /// Bytes to skip, 0 when absent; at or past the end nothing comes, and that is no error.
    package var offset: Int64?
    /// Bytes to read; to the end when absent.
    package var length: Int64?
    /// Bytes of a chunk, at most ``Limits/chunkBytes``; 256 KiB when absent.
    package var chunk: Int?
    /// What is taken out; when absent, the place for a caller who may not know it, and else nothing.
    package var privacy: PrivacyProfile?

    package init(
        url: AssetURL,
        offset: Int64? = nil,
        length: Int64? = nil,
        chunk: Int? = nil,
        privacy: PrivacyProfile? = nil
    ) {
        self.url = url
        self.offset = offset
        self.length = length
        self.chunk = chunk
        self.privacy = privacy
    }

    package func checkParameters() throws(ErrorReply) {
        try ErrorReply.checkCount(offset, "offset")
        try ErrorReply.checkCount(length, "length")
        try ErrorReply.check(chunk, 1...Limits.chunkBytes, "chunk", " bytes")
    }

    package struct Summary: Hashable, Sendable, Codable {
        /// Chunks.
        package var count: Int
        package var bytes: Int64
        /// Of the bytes sent, in hexadecimal.
        package var sha256: String
        /// Bytes of the whole file that was read of.
        package var size: Int64
        /// What was taken out of the original; absent when it was read itself.
        package var privacy: PrivacyProfile?

        package init(count: Int, bytes: Int64, sha256: String, size: Int64, privacy: PrivacyProfile? = nil) {
            self.count = count
            self.bytes = bytes
            self.sha256 = sha256
            self.size = size
            self.privacy = privacy
        }
    }
}

/// Asks for a small JPEG, upright and without metadata: the one attachment of the stream's one item.
package struct ThumbnailAsset: StreamRequest {
    package static let name = "library.thumbnail"
    package var url: AssetURL
    /// The box that it fits into, each side within ``Limits/thumbnailSides``.
    package var width: Int
    package var height: Int
    /// Whether it fills the box and is cropped to it, rather than fitting into it.
    package var fill: Bool?

    package init(url: AssetURL, width: Int, height: Int, fill: Bool? = nil) {
        self.url = url
        self.width = width
        self.height = height
        self.fill = fill
    }

    package func checkParameters() throws(ErrorReply) {
        try ErrorReply.check(width, Limits.thumbnailSides, "width", " pixels")
        try ErrorReply.check(height, Limits.thumbnailSides, "height", " pixels")
    }

    package struct Item: Hashable, Sendable, Codable {
        package var width: Int
        package var height: Int

        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    package typealias Summary = Empty
}

/// Checks every byte of the media store; an operator alone may.
package struct VerifyLibrary: Request {
    package static let name = "library.verify"

    package init() {}

    package struct Damage: Hashable, Sendable, Codable {
        package var url: AssetURL
        package var reason: String

        package init(url: AssetURL, reason: String) {
            self.url = url
            self.reason = reason
        }
    }

    package struct Reply: Hashable, Sendable, Codable {
        package var checked: Int
        package var damaged: [Damage]
        package var missing: Int
        package var orphans: Int
        package var repaired: Int

        package init(checked: Int, damaged: [Damage], missing: Int, orphans: Int, repaired: Int) {
            self.checked = checked
            self.damaged = damaged
            self.missing = missing
            self.orphans = orphans
            self.repaired = repaired
        }
    }
}

/// Asks which media types there are, for the sources; the probe alone may.
package struct LibraryContents: Request {
    package static let name = "library.contents"

    package init() {}

    package struct Reply: Hashable, Sendable, Codable {
        /// In all groups.
        package var all: [MediaType]
        /// In the saved photos.
        package var saved: [MediaType]

        package init(all: [MediaType], saved: [MediaType]) {
            self.all = all
            self.saved = saved
        }
    }
}
