/// Reads the text of a name template from left to right.
struct NameTemplateParser {
    private static let fieldNames = NameTemplate.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
    private static let dateParts = WallClockParts.Part.allCases.map { "%\($0.rawValue)" }.joined(separator: " ")

    private let text: [Character]
    private let byteCount: Int
    private var index = 0
    /// Where the part begins that is being read, and what of it has been read.
    private var start = 0
    private var literal = ""
    private var hasField = false
    private var parts = 1

    init(_ text: String) {
        self.text = Array(text)
        byteCount = text.utf8.count
    }

    mutating func pieces() throws(NameTemplate.Fault) -> [NameTemplate.Piece] {
        guard byteCount <= NameTemplate.maximumByteCount else {
            throw fault(0, "the template is longer than \(NameTemplate.maximumByteCount) bytes")
        }
        var pieces: [NameTemplate.Piece] = []
        while index < text.count {
            let character = text[index]
            switch character {
            case "{" where next == "{", "}" where next == "}":
                add(character, to: &pieces)
                index += 2
            case "{": pieces.append(try field())
            case "}": throw fault(index, "this brace closes nothing; a brace itself is }}")
            case "/":
                try endPart()
                pieces.append(.folder)
                index += 1
                start = index
            default:
                try refuseControl(character, at: index)
                add(character, to: &pieces)
                index += 1
            }
        }
        try checkPart()
        return pieces
    }

    private var next: Character? { index + 1 < text.count ? text[index + 1] : nil }

    private func fault(_ index: Int, _ reason: String) -> NameTemplate.Fault {
        NameTemplate.Fault(position: index + 1, reason: reason)
    }

    private mutating func add(_ character: Character, to pieces: inout [NameTemplate.Piece]) {
        literal.append(character)
        if case .text(let text) = pieces.last {
            pieces[pieces.count - 1] = .text(text + String(character))
        } else {
            pieces.append(.text(String(character)))
        }
    }

    private func refuseControl(_ character: Character, at index: Int) throws(NameTemplate.Fault) {
        guard character.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return }
        throw fault(index, "no name has a control character")
    }

    /// A part says something, and is no step to another folder.
    private func checkPart() throws(NameTemplate.Fault) {
        guard !hasField else { return }
        guard !literal.isEmpty else {
            throw fault(start, "a folder or file needs a name here")
        }
        guard literal.contains(where: { $0 != "." && $0 != " " }) else {
            throw fault(start, "'\(literal)' is no name: nothing is written outside the export")
        }
    }

    private mutating func endPart() throws(NameTemplate.Fault) {
        try checkPart()
        parts += 1
        guard parts <= NameTemplate.mostParts else {
            throw fault(index, "more than \(NameTemplate.mostParts - 1) folders in one another")
        }
        literal = ""
        hasField = false
    }

    /// `{name}`, `{name|else}`, `{date:form|else}`.
    private mutating func field() throws(NameTemplate.Fault) -> NameTemplate.Piece {
        let opening = index
        guard let closing = text[index...].firstIndex(of: "}") else {
            throw fault(opening, "this brace is not closed; a brace itself is {{")
        }
        let inner = text[(opening + 1)..<closing]
        let bar = inner.firstIndex(of: "|") ?? closing
        let orElse = try replacement(bar, closing)
        let colon = inner[..<bar].firstIndex(of: ":")
        let word = String(text[(opening + 1)..<(colon ?? bar)])
        guard let field = NameTemplate.Field(rawValue: word) else {
            throw fault(opening + 1, "there is no field '\(word)'; there are \(Self.fieldNames)")
        }
        if let colon, field != .date { throw fault(colon, "only {date} has a form after a colon") }
        hasField = true
        index = closing + 1
        guard field == .date else { return .field(field, orElse: orElse) }
        guard let colon else {
            return .date(
                [.part(.year), .text("-"), .part(.month), .text("-"), .part(.day)],
                orElse: orElse
            )
        }
        return .date(try dateForm(colon + 1, bar), orElse: orElse)
    }

    private func replacement(_ bar: Int, _ closing: Int) throws(NameTemplate.Fault) -> String {
        guard bar < closing else { return NameTemplate.unknown }
        let characters = text[(bar + 1)..<closing]
        for index in characters.indices {
            try refuseControl(text[index], at: index)
            guard text[index] != "/" else { throw fault(index, "what stands for an unknown value is no folder") }
        }
        guard characters.contains(where: { $0 != "." && $0 != " " }) else {
            throw fault(bar + 1, "what stands for an unknown value needs a text")
        }
        return String(characters)
    }

    private mutating func dateForm(_ first: Int, _ end: Int) throws(NameTemplate.Fault) -> [NameTemplate.DatePiece] {
        var form: [NameTemplate.DatePiece] = []
        var index = first
        var isEmpty = true
        while index < end {
            let character = text[index]
            if character == "%" {
                guard index + 1 < end else { throw fault(index, "a letter follows %: \(Self.dateParts)") }
                if text[index + 1] == "%" {
                    form.append(.text("%"))
                } else if let part = WallClockParts.Part(rawValue: text[index + 1]) {
                    form.append(.part(part))
                } else {
                    throw fault(index, "a date has no %\(text[index + 1]); it has \(Self.dateParts)")
                }
                isEmpty = false
                index += 2
                continue
            }
            try refuseControl(character, at: index)
            if character == "/" {
                guard !isEmpty else { throw fault(index, "a folder needs a name here") }
                parts += 1
                guard parts <= NameTemplate.mostParts else {
                    throw fault(index, "more than \(NameTemplate.mostParts - 1) folders in one another")
                }
                form.append(.folder)
                isEmpty = true
            } else {
                guard character != "{" else { throw fault(index, "no field lies within a field") }
                form.append(.text(String(character)))
                if character != "." && character != " " { isEmpty = false }
            }
            index += 1
        }
        guard !isEmpty else { throw fault(end, "a date's form needs one of \(Self.dateParts)") }
        return form
    }
}
