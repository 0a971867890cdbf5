import Consent
import MessageSchema

/// Headers to and from bytes, by hand: each message has one, and a general coder costs more than the message itself.
enum HeaderCodec {
    // MARK: Reading

    /// Reads a header; unknown fields are skipped, `null` counts as absent.
    ///
    /// - Throws: ``MalformedMessage``, with the identifier if it can be read, wherever in the header it is.
    static func decode(_ bytes: [UInt8]) throws(MalformedMessage) -> Header {
        guard bytes.count <= Limits.headerBytes else { throw MalformedMessage(.tooLarge, "the header") }
        var fields = Fields()
        do throws(MalformedMessage) {
            var scanner = JSONScanner(bytes, maximumDepth: Limits.jsonDepth)
            try scanner.readObject { (name, scanner) throws(MalformedMessage) in
                if !scanner.takeNull() { try fields.read(name, from: &scanner) }
            }
            try scanner.finish()
            return try fields.finish()
        } catch {
            throw MalformedMessage(error.problem, error.detail, id: fields.usableID ?? identifier(in: bytes))
        }
    }

    /// The identifier behind a field that broke a rule; `nil` if the rest is no JSON either.
    private static func identifier(in bytes: [UInt8]) -> String? {
        var fields = Fields()
        var scanner = JSONScanner(bytes, maximumDepth: Limits.jsonDepth)
        // What is wrong is known; only the identifier is looked for.
        try? scanner.readObject { (name, scanner) throws(MalformedMessage) in
            if name == "id" { try fields.read(name, from: &scanner) } else { try scanner.skipValue() }
        }
        return fields.usableID
    }

    private struct Fields {
        var kind: String?
        var id: String?
        // The kind and the identifier are put in at the end.
        var header = Header(.ping, id: "")

        var usableID: String? { id.flatMap { (1...Limits.identifierBytes).contains($0.utf8.count) ? $0 : nil } }

        mutating func read(_ name: String, from scanner: inout JSONScanner) throws(MalformedMessage) {
            switch name {
            case "kind": kind = try scanner.readString()
            case "id": id = try scanner.readString()
            case "name": header.name = try scanner.readString()
            case "expiresAt": header.expiresAt = try scanner.readInteger()
            case "deadline": header.deadline = try scanner.readInteger()
            case "trace": header.trace = try scanner.readString()
            case "version": header.version = Int(try scanner.readInteger())
            case "credit": header.credit = try readCount(&scanner)
            case "seq": header.seq = try scanner.readInteger()
            case "ack": header.ack = try scanner.readInteger()
            case "idempotencyKey": header.idempotencyKey = try scanner.readString()
            case "mayPrompt": header.mayPrompt = try scanner.readBoolean()
            case "purpose": header.purpose = try scanner.readString()
            case "onBehalfOf": header.onBehalfOf = try readDelegation(&scanner)
            default: try scanner.skipValue()
            }
        }

        func finish() throws(MalformedMessage) -> Header {
            guard let id else { throw MalformedMessage(.missingField, "id") }
            guard usableID != nil else {
                throw MalformedMessage(.badField, "id has 1 to \(Limits.identifierBytes) bytes")
            }
            guard let kind else { throw MalformedMessage(.missingField, "kind") }
            guard let kind = Header.Kind(rawValue: kind) else { throw MalformedMessage(.unknownKind, "kind") }
            var header = header
            header.kind = kind
            header.id = id
            if kind == .request, header.name == nil { throw MalformedMessage(.missingField, "name") }
            if let key = header.idempotencyKey, !(1...128).contains(key.utf8.count) {
                throw MalformedMessage(.badField, "idempotencyKey has 1 to 128 bytes")
            }
            return header
        }

        private func readCount(_ scanner: inout JSONScanner) throws(MalformedMessage) -> Int {
            let value = try scanner.readInteger()
            guard value >= 0 else { throw MalformedMessage(.badField, "credit is negative") }
            return Int(min(value, Int64(Limits.credit)))
        }

        private func readDelegation(_ scanner: inout JSONScanner) throws(MalformedMessage) -> Delegation {
            var principal: Principal?
            var label: String?
            var grant: String?
            try scanner.readObject { (name, scanner) throws(MalformedMessage) in
                if scanner.takeNull() { return }
                switch name {
                case "principal": principal = Principal(try scanner.readString())
                case "label": label = try scanner.readString()
                case "grant": grant = try scanner.readString()
                default: try scanner.skipValue()
                }
            }
            guard let principal else { throw MalformedMessage(.badField, "onBehalfOf names no principal") }
            return Delegation(principal: principal, label: label, grant: grant)
        }
    }

    // MARK: Writing

    /// Writes a header; what is `nil` is left out.
    static func encode(_ header: Header) -> [UInt8] {
        var writer = Writer()
        writer.field("kind", header.kind.rawValue)
        writer.field("id", header.id)
        writer.field("name", header.name)
        writer.field("expiresAt", header.expiresAt)
        writer.field("deadline", header.deadline)
        writer.field("credit", header.credit.map(Int64.init))
        writer.field("seq", header.seq)
        writer.field("ack", header.ack)
        writer.field("idempotencyKey", header.idempotencyKey)
        if let mayPrompt = header.mayPrompt { writer.raw("mayPrompt", mayPrompt ? "true" : "false") }
        writer.field("purpose", header.purpose)
        if let delegation = header.onBehalfOf {
            var nested = Writer()
            nested.field("principal", delegation.principal.description)
            nested.field("label", delegation.label)
            nested.field("grant", delegation.grant)
            writer.object("onBehalfOf", nested.finish())
        }
        writer.field("trace", header.trace)
        writer.field("version", header.version.map(Int64.init))
        return writer.finish()
    }

    private struct Writer {
        private var bytes: [UInt8] = []

        init() {
            bytes.reserveCapacity(160)
            bytes.append(UInt8(ascii: "{"))
        }

        mutating func field(_ name: StaticString, _ value: String?) {
            guard let value else { return }
            key(name)
            quoted(value)
        }

        mutating func field(_ name: StaticString, _ value: Int64?) {
            guard let value else { return }
            key(name)
            bytes.append(contentsOf: String(value).utf8)
        }

        mutating func raw(_ name: StaticString, _ value: String) {
            key(name)
            bytes.append(contentsOf: value.utf8)
        }

        mutating func object(_ name: StaticString, _ value: [UInt8]) {
            key(name)
            bytes.append(contentsOf: value)
        }

        consuming func finish() -> [UInt8] {
            bytes.append(UInt8(ascii: "}"))
            return bytes
        }

        private mutating func key(_ name: StaticString) {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\""))
            name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
            bytes.append(UInt8(ascii: "\""))
            bytes.append(UInt8(ascii: ":"))
        }

        private mutating func quoted(_ text: String) { JSONString.append(text, to: &bytes) }
    }
}
