/// A value that is written in messages, in the database and on the command line as one and the same text.
package protocol TextCodable: Codable, Hashable, Sendable, LosslessStringConvertible {}

extension TextCodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not the text of a \(Self.self): \(EscapedText(text, limit: 80).text)"
            )
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// An enumeration with raw texts would find two ways to be coded, equally good, and the compiler would take a third:
/// `{"use":{}}`.
extension TextCodable where Self: RawRepresentable<String> {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(rawValue: text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not the text of a \(Self.self): \(EscapedText(text, limit: 80).text)"
            )
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
