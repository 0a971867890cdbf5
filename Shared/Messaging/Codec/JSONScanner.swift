/// Reads JSON from bytes, one value after the other, without making a tree (RFC 8259).
///
/// It keeps to the depth it was given, whatever it reads or skips, and never looks beyond the bytes.
struct JSONScanner {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private let maximumDepth: Int

    init(_ bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// Reads an object; `field` must read or skip the value of each field it is given.
    mutating func readObject(_ field: (String, inout JSONScanner) throws(MalformedMessage) -> Void)
        throws(MalformedMessage)
    {
        try enter(UInt8(ascii: "{"))
        if take(UInt8(ascii: "}")) { return leave() }
        repeat {
            let name = try readString()
            try expect(UInt8(ascii: ":"))
            try field(name, &self)
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
        leave()
    }

    /// Reads an array; `element` must read or skip each of its values.
    mutating func readArray(_ element: (inout JSONScanner) throws(MalformedMessage) -> Void) throws(MalformedMessage) {
        try enter(UInt8(ascii: "["))
        if take(UInt8(ascii: "]")) { return leave() }
        repeat { try element(&self) } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
        leave()
    }

    /// What kind of value comes next.
    enum Kind { case object, array, string, other }

    mutating func nextKind() throws(MalformedMessage) -> Kind {
        skipSpace()
        guard position < bytes.count else { throw malformed("a value is missing") }
        return switch bytes[position] {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        default: .other
        }
    }

    /// Reads one value as it is written.
    mutating func readRaw() throws(MalformedMessage) -> [UInt8] {
        skipSpace()
        let start = position
        try skipValue()
        return Array(bytes[start..<position])
    }

    /// Fails unless nothing but white space is left.
    mutating func finish() throws(MalformedMessage) {
        skipSpace()
        guard position == bytes.count else { throw malformed("something follows the value") }
    }

    mutating func readString() throws(MalformedMessage) -> String {
        try expect(UInt8(ascii: "\""))
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                return try text(bytes[start..<position])
            case UInt8(ascii: "\\"):
                return try readEscapedString(from: start)
            case 0..<0x20:
                throw malformed("a control character in a string")
            default:
                position += 1
            }
        }
        throw malformed("a string without an end")
    }

    /// Reads a whole number; a fraction or one that needs more than 64 bits is refused.
    mutating func readInteger() throws(MalformedMessage) -> Int64 {
        skipSpace()
        let start = position
        try skipNumber()
        guard let text = String(validating: bytes[start..<position], as: UTF8.self), let value = Int64(text) else {
            throw MalformedMessage(.badField, "not a whole number of 64 bits")
        }
        return value
    }

    mutating func readBoolean() throws(MalformedMessage) -> Bool {
        skipSpace()
        if takeWord("true") { return true }
        if takeWord("false") { return false }
        throw MalformedMessage(.badField, "neither true nor false")
    }

    /// Takes `null`, if that is next.
    mutating func takeNull() -> Bool {
        skipSpace()
        return takeWord("null")
    }

    /// Skips one value of any kind.
    mutating func skipValue() throws(MalformedMessage) {
        skipSpace()
        guard position < bytes.count else { throw malformed("a value is missing") }
        switch bytes[position] {
        case UInt8(ascii: "{"):
            try readObject { (_, scanner) throws(MalformedMessage) in try scanner.skipValue() }
        case UInt8(ascii: "["):
            try skipArray()
        case UInt8(ascii: "\""):
            _ = try readString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try skipNumber()
        default:
            guard takeWord("true") || takeWord("false") || takeWord("null") else { throw malformed("no JSON value") }
        }
    }

    private mutating func skipArray() throws(MalformedMessage) {
        try readArray { (scanner) throws(MalformedMessage) in try scanner.skipValue() }
    }

    private mutating func skipNumber() throws(MalformedMessage) {
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        let digits = skipDigits()
        guard digits > 0 else { throw malformed("no number") }
        guard digits == 1 || bytes[first] != UInt8(ascii: "0") else { throw malformed("a number with a leading zero") }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            guard skipDigits() > 0 else { throw malformed("a fraction without digits") }
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position]) {
                position += 1
            }
            guard skipDigits() > 0 else { throw malformed("an exponent without digits") }
        }
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        return position - start
    }

    // MARK: Strings with escapes

    private mutating func readEscapedString(from start: Int) throws(MalformedMessage) -> String {
        var unescaped = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(unescaped[...])
            case UInt8(ascii: "\\"): try appendEscape(to: &unescaped)
            case 0..<0x20: throw malformed("a control character in a string")
            default: unescaped.append(byte)
            }
        }
        throw malformed("a string without an end")
    }

    private mutating func appendEscape(to unescaped: inout [UInt8]) throws(MalformedMessage) {
        guard position < bytes.count else { throw malformed("an escape without an end") }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
        case UInt8(ascii: "b"): unescaped.append(8)
        case UInt8(ascii: "f"): unescaped.append(12)
        case UInt8(ascii: "n"): unescaped.append(10)
        case UInt8(ascii: "r"): unescaped.append(13)
        case UInt8(ascii: "t"): unescaped.append(9)
        case UInt8(ascii: "u"): unescaped.append(contentsOf: Character(try readScalar()).utf8)
        default: throw malformed("an unknown escape")
        }
    }

    private mutating func readScalar() throws(MalformedMessage) -> Unicode.Scalar {
        var value = try readFourDigits()
        if (0xD800..<0xDC00).contains(value) {
            guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            else { throw malformed("half a surrogate pair") }
            position += 2
            let low = try readFourDigits()
            guard (0xDC00..<0xE000).contains(low) else { throw malformed("half a surrogate pair") }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw malformed("half a surrogate pair") }
        return scalar
    }

    private mutating func readFourDigits() throws(MalformedMessage) -> UInt32 {
        guard position + 4 <= bytes.count else { throw malformed("an escape without an end") }
        var value: UInt32 = 0
        for byte in bytes[position..<position + 4] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default: throw malformed("an escape that is not hexadecimal")
            }
        }
        position += 4
        return value
    }

    private func text(_ slice: ArraySlice<UInt8>) throws(MalformedMessage) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw MalformedMessage(.notUTF8, "a string is not UTF-8")
        }
        return text
    }

    // MARK: Tokens

    private mutating func enter(_ byte: UInt8) throws(MalformedMessage) {
        try expect(byte)
        depth += 1
        guard depth <= maximumDepth else { throw MalformedMessage(.tooDeep, "nested deeper than \(maximumDepth)") }
    }

    private mutating func leave() { depth -= 1 }

    private mutating func expect(_ byte: UInt8) throws(MalformedMessage) {
        guard take(byte) else { throw malformed("\(Character(Unicode.Scalar(byte))) is missing") }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard position + length <= bytes.count else { return false }
        for offset in 0..<length where unsafe bytes[position + offset] != word.utf8Start[offset] { return false }
        position += length
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private func malformed(_ detail: String) -> MalformedMessage { MalformedMessage(.notJSON, detail) }
}
