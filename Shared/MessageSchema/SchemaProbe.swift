/// Finds the structure of `Decodable` types by letting them decode from a probe that notes what they ask for.
///
/// So the schema is that of the code that reads messages, and can not differ from it. Structures are defined once,
/// under their name, and referred to.
package struct SchemaProbe {
    /// A type whose structure can not be found.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let notes = SchemaNotes()

    package init() {}

    /// What was defined so far, by name.
    package var definitions: [String: JSONSchema] { notes.definitions }

    /// The schema of a type.
    ///
    /// - Throws: `Failure` for a type that decodes in a way that is not foreseen.
    package func schema<Value: Decodable>(of type: Value.Type) throws -> JSONSchema {
        try notes.describe(type).schema
    }

    /// A value of a type in which every field is there.
    ///
    /// - Throws: `Failure` for a type that decodes in a way that is not foreseen.
    package func sample<Value: Decodable>(of type: Value.Type) throws -> Value {
        try notes.describe(type).value
    }
}

/// What is known about types while they are probed; confined to one call of the probe.
final class SchemaNotes {
    private(set) var definitions: [String: JSONSchema] = [:]

    /// The schema of a type, and a value of it that the type's own decoding made.
    func describe<Value: Decodable>(_ type: Value.Type) throws -> (schema: JSONSchema, value: Value) {
        if let text = type as? any SchemaText.Type {
            let value = try type.init(from: SchemaValueDecoder(notes: self, sample: .text(text.schemaSample)))
            return (.string(pattern: text.schemaPattern), value)
        }
        if type is any SchemaIntegerOrText.Type {
            return (.integerOrText, try type.init(from: SchemaValueDecoder(notes: self, sample: .number(1))))
        }
        if let words = Self.words(of: type), let first = words.first {
            return (.words(words), try type.init(from: SchemaValueDecoder(notes: self, sample: .text(first))))
        }
        if let numbers = Self.numbers(of: type), let first = numbers.first {
            return (.numbers(numbers), try type.init(from: SchemaValueDecoder(notes: self, sample: .number(first))))
        }
        let decoder = SchemaValueDecoder(notes: self, sample: .any)
        let value = try type.init(from: decoder)
        guard case .object = decoder.node.schema else { return (decoder.node.schema, value) }
        let name = Self.name(of: type)
        definitions[name] = decoder.node.schema
        return (.reference(name), value)
    }

    /// The type's name within its module.
    private static func name<Value>(of type: Value.Type) -> String {
        String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
    }

    private static func words<Value>(of type: Value.Type) -> [String]? {
        (type as? any CaseIterable.Type).flatMap { rawValues($0, String.self) }
    }

    private static func numbers<Value>(of type: Value.Type) -> [Int]? {
        (type as? any CaseIterable.Type).flatMap { rawValues($0, Int.self) }
    }

    private static func rawValues<Cases: CaseIterable, Raw>(_ type: Cases.Type, _: Raw.Type) -> [Raw]? {
        let all = type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? Raw }
        return all.count == type.allCases.count && !all.isEmpty ? all : nil
    }
}
