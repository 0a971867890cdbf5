private import FoundationEssentials
import MessageSchema

/// Bodies to and from JSON, with one coder for all of them.
///
/// Depth and size are checked before the decoder sees a byte. Bodies hold no dates and no bytes, so both coders are at
/// their defaults.
enum BodyCodec {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }()
    private static let decoder = JSONDecoder()

    /// The body of a message that has none to give.
    static let empty = Array("{}".utf8)

    /// - Throws: `EncodingError` for a value that JSON has no form for.
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        value is Empty ? empty : [UInt8](try encoder.encode(value))
    }

    /// Decodes a body; no body at all counts as `{}`.
    ///
    /// - Throws: ``MalformedMessage`` saying which field is wrong, in words that hold nothing of the message but
    ///   the names of its fields.
    static func decode<Value: Decodable>(_ type: Value.Type, from body: Attachment?) throws(MalformedMessage) -> Value {
        if let empty = Empty() as? Value { return empty }
        guard let body, body.count > 0 else { return try decode(type, from: Data(empty)) }
        try check(body)
        return try unsafe body.withUnsafeBytes { (bytes) throws(MalformedMessage) in
            guard let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress) else {
                throw MalformedMessage(.notJSON, "the body")
            }
            // The data lives no longer than this closure, and nobody writes to it.
            return try unsafe decode(type, from: Data(bytesNoCopy: start, count: bytes.count, deallocator: .none))
        }
    }

    /// Decodes JSON that came as an attachment, from a service of the cluster; the depth is checked, the size is not.
    static func decodeLarge<Value: Decodable>(
        _ type: Value.Type,
        from attachment: Attachment
    ) throws(MalformedMessage) -> Value {
        let isShallow = unsafe attachment.withUnsafeBytes { unsafe JSONDepth.isWithin(Limits.jsonDepth, $0) }
        guard isShallow else {
            throw MalformedMessage(.tooDeep, "the attachment nests deeper than \(Limits.jsonDepth)")
        }
        return try decode(type, from: Data(attachment.bytes))
    }

    /// Checks what must hold before a body is decoded.
    static func check(_ body: Attachment) throws(MalformedMessage) {
        guard body.count <= Limits.bodyBytes else { throw MalformedMessage(.tooLarge, "the body") }
        let isShallow = unsafe body.withUnsafeBytes { unsafe JSONDepth.isWithin(Limits.jsonDepth, $0) }
        guard isShallow else { throw MalformedMessage(.tooDeep, "the body nests deeper than \(Limits.jsonDepth)") }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws(MalformedMessage) -> Value
    {
        do {
            return try decoder.decode(type, from: data)
        } catch DecodingError.keyNotFound(let key, _) {
            throw MalformedMessage(.missingField, key.stringValue)
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            throw MalformedMessage(.badField, path(context))
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            throw MalformedMessage(.badField, path(context))
        } catch {
            throw MalformedMessage(.notJSON, "the body")
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map(\.stringValue).joined(separator: ".")
    }
}
