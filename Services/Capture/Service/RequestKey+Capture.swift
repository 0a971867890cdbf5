private import FoundationEssentials
private import Hashing
package import MessageSchema

extension RequestKey {
    /// A program's capture, by the key it gave; scoped to the message, so that a photo and a film may have the same.
    package init(_ name: String, key: String, asked: CaptureSettings) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let hash = SHA256Digest(hashing: Array(try encoder.encode(asked)))
        self.init(key: "\(name)/\(key)", requestHash: hash.description)
    }
}
