/// Why bytes are no document of texts, lists and objects.
package enum CanonicalTextError: Error, Hashable, Sendable {
    /// Not JSON in UTF-8, or JSON with a number, a truth value or null; the byte at which that shows.
    case malformed(at: Int)
    /// An object has this name twice.
    case repeatedName(String)
    /// Lists and objects lie too deep in each other.
    case tooDeep
}

/// Reads JSON (RFC 8259) of texts, lists and objects from UTF-8, strictly: nothing that two readers could take differently.
struct CanonicalTextReader {
    /// How deep lists and objects may lie in each other.
    private static let depthLimit = 32

    private let bytes: [UInt8]
    private var position = 0

    /// Reads all of the bytes as one document.
    static func read(_ bytes: [UInt8]) throws(CanonicalTextError) -> CanonicalText {
        var reader = CanonicalTextReader(bytes: bytes)
        let document = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.malformed }
        return document
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var malformed: CanonicalTextError { .malformed(at: position) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
    }

    /// Takes a character, and the space before it.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard let byte = next, UInt32(byte) == character.value else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(CanonicalTextError) -> CanonicalText {
        guard depth < Self.depthLimit else { throw .tooDeep }
        if take("{") { return .object(try object(depth)) }
        if take("[") { return .list(try list(depth)) }
        return .text(try text())
    }

    private mutating func object(_ depth: Int) throws(CanonicalTextError) -> [String: CanonicalText] {
        var object: [String: CanonicalText] = [:]
        // Swift takes texts as one that Unicode does, and JSON only those of the same characters.
        var names: Set<[UInt8]> = []
        if take("}") { return object }
        repeat {
            let name = try text()
            guard names.insert(Array(name.utf8)).inserted, object[name] == nil else { throw .repeatedName(name) }
            guard take(":") else { throw malformed }
            object[name] = try value(depth: depth + 1)
        } while take(",")
        guard take("}") else { throw malformed }
        return object
    }

    private mutating func list(_ depth: Int) throws(CanonicalTextError) -> [CanonicalText] {
        var list: [CanonicalText] = []
        if take("]") { return list }
        repeat { list.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw malformed }
        return list
    }

    // MARK: Texts

    private mutating func text() throws(CanonicalTextError) -> String {
        guard take("\"") else { throw malformed }
        var result: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case 0x22:
                guard let text = String(validating: result, as: UTF8.self) else { throw malformed }
                return text
            case 0x5c: result += Array(String(try escaped()).utf8)
            case ..<0x20: throw malformed
            default: result.append(byte)
            }
        }
        throw malformed
    }

    /// What stands behind a backslash.
    private mutating func escaped() throws(CanonicalTextError) -> Unicode.Scalar {
        guard let byte = next else { throw malformed }
        position += 1
        switch Unicode.Scalar(byte) {
        case "\"": return "\""
        case "\\": return "\\"
        case "/": return "/"
        case "b": return "\u{08}"
        case "f": return "\u{0C}"
        case "n": return "\u{0A}"
        case "r": return "\u{0D}"
        case "t": return "\u{09}"
        case "u": return try codePoint()
        default: throw malformed
        }
    }

    /// One UTF-16 unit, or two that belong together; half a pair is no character.
    private mutating func codePoint() throws(CanonicalTextError) -> Unicode.Scalar {
        let first = try unit()
        guard (0xd800..<0xdc00).contains(first) else {
            guard let scalar = Unicode.Scalar(first) else { throw malformed }
            return scalar
        }
        guard bytes[position...].starts(with: [0x5c, 0x75]) else { throw malformed }
        position += 2
        let second = try unit()
        guard (0xdc00..<0xe000).contains(second),
            let scalar = Unicode.Scalar(0x1_0000 + (first - 0xd800) * 0x400 + (second - 0xdc00))
        else { throw malformed }
        return scalar
    }

    private mutating func unit() throws(CanonicalTextError) -> UInt32 {
        guard position + 4 <= bytes.count else { throw malformed }
        var value: UInt32 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = Self.digit(byte) ?? Self.letter(byte) else { throw malformed }
            value = value * 16 + digit
        }
        position += 4
        return value
    }

    private static func digit(_ byte: UInt8) -> UInt32? { (0x30...0x39).contains(byte) ? UInt32(byte - 0x30) : nil }

    private static func letter(_ byte: UInt8) -> UInt32? {
        let lower = byte | 0x20
        return (0x61...0x66).contains(lower) ? UInt32(lower - 0x61 + 10) : nil
    }
}
