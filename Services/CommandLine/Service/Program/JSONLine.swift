private import FoundationEssentials

/// A value as one line of JSON, its keys in alphabetical order.
package enum JSONLine {
    /// The line, without a line feed.
    ///
    /// A value that JSON can not hold (a number that is not finite) traps.
    package static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            preconditionFailure("a message is JSON: \(error)")
        }
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
