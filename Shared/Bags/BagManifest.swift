package import Hashing

/// A manifest: a hash and a path a line, in the form that sha256sum(1) checks too.
///
/// Source: RFC 8493 section 2.1.3: LF, CR and `%` in paths are percent-encoded, nothing else.
package enum BagManifest {
    package static let name = "manifest-sha256.txt"
    package static let tagName = "tagmanifest-sha256.txt"
    /// A million files with long names; more is not read.
    package static let maximumByteCount = 512 << 20

    /// The file's bytes, sorted by path.
    package static func encoded(_ digests: [String: SHA256Digest]) -> [UInt8] {
        var text = ""
        for (path, digest) in digests.sorted(by: { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }) {
            text += "\(digest)  \(escaped(path))\n"
        }
        return Array(text.utf8)
    }

    /// The paths and their hashes.
    ///
    /// - Throws: `damagedTagFile` for a line that is none.
    package static func decoded(_ bytes: [UInt8]) throws(BagError) -> [String: SHA256Digest] {
        var found: [String: SHA256Digest] = [:]
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let hash = line.prefix { $0 != 0x20 && $0 != 0x09 }
            let path = line.dropFirst(hash.count).drop { $0 == 0x20 || $0 == 0x09 }
            guard let digest = SHA256Digest(String(decoding: hash, as: UTF8.self).lowercased()), !path.isEmpty else {
                throw BagError(.damagedTagFile, "a line of the manifest has no hash and path")
            }
            found[unescaped(String(decoding: path, as: UTF8.self))] = digest
        }
        return found
    }

    private static let escapes: [(Character, String)] = [("%", "%25"), ("\n", "%0A"), ("\r", "%0D")]

    private static func escaped(_ path: String) -> String {
        // CR LF is one Character: go by scalars.
        String(
            path.unicodeScalars.map { scalar in
                escapes.first { $0.0 == Character(scalar) }?.1 ?? String(scalar)
            }.joined()
        )
    }

    private static func unescaped(_ path: String) -> String {
        var result = ""
        var rest = path[...]
        while let next = rest.first {
            let code = rest.prefix(3).uppercased()
            if let (character, _) = escapes.first(where: { $0.1 == code }) {
                result.append(character)
                rest = rest.dropFirst(3)
            } else {
                result.append(next)
                rest.removeFirst()
            }
        }
        return result
    }
}
