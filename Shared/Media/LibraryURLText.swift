/// The parts of an `assets-library:` URL that the two kinds share.
struct LibraryURLText {
    let path: String
    /// The query's items; a name that comes twice makes the text malformed.
    let items: [String: String]

    /// - Returns: `nil` unless the text is `assets-library://<host>/<path>?<items>` of at most 512 bytes.
    init?(_ text: String, host: String) {
        guard text.utf8.count <= 512 else { return nil }
        let start = "assets-library://\(host)/"
        guard text.count > start.count, text.prefix(start.count).lowercased() == start else { return nil }
        let rest = text.dropFirst(start.count)
        guard let mark = rest.firstIndex(of: "?") else { return nil }
        path = String(rest[..<mark])
        guard !path.contains("/") else { return nil }

        var items: [String: String] = [:]
        for item in rest[rest.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false) {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, items.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
                return nil
            }
        }
        self.items = items
    }

    /// Whether `text` is 8-4-4-4-12 hexadecimal digits (RFC 9562).
    static func isUUID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return false }
        return groups.joined().allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"):
                true
            default: false
            }
        }
    }
}
