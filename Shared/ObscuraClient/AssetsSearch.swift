private import Media
import MessageSchema

/// What assets are looked for by; everything that is given has to be so.
public struct AssetsSearch: Hashable, Sendable {
    /// A part of the Earth between two parallels and two meridians; from west to east, also across the 180th.
    public struct Area: Hashable, Sendable {
        /// Degrees, north positive.
        public var south, north: Double
        /// Degrees, east positive.
        public var west, east: Double

        /// Makes an area.
        public init(south: Double, west: Double, north: Double, east: Double) {
            self.south = south
            self.west = west
            self.north = north
            self.east = east
        }
    }

    /// Words that begin words of the file name or the caption, without regard to case and accents.
    public var text: String?
    /// Part of the camera's make or model.
    public var camera: String?
    /// Where it was taken; needs the permission to know places, too.
    public var area: Area?
    /// RFC 3339, or a date alone: not before; compared with the wall clock of the asset.
    public var since: String?
    /// RFC 3339, or a date alone: not after; a day with all its hours.
    public var until: String?
    /// Only photos, or only videos.
    public var filter = AssetsFilter.allAssets
    /// Only favourites.
    public var onlyFavourites = false

    /// Looks for everything.
    public init() {}
}

extension AssetsLibrary {
    /// Assets that are looked for, in the order in which people see them.
    ///
    /// - Returns: A sequence that asks the library while it is iterated over.
    public func assets(_ search: AssetsSearch, isReversed: Bool = false, limit: Int? = nil) -> Assets {
        var query = AssetQuery()
        query.text = search.text
        query.camera = search.camera
        query.area = search.area.map {
            MapArea(south: $0.south, west: $0.west, north: $0.north, east: $0.east)
        }
        query.since = search.since
        query.until = search.until
        query.kind = search.filter.kind
        query.favourite = search.onlyFavourites ? true : nil
        query.reverse = isReversed ? true : nil
        query.limit = limit
        return Assets(cluster, Query(query))
    }
}
