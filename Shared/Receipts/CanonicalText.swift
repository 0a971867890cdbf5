private import FoundationEssentials

/// A JSON document of texts, lists and objects, and its canonical form (RFC 8785, JSON Canonicalization Scheme).
///
/// Numbers, truth values and null are refused: what is signed has none, so that nobody has to write numbers alike.
package indirect enum CanonicalText: Encodable, Hashable, Sendable {
    case text(String)
    case list([CanonicalText])
    case object([String: CanonicalText])

    /// Reads a document in UTF-8.
    ///
    /// An object that has a name twice is refused (RFC 8785, section 3.1: input is I-JSON, RFC 7493): readers differ in which of the
    /// two they take, and would read another document than the one that was checked.
    ///
    /// - Throws: `CanonicalTextError` for what is no such JSON.
    package init(decoding bytes: [UInt8]) throws(CanonicalTextError) {
        self = try CanonicalTextReader.read(bytes)
    }

    /// The document that a value is written as.
    ///
    /// - Throws: `CanonicalTextError` when there are numbers, truth values or null in it; `EncodingError`.
    package init(encoding value: some Encodable) throws {
        try self.init(decoding: Array(JSONEncoder().encode(value)))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }

    /// The value of a name of an object.
    package subscript(name: String) -> CanonicalText? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    /// The text, if it is one.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The canonical form in UTF-8: no white space, names in the order of their UTF-16 units, and only escaped what has to be.
    package var canonicalForm: [UInt8] { Array(written.utf8) }

    private var written: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .list(let list): "[" + list.map(\.written).joined(separator: ",") + "]"
        case .object(let object):
            "{"
                + object.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
                .map { Self.quoted($0.key) + ":" + $0.value.written }.joined(separator: ",") + "}"
        }
    }

    /// RFC 8785, section 3.2.2.2.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{08}": result += "\\b"
            case "\u{09}": result += "\\t"
            case "\u{0A}": result += "\\n"
            case "\u{0C}": result += "\\f"
            case "\u{0D}": result += "\\r"
            case "\u{00}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
