/// A JSON Schema (draft 2020-12), as far as messages need one.
package indirect enum JSONSchema: Hashable, Sendable {
    /// A text; where it is known, its form.
    case string(pattern: String?)
    /// One of these texts.
    case words([String])
    /// One of these numbers.
    case numbers([Int])
    case integer, number, boolean
    /// A whole number, or a text.
    case integerOrText
    /// An array of one kind of items.
    case array(of: JSONSchema)
    /// An object with these properties, of which those in `required` are always there.
    case object(properties: [String: JSONSchema], required: Set<String>)
    /// An object with any keys.
    case map(of: JSONSchema)
    /// What is defined under that name.
    case reference(String)
}

extension JSONSchema {
    /// The names of the definitions that it refers to, itself and in its parts.
    package var references: Set<String> {
        switch self {
        case .reference(let name): [name]
        case .array(let inner), .map(let inner): inner.references
        case .object(let properties, _): properties.values.reduce(into: []) { $0.formUnion($1.references) }
        case .string, .words, .numbers, .integer, .number, .boolean, .integerOrText: []
        }
    }
}

extension JSONSchema: Encodable {
    private enum Key: String, CodingKey {
        case type, pattern, words = "enum", items, properties, required, additionalProperties, reference = "$ref"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .string(let pattern):
            try container.encode("string", forKey: .type)
            try container.encodeIfPresent(pattern, forKey: .pattern)
        case .words(let words):
            try container.encode("string", forKey: .type)
            try container.encode(words, forKey: .words)
        case .numbers(let numbers):
            try container.encode("integer", forKey: .type)
            try container.encode(numbers, forKey: .words)
        case .integer: try container.encode("integer", forKey: .type)
        case .number: try container.encode("number", forKey: .type)
        case .boolean: try container.encode("boolean", forKey: .type)
        case .integerOrText: try container.encode(["integer", "string"], forKey: .type)
        case .array(let items):
            try container.encode("array", forKey: .type)
            try container.encode(items, forKey: .items)
        case .object(let properties, let required):
            try container.encode("object", forKey: .type)
            try container.encode(properties, forKey: .properties)
            if !required.isEmpty { try container.encode(required.sorted(), forKey: .required) }
        case .map(let values):
            try container.encode("object", forKey: .type)
            try container.encode(values, forKey: .additionalProperties)
        case .reference(let name): try container.encode("#/$defs/\(name)", forKey: .reference)
        }
    }
}
