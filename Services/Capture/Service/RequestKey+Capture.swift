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

    /// The key of one of a request's pictures, from 0; no other key of a program is the same.
    func picture(_ index: Int) -> RequestKey {
        guard index > 0, let slash = key.firstIndex(of: "/") else { return self }
        return RequestKey(key: "\(key[..<slash])#\(index)\(key[slash...])", requestHash: requestHash)
    }
}
