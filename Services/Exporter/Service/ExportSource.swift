private import Media
package import MessageSchema
package import Messaging

/// Where assets come from: the library over its socket, or a test.
package struct ExportSource: Sendable {
    /// The assets that a selection means, in its order; `noSuchAsset` for one that is named and does not exist.
    package var assets: @Sendable (ExportSelection, Delegation) async throws -> [Asset]
    /// Size and hash of an asset's bytes without what a profile takes out.
    package var digest: @Sendable (Asset, PrivacyProfile, Delegation) async throws -> DigestAsset.Reply
    /// Gives an asset's bytes, without what its `privacy` takes out, chunk by chunk, and then the hash the library computed
    /// of them.
    package var read: @Sendable (Asset, Delegation, (Attachment) async throws -> Void) async throws -> String

    package init(
        assets: @escaping @Sendable (ExportSelection, Delegation) async throws -> [Asset],
        digest: @escaping @Sendable (Asset, PrivacyProfile, Delegation) async throws -> DigestAsset.Reply,
        read: @escaping @Sendable (Asset, Delegation, (Attachment) async throws -> Void) async throws -> String
    ) {
        self.assets = assets
        self.digest = digest
        self.read = read
    }

    /// The library that a client reaches.
    package init(library: MessageClient) {
        self.init(
            assets: { selection, delegation in
                guard let urls = selection.assets else {
                    return try await Self.list(selection.query ?? AssetQuery(), library, delegation)
                }
                var found: [Asset] = []
                var named: Set<String> = []
                // Named twice it is still one asset; its extension is not compared.
                for url in urls where named.insert(url.id).inserted {
                    let options = CallOptions(onBehalfOf: delegation, mayPrompt: false)
                    guard let asset = try await library.call(FindAsset(url: url), options).asset else {
                        throw ErrorReply(.noSuchAsset, "There is no asset \(url)", parameters: ["url": "\(url)"])
                    }
                    found.append(asset)
                }
                return found
            },
            digest: { asset, privacy, delegation in
                // The library reads a long film to its end before it answers the first time.
                let options = CallOptions(timeout: nil, onBehalfOf: delegation, mayPrompt: false)
                return try await library.call(DigestAsset(url: asset.url, privacy: privacy), options)
            },
            read: { asset, delegation, take in
                let options = CallOptions(timeout: nil, onBehalfOf: delegation, mayPrompt: false)
                // Said, so that what is taken away meanwhile ends the reading rather than changes it.
                let request = ReadAsset(url: asset.url, chunk: 1 << 20, privacy: asset.privacy ?? PrivacyProfile.none)
                let stream = try await library.stream(request, options, window: 4)
                while let item = try await stream.next() {
                    for chunk in item.attachments { try await take(chunk) }
                }
                return stream.summary?.sha256 ?? ""
            }
        )
    }

    private static func list(
        _ query: AssetQuery,
        _ library: MessageClient,
        _ delegation: Delegation
    ) async throws -> [Asset] {
        let options = CallOptions(timeout: nil, onBehalfOf: delegation, mayPrompt: false)
        let stream = try await library.stream(ListAssets(query: query), options)
        var found: [Asset] = []
        while let page = try await stream.next() { found += page.value.assets }
        return found
    }
}
