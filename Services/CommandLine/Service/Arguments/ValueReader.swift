/// How the text after an option, or a positional, becomes a value.
package struct ValueReader<Value: Sendable>: Sendable {
    /// What is accepted, as it follows "expected": `a number of seconds`.
    package let expectation: String
    /// The accepted words, where they can be listed; for help and for suggestions.
    package let words: [String]
    /// The value, or nil for a text that is not accepted.
    package let read: @Sendable (String) -> Value?
    /// Which part of a text that is not accepted is wrong, and why; nil where a text has no parts.
    package let fault: @Sendable (String) -> String?

    /// Makes a reader; `fault` says what is wrong with a text for which `read` gives nothing.
    package init(
        expecting expectation: String,
        words: [String] = [],
        fault: @escaping @Sendable (String) -> String? = { _ in nil },
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        self.expectation = expectation
        self.words = words
        self.fault = fault
        self.read = read
    }
}

extension ValueReader<String> {
    /// Any text that is not empty.
    package static var text: ValueReader<String> {
        ValueReader(expecting: "a text") { $0.isEmpty ? nil : $0 }
    }
}

extension ValueReader<Int> {
    /// A whole number in decimal, `minimum` or more.
    package static func wholeNumber(atLeast minimum: Int = 0) -> ValueReader<Int> {
        ValueReader(expecting: "a whole number, \(minimum) or more") { text in
            Int(text).flatMap { $0 >= minimum ? $0 : nil }
        }
    }
}

extension ValueReader<Int64> {
    /// A number of bytes in decimal.
    package static var byteCount: ValueReader<Int64> {
        ValueReader(expecting: "a number of bytes") { text in Int64(text).flatMap { $0 >= 0 ? $0 : nil } }
    }

    /// A number of bytes in decimal, within what services take.
    package static func byteCount(_ range: ClosedRange<Int64>) -> ValueReader<Int64> {
        ValueReader(expecting: "a number of bytes from \(range.lowerBound) to \(range.upperBound)") { text in
            Int64(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ValueReader<Duration> {
    /// A length of time such as `5`, `2.5s`, `500ms` or `3m`; seconds where no unit is given.
    package static var duration: ValueReader<Duration> {
        ValueReader(expecting: "a length of time such as 5s, 500ms or 3m") { text in
            let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1)]
            guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
            let digits = text.dropLast(unit.suffix.count)
            guard let first = digits.utf8.first, (48...57).contains(first),
                digits.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
                let number = Double(digits), number * unit.seconds <= 31_536_000
            else { return nil }
            return .seconds(number * unit.seconds)
        }
    }

    /// A length of time in which something can happen: a millisecond or more, as it is told to services.
    package static var time: ValueReader<Duration> {
        ValueReader(expecting: "a length of time of 1ms or more, such as 5s, 500ms or 3m") { text in
            duration.read(text).flatMap { $0 >= .milliseconds(1) ? $0 : nil }
        }
    }
}

extension ValueReader<Duration> {
    /// A length of time within what services take; `words` say the range, such as `from 0.1 seconds to a day`.
    package static func time(_ seconds: ClosedRange<Double>, _ words: String) -> ValueReader<Duration> {
        ValueReader(expecting: "a length of time \(words), such as 5s, 500ms or 3m") { text in
            duration.read(text).flatMap { seconds.contains($0 / .seconds(1)) ? $0 : nil }
        }
    }
}

extension ValueReader where Value: CaseIterable & RawRepresentable<String> {
    /// One of the words of an enumeration.
    package static var word: ValueReader<Value> {
        let words = Value.allCases.map(\.rawValue)
        return ValueReader(expecting: "one of \(words.joined(separator: ", "))", words: words) { Value(rawValue: $0) }
    }
}

extension ValueReader where Value: LosslessStringConvertible {
    /// A value that has one text form, described by `expectation`.
    package static func written(_ expectation: String) -> ValueReader<Value> {
        ValueReader(expecting: expectation) { Value($0) }
    }
}
