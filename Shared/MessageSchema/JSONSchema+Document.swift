/// The schemas of messages, as one JSON document: `$defs`, and under `messages` each by its name.
///
/// A message's `request` is the body of the request; `reply` that of the reply, or `item` and `summary` those of a
/// stream's items and of its `end`.
package struct SchemaDocument: Encodable, Sendable {
    /// One message.
    package struct Message: Encodable, Sendable {
        /// How it is answered.
        package enum Form: String, Encodable, Sendable {
            case request, stream, upload
        }

        package let form: Form
        package let request: JSONSchema
        package let reply: JSONSchema?
        package let item: JSONSchema?
        package let summary: JSONSchema?
    }

    /// The types that schemas refer to, by name.
    package private(set) var definitions: [String: JSONSchema]
    /// The messages, by name.
    package private(set) var messages: [String: Message]

    /// The schemas of all messages.
    ///
    /// - Throws: `SchemaProbe.Failure` for a message whose structure can not be found.
    package init() throws {
        var visitor = Visitor()
        _ = try visitor.probe.schema(of: ErrorReply.self)
        try MessageCatalogue.visit(&visitor)
        definitions = visitor.probe.definitions
        messages = visitor.messages
    }

    /// The document with one message and the types that it and errors lead to; nil when there is none of that name.
    package func only(_ name: String) -> SchemaDocument? {
        guard let message = messages[name] else { return nil }
        var document = self
        document.messages = [name: message]
        var reached: Set<String> = []
        var rest = [message.request, message.reply, message.item, message.summary].compactMap(\.self)
        rest.append(.reference("ErrorReply"))
        while let schema = rest.popLast() {
            for name in schema.references where reached.insert(name).inserted {
                if let definition = definitions[name] { rest.append(definition) }
            }
        }
        document.definitions = definitions.filter { reached.contains($0.key) }
        return document
    }

    private enum Key: String, CodingKey {
        case schema = "$schema"
        case title, description
        case definitions = "$defs"
        case messages, error
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("https://json-schema.org/draft/2020-12/schema", forKey: .schema)
        try container.encode("OBS/1", forKey: .title)
        try container.encode("Bodies of the messages, by name; unknown fields are ignored.", forKey: .description)
        try container.encode(definitions, forKey: .definitions)
        try container.encode(messages, forKey: .messages)
        try container.encode(JSONSchema.reference("ErrorReply"), forKey: .error)
    }

    private struct Visitor: MessageVisitor {
        var probe = SchemaProbe()
        var messages: [String: Message] = [:]

        mutating func visit<R: Request>(request: R.Type) throws {
            messages[R.name] = Message(
                form: .request,
                request: try probe.schema(of: R.self),
                reply: try probe.schema(of: R.Reply.self),
                item: nil,
                summary: nil
            )
        }

        mutating func visit<R: StreamRequest>(stream: R.Type) throws {
            messages[R.name] = Message(
                form: .stream,
                request: try probe.schema(of: R.self),
                reply: nil,
                item: try probe.schema(of: R.Item.self),
                summary: try probe.schema(of: R.Summary.self)
            )
        }

        mutating func visit<R: UploadRequest>(upload: R.Type) throws {
            messages[R.name] = Message(
                form: .upload,
                request: try probe.schema(of: R.self),
                reply: try probe.schema(of: R.Reply.self),
                item: nil,
                summary: nil
            )
        }
    }
}
