package import Media

/// Asks what a file's metadata says, as names and texts in dictionaries; needs `library` read, or to have saved the asset.
///
/// `{TIFF}` and `{Exif}` have the names of EXIF, `{GPS}` is there for who may know the place, `{Movie}` for films. What was
/// given at the save wins over what the file says.
package struct ReadMetadata: Request {
    package static let name = "library.metadata"
    package var url: AssetURL

    package init(url: AssetURL) { self.url = url }

    package struct Reply: Hashable, Sendable, Codable {
        /// Absent for a file that nobody understands.
        package var metadata: [String: [String: String]]?

        package init(metadata: [String: [String: String]]?) { self.metadata = metadata }
    }
}

/// A part of the Earth between two parallels and two meridians; from west to east, also across the 180th.
package struct MapArea: Hashable, Sendable, Codable {
    /// Degrees, north positive.
    package var south: Double
    package var north: Double
    /// Degrees, east positive.
    package var west: Double
    package var east: Double

    package init(south: Double, west: Double, north: Double, east: Double) {
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }

    /// Whether it is one: on the Earth, and its south not beyond its north.
    package var isValid: Bool {
        (-90...90).contains(south) && (-90...90).contains(north) && south <= north
            && (-180...180).contains(west) && (-180...180).contains(east)
    }
}
