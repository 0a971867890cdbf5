import MessageSchema

/// One spelling for each JSON value, so that the same request has the same hash however it was written.
///
/// Members are sorted by name (the last of equal ones counts), white space goes, strings are written in one way. Numbers stay as they
/// are written.
enum CanonicalJSON {
    /// - Throws: ``MalformedMessage`` for what is not JSON or too deep.
    static func bytes(of text: [UInt8]) throws(MalformedMessage) -> [UInt8] {
        var scanner = JSONScanner(text, maximumDepth: Limits.jsonDepth)
        let value = try value(&scanner)
        try scanner.finish()
        return value
    }

    private static func value(_ scanner: inout JSONScanner) throws(MalformedMessage) -> [UInt8] {
        switch try scanner.nextKind() {
        case .object:
            var members: [String: [UInt8]] = [:]
            try scanner.readObject { (name, scanner) throws(MalformedMessage) in
                members[name] = try value(&scanner)
            }
            let sorted = members.sorted { $0.key < $1.key }.map { string($0.key) + [UInt8(ascii: ":")] + $0.value }
            return [UInt8(ascii: "{")] + sorted.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
        case .array:
            var elements: [[UInt8]] = []
            try scanner.readArray { (scanner) throws(MalformedMessage) in elements.append(try value(&scanner)) }
            return [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
        case .string:
            return string(try scanner.readString())
        case .other:
            return try scanner.readRaw()
        }
    }

    private static func string(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONString.append(text, to: &bytes)
        return bytes
    }
}
