/// Checks JSON against a JSON Schema document: the part of draft 2020-12 that ours use, and nothing else is accepted.
struct SchemaValidator {
    let document: JSONValue

    /// What is wrong with a value; empty when it is valid.
    func problems(of value: JSONValue, against schema: JSONValue, at path: String = "$") throws -> [String] {
        guard case .object(let keywords) = schema else { return ["\(path): the schema is no object"] }
        if case .string(let reference)? = keywords["$ref"] {
            guard let target = resolve(reference) else { return ["\(path): \(reference) is not defined"] }
            return try problems(of: value, against: target, at: path)
        }
        let known: Set = ["type", "enum", "pattern", "items", "properties", "required", "additionalProperties"]
        let unknown = keywords.keys.filter { !known.contains($0) }
        guard unknown.isEmpty else { return ["\(path): keywords \(unknown) are not understood"] }
        var found: [String] = []
        if case .array(let allowed)? = keywords["enum"], !allowed.contains(value) {
            found.append("\(path): \(value) is none of \(allowed)")
        }
        let type = Self.type(keywords["type"], for: value)
        switch (type, value) {
        case (.string("string"), .string(let text)):
            if case .string(let pattern)? = keywords["pattern"], try Regex(pattern).firstMatch(in: text) == nil {
                found.append("\(path): '\(text)' does not match \(pattern)")
            }
        case (.string("integer"), .number(let number)) where number.rounded() == number: break
        case (.string("number"), .number), (.string("boolean"), .boolean): break
        case (.string("array"), .array(let items)):
            guard let schema = keywords["items"] else { return ["\(path): items without a schema"] }
            for (index, item) in items.enumerated() {
                found += try problems(of: item, against: schema, at: "\(path)[\(index)]")
            }
        case (.string("object"), .object(let fields)):
            found += try problems(of: fields, keywords, at: path)
        default:
            found.append("\(path): \(value) is no \(keywords["type"] ?? .null)")
        }
        return found
    }

    /// Of several types the one that a value is, of those that ours name: a text, or something else.
    private static func type(_ type: JSONValue?, for value: JSONValue) -> JSONValue? {
        guard case .array(let types)? = type else { return type }
        let isText = if case .string = value { true } else { false }
        return types.first { ($0 == .string("string")) == isText }
    }

    private func problems(
        of fields: [String: JSONValue],
        _ keywords: [String: JSONValue],
        at path: String
    ) throws -> [String] {
        var found: [String] = []
        if case .array(let required)? = keywords["required"] {
            for case .string(let name) in required where fields[name] == nil { found.append("\(path): no \(name)") }
        }
        for (name, field) in fields {
            // Stricter than JSON Schema: our golden files have no field that the schema does not know.
            guard let schema = keywords["properties"]?[name] ?? keywords["additionalProperties"] else {
                found.append("\(path): \(name) is not in the schema")
                continue
            }
            found += try problems(of: field, against: schema, at: "\(path).\(name)")
        }
        return found
    }

    private func resolve(_ reference: String) -> JSONValue? {
        guard reference.hasPrefix("#/$defs/") else { return nil }
        return document["$defs"]?[String(reference.dropFirst(8))]
    }
}
