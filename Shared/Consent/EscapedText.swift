/// Text from a program that a person may be shown: short, on one line, without anything that steers a terminal.
///
/// Control characters, invisible and direction-changing characters and line breaks become `\u{1b}`, a backslash becomes `\\`.
package struct EscapedText: Hashable, Sendable, CustomStringConvertible {
    /// The text that can be shown as it is.
    package let text: String

    /// The longest purpose text, in Unicode scalars, before escaping.
    package static let purposeLimit = 200

    /// Escapes `raw`; what is longer than `limit` Unicode scalars is cut and ends in "…".
    package init(_ raw: String, limit: Int = purposeLimit) {
        let cut = raw.unicodeScalars.dropFirst(limit).isEmpty == false
        var result = ""
        for scalar in raw.unicodeScalars.prefix(cut ? limit - 1 : limit) {
            result += Self.escape(scalar)
        }
        text = cut ? result + "…" : result
    }

    package var description: String { text }

    /// A program's label as decisions have it: escaped and cut; nil where there is none.
    package static func label(_ raw: String?) -> String? {
        raw.flatMap { $0.isEmpty ? nil : EscapedText($0).text }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        if scalar == "\\" { return "\\\\" }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
            return "\\u{" + String(scalar.value, radix: 16) + "}"
        case .spaceSeparator:
            return " "
        default:
            return String(Character(scalar))
        }
    }
}
