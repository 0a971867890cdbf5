private import Hashing
private import Media

/// The identifier of an asset or a group: a random UUID (RFC 9562, version 4).
package struct AssetID: Hashable, Sendable, CustomStringConvertible {
    /// The 16 bytes, as the database keeps them.
    package let bytes: [UInt8]

    /// A new one.
    package init() {
        var bytes = randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.bytes = bytes
    }

    /// Takes 16 bytes; nil for another count.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads 8-4-4-4-12 hexadecimal digits.
    package init?(_ text: String) {
        guard
            text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map(\.count)
                == [8, 4, 4, 4, 12]
        else { return nil }
        guard let bytes = [UInt8](hexadecimal: text.filter { $0 != "-" }) else { return nil }
        self.init(bytes: bytes)
    }

    /// In capitals, with hyphens.
    package var description: String {
        let digits = bytes.hexadecimal.uppercased()
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}
