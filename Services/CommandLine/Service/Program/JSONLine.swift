private import FoundationEssentials

/// A value as one line of JSON, its keys in alphabetical order.
package enum JSONLine {
    /// The line, without a line feed; what would steer a terminal is escaped, as JSON lets every character be.
    ///
    /// A value that JSON can not hold (a number that is not finite) traps.
    package static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
        } catch {
            preconditionFailure("a message is JSON: \(error)")
        }
    }

    /// RFC 8259 has only U+0000 to U+001F escaped; DEL and the C1 controls of ECMA-48 steer terminals too.
    private static func escaped(_ line: String) -> String {
        guard line.unicodeScalars.contains(where: { (0x7F...0x9F).contains($0.value) }) else { return line }
        var result = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            if (0x7F...0x9F).contains(scalar.value) {
                result.append(contentsOf: "\\u00\(String(scalar.value, radix: 16))".unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}

/// One line of a stream: the value's own fields and `type`.
package struct StreamLine<Value: Encodable>: Encodable {
    /// What a line of a stream is.
    package enum Kind: String, Encodable, Sendable {
        case item, progress, result
    }

    private let kind: Kind
    private let value: Value

    /// A line of that kind; `value` is a JSON object without a field `type`.
    package init(_ kind: Kind, _ value: Value) {
        self.kind = kind
        self.value = value
    }

    private enum Key: String, CodingKey { case type }

    package func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(kind, forKey: .type)
    }
}
