private import FoundationEssentials
import MessageSchema

extension ValueReader<SaveMetadata> {
    /// Metadata as a JSON object; what is wrong with one is said by its field.
    static var saveMetadata: ValueReader<SaveMetadata> {
        let expectation =
            "a JSON object with some of date {raw, local, offsetMinutes, offsetSource, utc}, orientation, "
            + "location {latitude, longitude, altitude}, cameraMake and cameraModel"
        return ValueReader(expecting: expectation) { text in
            if case .failure(let fault) = metadata(in: text) { fault.words } else { nil }
        } _: { text in
            try? metadata(in: text).get()
        }
    }

    private static func metadata(in text: String) -> Result<SaveMetadata, MetadataFault> {
        let bytes = Array(text.utf8)
        let given: JSONFields
        do {
            given = try JSONFields(of: bytes)
        } catch {
            return .failure(MetadataFault(words: "it is no JSON object"))
        }
        do {
            let metadata = try JSONDecoder().decode(SaveMetadata.self, from: bytes.data)
            let understood = try JSONFields(of: Array(JSONLine.encode(metadata).utf8))
            let unknown = given.paths.subtracting(understood.paths).sorted()
            guard let first = unknown.first else { return .success(metadata) }
            return .failure(MetadataFault(words: "there is no field '\(first)'"))
        } catch {
            return .failure(MetadataFault(error))
        }
    }
}

/// What is wrong with metadata, in a few words.
private struct MetadataFault: Error {
    let words: String

    init(words: String) { self.words = words }

    init(_ error: any Error) {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context): self.init(words: "'\(Self.path(context, key))' is missing")
        case .typeMismatch(let type, let context):
            self.init(words: "'\(Self.path(context))' is not \(Self.name(of: "\(type)"))")
        case .valueNotFound(_, let context): self.init(words: "'\(Self.path(context))' has no value")
        case .dataCorrupted(let context): self.init(words: "'\(Self.path(context))' has a value that is not known")
        case nil: self.init(words: "it can not be read")
        @unknown default: self.init(words: "it can not be read")
        }
    }

    private static func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
        (context.codingPath + [key].compactMap(\.self)).map(\.stringValue).joined(separator: ".")
    }

    private static func name(of type: String) -> String {
        switch type {
        case "String": "a text"
        case "Int": "a whole number"
        case "Double": "a number"
        default: "an object"
        }
    }
}
