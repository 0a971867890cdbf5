/// The stable name of an asset or of a group.
package enum LibraryURL: LibraryURLCodable {
    package static let named = "an asset or a group"

    case asset(AssetURL)
    case group(GroupURL)

    /// Reads either kind of URL.
    ///
    /// - Returns: `nil` if the text is malformed.
    package init?(_ text: String) {
        if let url = AssetURL(text) {
            self = .asset(url)
        } else if let url = GroupURL(text) {
            self = .group(url)
        } else {
            return nil
        }
    }

    /// The asset's; nil for a group.
    package var asset: AssetURL? { if case .asset(let url) = self { url } else { nil } }

    /// The group's; nil for an asset.
    package var group: GroupURL? { if case .group(let url) = self { url } else { nil } }

    package var description: String {
        switch self {
        case .asset(let url): url.description
        case .group(let url): url.description
        }
    }
}
