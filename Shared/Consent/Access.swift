/// What is done with a resource.
package enum Access: String, TextCodable, CaseIterable {
    /// Use a camera, a microphone, or the exporter.
    case use
    /// Put something into the library and handle what came of it; nothing else of the library.
    case addOnly
    /// Read the library, or the location in it.
    case read
    /// Read and change everything in the library.
    case readWrite

    package init?(_ description: String) {
        self.init(rawValue: description)
    }

    package var description: String { rawValue }

    /// Whether a grant of this access allows `other`: `readWrite` allows all of the library, the others only themselves.
    package func covers(_ other: Access) -> Bool {
        self == other || (self == .readWrite && (other == .read || other == .addOnly))
    }

    /// Whether a denial of this access refuses `other`: a "no" to less is a "no" to more (`addOnly` < `read` < `readWrite`).
    package func refuses(_ other: Access) -> Bool {
        guard let mine = libraryRank, let theirs = other.libraryRank else { return self == other }
        return mine <= theirs
    }

    private var libraryRank: Int? {
        switch self {
        case .use: nil
        case .addOnly: 0
        case .read: 1
        case .readWrite: 2
        }
    }
}
