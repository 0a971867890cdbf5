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

    /// A program's label as decisions have it: escaped, and cut at so many Unicode scalars; nil where there is none.
    ///
    /// A label is escaped where it is read, and stays as it is however many pass it on.
    package static func label(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : shown($0, limit: purposeLimit) }
    }

    /// A text as it may be shown on a terminal, at most `limit` Unicode scalars long.
    ///
    /// What steers a terminal is escaped and backslashes stay, so that a text that was escaped before is shown as it is, and
    /// showing twice is showing once. Not for what has to be told apart from its escaped form: that is `EscapedText(_:limit:)`.
    package static func shown(_ text: String, limit: Int = 4_096) -> String {
        var pieces: [String] = []
        var count = 0
        for scalar in text.unicodeScalars {
            let piece = scalar == "\\" ? "\\" : escape(scalar)
            count += piece.unicodeScalars.count
            pieces.append(piece)
            if count > limit { break }
        }
        guard count > limit else { return pieces.joined() }
        while count >= limit, let last = pieces.popLast() { count -= last.unicodeScalars.count }
        return pieces.joined() + "…"
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
