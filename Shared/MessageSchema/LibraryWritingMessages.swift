package import Media

/// Replaces an asset's content; only who saved the asset may, and needs `library` addOnly.
///
/// The URL stays. Somebody else's asset, and one that is not there, is -3300 with the cause `notEditable`.
package struct ReplaceAsset: UploadRequest {
    package typealias Reply = Asset
    package static let name = "library.replace"
    package var url: AssetURL
    /// What the asset is: a photo stays one.
    package var mediaType: MediaType
    /// A suggestion; the type is found from the content.
    package var filename: String
    /// Wins over what the bytes say.
    package var metadata: SaveMetadata?
    /// In hexadecimal: refused if the bytes that arrive are others.
    package var sha256: String?

    package init(url: AssetURL, mediaType: MediaType, filename: String) {
        self.url = url
        self.mediaType = mediaType
        self.filename = filename
    }
}

/// Asks whether bytes could be saved, and saves nothing; nobody is asked, but a program that was denied adding is refused.
package struct CheckAsset: UploadRequest {
    package static let name = "library.check"
    package var mediaType: MediaType

    package init(mediaType: MediaType) { self.mediaType = mediaType }

    package struct Reply: Hashable, Sendable, Codable {
        /// Whether a save of the same bytes would find nothing wrong with them.
        package var compatible: Bool
        package var kind: AssetKind
        package var uti: String
        /// Why it is not compatible.
        package var reason: String?

        package init(compatible: Bool, kind: AssetKind, uti: String, reason: String? = nil) {
            self.compatible = compatible
            self.kind = kind
            self.uti = uti
            self.reason = reason
        }
    }
}
