/// What an asset is: `unknown` is a file that was imported and is neither a picture nor a film that is understood.
package enum AssetKind: String, Hashable, Sendable, Codable, CaseIterable {
    case photo, video, unknown
}
