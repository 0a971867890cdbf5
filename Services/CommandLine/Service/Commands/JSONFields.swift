private import FoundationEssentials

/// Which fields a JSON object has, such as `location.latitude`; those that are null are not there.
struct JSONFields: Sendable {
    let paths: Set<String>

    /// Reads the bytes of a JSON object.
    ///
    /// - Throws: `DecodingError`.
    init(of bytes: [UInt8]) throws {
        paths = try JSONDecoder().decode([String: Field?].self, from: bytes.data).reduce(into: []) { paths, field in
            guard let value = field.value else { return }
            paths.formUnion(value.paths.map { $0.isEmpty ? field.key : "\(field.key).\($0)" })
        }
    }
}

/// A value, as far as its fields go.
private struct Field: Decodable {
    /// The paths of the fields in it, and an empty one for itself.
    let paths: Set<String>

    init(from decoder: any Decoder) throws {
        var paths: Set<String> = [""]
        // What is no object has no fields.
        if let fields = try? decoder.singleValueContainer().decode([String: Field?].self) {
            for case (let key, let value?) in fields {
                paths.formUnion(value.paths.map { $0.isEmpty ? key : "\(key).\($0)" })
            }
        }
        self.paths = paths
    }
}
