/// One line being built: a JSON object without spaces, ending in a line feed.
///
/// Control characters are escaped, also those of C1, line and paragraph separators and the marks that turn the writing
/// direction, so that a value can neither start a line of its own nor steer a terminal.
struct LogLine {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    mutating func add(_ key: String, _ value: LogValue) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        appendQuoted(key)
        bytes.append(UInt8(ascii: ":"))
        switch value {
        case .string(let text): appendQuoted(text)
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .double(let number) where number.isFinite: bytes.append(contentsOf: String(number).utf8)
        case .double(let number): appendQuoted(String(number))
        case .boolean(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        }
    }

    consuming func finished() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private mutating func appendQuoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes.append(contentsOf: #"\""#.utf8)
            case "\\": bytes.append(contentsOf: #"\\"#.utf8)
            case "\n": bytes.append(contentsOf: #"\n"#.utf8)
            case _ where mustEscape(scalar):
                let digits = String(scalar.value, radix: 16)
                bytes.append(contentsOf: "\\u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)".utf8)
            default: bytes.append(contentsOf: Character(scalar).utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
