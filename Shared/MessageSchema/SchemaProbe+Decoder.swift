/// What a value turned out to be while it was decoded.
final class SchemaNode {
    /// An object without properties, until the type asks for something else.
    var schema = JSONSchema.object(properties: [:], required: [])

    func addProperty(_ name: String, _ property: JSONSchema, isRequired: Bool) {
        guard case .object(var properties, var required) = schema else { return }
        properties[name] = property
        if isRequired { required.insert(name) }
        schema = .object(properties: properties, required: required)
    }
}

/// Gives every type what it asks for, and notes it.
struct SchemaValueDecoder: Decoder {
    /// What a single value is.
    enum Sample {
        case any
        case text(String)
        case number(Int)
    }

    let notes: SchemaNotes
    let sample: Sample
    let node = SchemaNode()
    let codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(SchemaFields<Key>(notes: notes, node: node))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { SchemaItems(notes: notes, node: node) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SchemaValue(notes: notes, node: node, sample: sample)
    }
}

/// One value.
private struct SchemaValue: SingleValueDecodingContainer {
    let notes: SchemaNotes
    let node: SchemaNode
    let sample: SchemaValueDecoder.Sample
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { false }

    func decode(_: Bool.Type) throws -> Bool {
        node.schema = .boolean
        return true
    }

    func decode(_: String.Type) throws -> String {
        node.schema = .string(pattern: nil)
        if case .text(let text) = sample { return text }
        return "text"
    }

    func decode(_: Double.Type) throws -> Double {
        node.schema = .number
        return 1.5
    }

    func decode(_: Float.Type) throws -> Float {
        node.schema = .number
        return 1.5
    }

    func decode(_: Int.Type) throws -> Int { integer() }
    func decode(_: Int8.Type) throws -> Int8 { integer() }
    func decode(_: Int16.Type) throws -> Int16 { integer() }
    func decode(_: Int32.Type) throws -> Int32 { integer() }
    func decode(_: Int64.Type) throws -> Int64 { integer() }
    func decode(_: UInt.Type) throws -> UInt { integer() }
    func decode(_: UInt8.Type) throws -> UInt8 { integer() }
    func decode(_: UInt16.Type) throws -> UInt16 { integer() }
    func decode(_: UInt32.Type) throws -> UInt32 { integer() }
    func decode(_: UInt64.Type) throws -> UInt64 { integer() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (schema, value) = try notes.describe(type)
        node.schema = schema
        return value
    }

    private func integer<Value: FixedWidthInteger>() -> Value {
        node.schema = .integer
        if case .number(let number) = sample { return Value(clamping: number) }
        return 1
    }
}

/// The items of an array: there is one.
private struct SchemaItems: UnkeyedDecodingContainer {
    let notes: SchemaNotes
    let node: SchemaNode
    let codingPath: [any CodingKey] = []
    let count: Int? = 1
    var currentIndex = 0
    var isAtEnd: Bool { currentIndex > 0 }

    init(notes: SchemaNotes, node: SchemaNode) {
        self.notes = notes
        self.node = node
    }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (schema, value) = try notes.describe(type)
        node.schema = .array(of: schema)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw SchemaProbe.Failure(description: "an object without a type, in an array")
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw SchemaProbe.Failure(description: "an array without a type, in an array")
    }

    mutating func superDecoder() throws -> any Decoder {
        throw SchemaProbe.Failure(description: "a class, in an array")
    }
}

/// The fields of an object; a type that asks which there are is a dictionary.
private struct SchemaFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let notes: SchemaNotes
    let node: SchemaNode
    let codingPath: [any CodingKey] = []

    var allKeys: [Key] {
        node.schema = .map(of: .boolean)
        return Key(stringValue: "key").map { [$0] } ?? []
    }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try note(type, key, isRequired: true)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try note(type, key, isRequired: false)
    }

    private func note<Value: Decodable>(_ type: Value.Type, _ key: Key, isRequired: Bool) throws -> Value {
        let (schema, value) = try notes.describe(type)
        if case .map = node.schema {
            node.schema = .map(of: schema)
        } else {
            node.addProperty(key.stringValue, schema, isRequired: isRequired)
        }
        return value
    }

    // The typed forms, which the compiler prefers, lead to the general one.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try note(type, key, isRequired: false) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try note(type, key, isRequired: false)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try note(type, key, isRequired: false)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try note(type, key, isRequired: false) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try note(type, key, isRequired: false)
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try note(type, key, isRequired: false)
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try note(type, key, isRequired: false)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        throw SchemaProbe.Failure(description: "an object without a type: \(key.stringValue)")
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw SchemaProbe.Failure(description: "an array without a type: \(key.stringValue)")
    }

    func superDecoder() throws -> any Decoder { throw SchemaProbe.Failure(description: "a class") }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw SchemaProbe.Failure(description: "a class") }
}
