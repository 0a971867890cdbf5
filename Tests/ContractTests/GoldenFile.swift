import FoundationEssentials
import MessageSchema

/// The file that holds a message's parts as they are on the wire: `request`, and `reply`, or `item` and `summary`.
struct GoldenFile {
    let path: String

    static let folder = String(#filePath.dropLast("GoldenFile.swift".count)) + "Golden"

    init(of message: String) { path = "\(Self.folder)/\(message).json" }

    func read() throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: try Data(contentsOf: URL(filePath: path)))
    }

    /// Writes a first version, to be made a good example by hand.
    func write(_ parts: [String: JSONValue]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        try (try encoder.encode(parts) + [UInt8(ascii: "\n")]).write(to: URL(filePath: path))
    }
}

/// A message as its golden file is checked with: by name, with what each part becomes when it is decoded and encoded.
struct GoldenMessage: Sendable {
    struct Part: Sendable {
        let name: String
        /// Decodes and encodes again.
        let replay: @Sendable (JSONValue) throws -> JSONValue
        /// A value in which every field is there.
        let sample: @Sendable () throws -> JSONValue
    }

    let name: String
    let typeName: String
    let parts: [Part]

    static func all() throws -> [GoldenMessage] {
        var collector = Collector()
        try MessageCatalogue.visit(&collector)
        return collector.messages
    }

    private struct Collector: MessageVisitor {
        var messages: [GoldenMessage] = []

        mutating func visit<R: Request>(request: R.Type) throws {
            add(R.name, R.self, [part("request", R.self), part("reply", R.Reply.self)])
        }

        mutating func visit<R: StreamRequest>(stream: R.Type) throws {
            add(
                R.name,
                R.self,
                [part("request", R.self), part("item", R.Item.self), part("summary", R.Summary.self)]
            )
        }

        mutating func visit<R: UploadRequest>(upload: R.Type) throws {
            add(R.name, R.self, [part("request", R.self), part("reply", R.Reply.self)])
        }

        private mutating func add<R>(_ name: String, _: R.Type, _ parts: [Part]) {
            messages.append(GoldenMessage(name: name, typeName: String(describing: R.self), parts: parts))
        }

        private func part<Value: Codable & Sendable>(_ name: String, _ type: Value.Type) -> Part {
            Part(name: name) {
                try JSONValue(encoding: try $0.decoded(as: type))
            } sample: {
                try JSONValue(encoding: try SchemaProbe().sample(of: type))
            }
        }
    }
}
