private import MessageSchema

/// The name of a property, as `valueForProperty:` of the Assets Library takes it.
public struct AssetProperty: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    /// Any name; one that is none gives the sentinel.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// What the asset is.
    public static let type = AssetProperty(rawValue: "ALAssetPropertyType")
    /// Where it was taken.
    public static let location = AssetProperty(rawValue: "ALAssetPropertyLocation")
    /// How long it plays.
    public static let duration = AssetProperty(rawValue: "ALAssetPropertyDuration")
    /// How the stored pixels are turned for display.
    public static let orientation = AssetProperty(rawValue: "ALAssetPropertyOrientation")
    /// When it was taken.
    public static let date = AssetProperty(rawValue: "ALAssetPropertyDate")
    /// The type identifiers of its representations.
    public static let representations = AssetProperty(rawValue: "ALAssetPropertyRepresentations")
    /// The URLs of its representations.
    public static let urls = AssetProperty(rawValue: "ALAssetPropertyURLs")
    /// Its own URL.
    public static let assetURL = AssetProperty(rawValue: "ALAssetPropertyAssetURL")
}

/// The value of a property.
public enum AssetPropertyValue: Hashable, Sendable {
    /// `ALErrorInvalidProperty`: such an asset has no such property. Neither nothing nor an error.
    case invalid
    /// The asset could have it, and has none that the program may see.
    case none
    case type(AssetType)
    case location(AssetLocation)
    /// Seconds.
    case duration(Double)
    case orientation(AssetOrientation)
    case date(AssetTime)
    case representations([String])
    /// By type identifier.
    case urls([String: String])
    case url(String)
}

extension Asset {
    /// The value of a property; ``AssetPropertyValue/invalid`` for the duration of a photo and for a name that is none.
    public func value(for property: AssetProperty) -> AssetPropertyValue {
        switch property {
        case .type: .type(type)
        case .location: location.map { .location($0) } ?? .none
        case .duration: type == .photo ? .invalid : duration.map { .duration($0) } ?? .none
        case .orientation: .orientation(orientation)
        case .date: time.map { .date($0) } ?? .none
        case .representations: .representations(representations.map(\.uti))
        case .urls: .urls(Dictionary(representations.map { ($0.uti, $0.url) }) { first, _ in first })
        case .assetURL: .url(url)
        default: .invalid
        }
    }

    /// The representation of a type; nil when the asset has none of it.
    public func representation(for uti: String) -> AssetRepresentation? {
        representations.first { $0.uti == uti }
    }
}
