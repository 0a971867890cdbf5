/// Something that can be said to a command: a flag, an option with a value, or a positional.
package protocol Parameter: Sendable {
    /// What the parser and the help need to know about it.
    var description: ParameterDescription { get }
}

/// A parameter without the type of its value.
package struct ParameterDescription: Sendable {
    /// How it is said.
    package enum Form: Hashable, Sendable {
        /// `--name`.
        case flag
        /// `--name VALUE` or `--name=VALUE`.
        case option(isRequired: Bool)
        /// A word in its place.
        case positional(Count)
    }

    /// How many words a positional takes.
    package enum Count: Hashable, Sendable {
        case one, optional, any, oneOrMore
    }

    package let form: Form
    /// Without dashes.
    package let name: String
    /// What stands for the value in the help, such as `FILE`.
    package let placeholder: String
    package let summary: String
    package let expectation: String
    package let words: [String]
    /// Whether a text is accepted as the value.
    package let accepts: @Sendable (String) -> Bool
    /// Which part of a text that is not accepted is wrong, and why; nil where a text has no parts.
    package let fault: @Sendable (String) -> String?
}

/// `--name`, without a value.
package struct Flag: Parameter {
    package let name: String
    private let summary: String

    package init(_ name: String, _ summary: String) {
        self.name = name
        self.summary = summary
    }

    package var description: ParameterDescription {
        ParameterDescription(
            form: .flag,
            name: name,
            placeholder: "",
            summary: summary,
            expectation: "",
            words: [],
            accepts: { _ in false },
            fault: { _ in nil }
        )
    }
}

/// `--name VALUE`.
package struct Option<Value: Sendable>: Parameter {
    package let name: String
    let reader: ValueReader<Value>
    private let placeholder: String
    private let summary: String
    private let isRequired: Bool

    package init(
        _ name: String,
        _ placeholder: String,
        _ summary: String,
        isRequired: Bool = false,
        as reader: ValueReader<Value>
    ) {
        self.name = name
        self.placeholder = placeholder
        self.summary = summary
        self.isRequired = isRequired
        self.reader = reader
    }

    package var description: ParameterDescription {
        let read = reader.read
        return ParameterDescription(
            form: .option(isRequired: isRequired),
            name: name,
            placeholder: placeholder,
            summary: summary,
            expectation: reader.expectation,
            words: reader.words,
            accepts: { read($0) != nil },
            fault: reader.fault
        )
    }
}

/// A word, or several, that say what the command is about.
package struct Positional<Value: Sendable>: Parameter {
    package let name: String
    let reader: ValueReader<Value>
    private let summary: String
    private let count: ParameterDescription.Count

    /// Makes a positional; `name` is in capitals, as the help shows it.
    package init(
        _ name: String,
        _ summary: String,
        _ count: ParameterDescription.Count = .one,
        as reader: ValueReader<Value>
    ) {
        self.name = name
        self.summary = summary
        self.count = count
        self.reader = reader
    }

    package var description: ParameterDescription {
        let read = reader.read
        return ParameterDescription(
            form: .positional(count),
            name: name,
            placeholder: name,
            summary: summary,
            expectation: reader.expectation,
            words: reader.words,
            accepts: { read($0) != nil },
            fault: reader.fault
        )
    }
}
