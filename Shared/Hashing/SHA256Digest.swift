/// The 32 bytes of a SHA-256 hash (FIPS 180-4).
package struct SHA256Digest: Hashable, Sendable {
    private let words: [4 of UInt64]

    /// The digest with these bytes; nil unless there are 32.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: [4 of UInt64] = .init(repeating: 0)
        for (index, byte) in bytes.enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
        self.words = words
    }

    /// Reads 64 hexadecimal digits of either case; nil for anything else.
    package init?(_ text: String) {
        guard let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// The hash of these bytes.
    package init(hashing bytes: [UInt8]) {
        let hasher = SHA256()
        hasher.update(bytes)
        self = hasher.finish()
    }

    /// The hash of the UTF-8 form of this text.
    package init(hashing text: String) {
        self.init(hashing: Array(text.utf8))
    }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for index in 0..<4 {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: words[index] >> UInt64(shift)))
            }
        }
        return bytes
    }

    package static func == (left: SHA256Digest, right: SHA256Digest) -> Bool {
        left.words[0] == right.words[0] && left.words[1] == right.words[1] && left.words[2] == right.words[2]
            && left.words[3] == right.words[3]
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words[0])
        hasher.combine(words[1])
        hasher.combine(words[2])
        hasher.combine(words[3])
    }
}

extension SHA256Digest: LosslessStringConvertible {
    /// 64 hexadecimal digits in lower case.
    package var description: String { bytes.hexadecimal }
}

/// As 64 hexadecimal digits in a JSON string.
extension SHA256Digest: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = SHA256Digest(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not 64 hexadecimal digits")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
