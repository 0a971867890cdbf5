import Media
import MessageSchema
import Messaging
import Testing

extension TrapTests {
    /// What a program is told that puts an asset into the trash by its URL alone.
    static func codeOfTrashing(_ url: String, _ client: MessageClient) async throws -> String? {
        let name = try #require(AssetURL(url))
        return await wireError { _ = try await client.call(TrashAssets([name])) }?.code.rawValue
    }
}
