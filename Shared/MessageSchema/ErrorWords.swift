/// What an error says in a sentence: its parts come from many hands, and are joined here alone.
package enum ErrorWords {
    /// What a program does after an answer was lost.
    package static let repeating = "Try again, with an idempotency key if it must not happen twice."

    /// The description in quotation marks, the reason and what to do, each only where it says something new.
    package static func sentence(_ error: ErrorReply) -> String {
        let (description, reason, advice) = parts(of: error)
        var line = "\"\(description)\""
        if !reason.isEmpty { line += " \(advice.isEmpty ? reason : withoutEnd(reason))" }
        if !advice.isEmpty { line += "; \(advice)" }
        return line
    }

    /// The description, the reason and what to do with marks between them, each only where it says something new.
    package static func plain(_ error: ErrorReply) -> String {
        let (description, reason, advice) = parts(of: error)
        return joined([joined([description, reason], by: ": "), advice], by: "; ")
    }

    /// Parts of a sentence that are sentences themselves, perhaps: with the separator between them and no other mark.
    ///
    /// Parts that are absent or empty are left out.
    package static func joined(_ parts: [String?], by separator: String) -> String {
        let parts = parts.compactMap { $0.map(trimmed) }.filter { !$0.isEmpty }
        return parts.enumerated().map { $0.offset == parts.count - 1 ? $0.element : withoutEnd($0.element) }
            .joined(separator: separator)
    }

    private static func parts(of error: ErrorReply) -> (description: String, reason: String, advice: String) {
        let description = trimmed(error.description)
        var reason = trimmed(error.reason ?? "")
        var advice = trimmed(error.recoverySuggestion ?? "")
        if isSaid(advice, in: [description, reason]) { advice = "" }
        if isSaid(reason, in: [description, advice]) { reason = "" }
        return (description, reason, advice)
    }

    /// Without the marks that meet where one sentence was put into another: `a.. b` and `a.: b`.
    ///
    /// A mark counts only behind a letter, a digit or a bracket and before a space or the end, so that paths stay whole.
    package static func trimmed(_ text: String) -> String {
        var result: [Character] = []
        let text = Array(text)
        for (index, character) in text.enumerated() {
            let isLast = index + 1 == text.count || text[index + 1] == " "
            if isLast, ".:;,".contains(character), result.last == ".", result.count > 1,
                isWordEnd(result[result.count - 2])
            {
                result[result.count - 1] = character
            } else {
                result.append(character)
            }
        }
        while result.last == " " { result.removeLast() }
        return String(result.drop { $0 == " " })
    }

    private static func isWordEnd(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || ")]'\"`".contains(character)
    }

    /// Without one mark at the end; what ends with several, such as `cd ..`, stays as it is.
    private static func withoutEnd(_ sentence: String) -> String {
        guard let last = sentence.last, ".:;,".contains(last), sentence.dropLast().last != "." else { return sentence }
        return String(sentence.dropLast())
    }

    /// Whether other parts have the same words in them, whatever their case and their end.
    private static func isSaid(_ part: String, in others: [String]) -> Bool {
        let words = withoutEnd(part).lowercased()
        return words.isEmpty || others.contains { holds($0.lowercased(), words) }
    }

    /// Whether the words are there as whole words.
    private static func holds(_ text: String, _ words: String) -> Bool {
        guard let range = text.firstRange(of: words) else { return false }
        func isApart(_ character: Character?) -> Bool {
            character.map { !($0.isLetter || $0.isNumber || "-_/".contains($0)) } ?? true
        }
        return isApart(text[..<range.lowerBound].last) && isApart(text[range.upperBound...].first)
    }
}
