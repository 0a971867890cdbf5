package import Media

/// Tells size and hash of what ``ReadAsset`` gives with the same privacy; needs what that does.
package struct DigestAsset: Request {
    package static let name = "library.digest"
    package var url: AssetURL
    /// As in ``ReadAsset``.
    package var privacy: PrivacyProfile?

    package init(url: AssetURL, privacy: PrivacyProfile? = nil) {
        self.url = url
        self.privacy = privacy
    }

    package struct Reply: Hashable, Sendable, Codable {
        package var bytes: Int64
        /// In hexadecimal.
        package var sha256: String
        /// What is taken out of the original; absent when it is the original.
        package var privacy: PrivacyProfile?

        package init(bytes: Int64, sha256: String, privacy: PrivacyProfile? = nil) {
            self.bytes = bytes
            self.sha256 = sha256
            self.privacy = privacy
        }
    }
}
