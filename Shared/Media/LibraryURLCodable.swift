/// A URL of the library's, which is written as its text everywhere.
package protocol LibraryURLCodable: Codable, Hashable, Sendable, CustomStringConvertible {
    /// What it names, for errors.
    static var named: String { get }

    /// Reads a URL; nil when the text is malformed.
    init?(_ text: String)
}

extension LibraryURLCodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let url = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the URL of \(Self.named)")
        }
        self = url
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
