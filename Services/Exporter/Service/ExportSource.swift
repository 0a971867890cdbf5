private import Media
package import MessageSchema
package import Messaging

/// Where assets come from: the library over its socket, or a test.
package struct ExportSource: Sendable {
    /// The assets that a selection means, in its order; `noSuchAsset` for one that is named and does not exist.
    package var assets: @Sendable (ExportSelection, Delegation) async throws -> [Asset]
    /// Gives an asset's bytes, chunk by chunk, and then the hash the library computed of them.
    package var read: @Sendable (Asset, Delegation, (Attachment) async throws -> Void) async throws -> String

    package init(
        assets: @escaping @Sendable (ExportSelection, Delegation) async throws -> [Asset],
        read: @escaping @Sendable (Asset, Delegation, (Attachment) async throws -> Void) async throws -> String
    ) {
        self.assets = assets
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
            read: { asset, delegation, take in
                let options = CallOptions(timeout: nil, onBehalfOf: delegation, mayPrompt: false)
                let stream = try await library.stream(ReadAsset(url: asset.url, chunk: 1 << 20), options, window: 4)
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
