/// What was said to a command, checked against its signature.
package struct Arguments: Sendable {
    /// The names of the flags.
    var flags: Set<String> = []
    /// The texts of the options, by name.
    var options: [String: String] = [:]
    /// The texts of the positionals, by name.
    var positionals: [String: [String]] = [:]

    package init() {}

    /// Whether the flag was given.
    package subscript(flag: Flag) -> Bool { flags.contains(flag.name) }

    /// The option's value, nil when it was not given.
    package subscript<Value>(option: Option<Value>) -> Value? { options[option.name].flatMap(option.reader.read) }

    /// The positional's values, in their order.
    package subscript<Value>(positional: Positional<Value>) -> [Value] {
        (positionals[positional.name] ?? []).compactMap(positional.reader.read)
    }

    /// The value of a positional that takes exactly one word, which the parser has seen to.
    package func one<Value>(_ positional: Positional<Value>) -> Value {
        guard let value = self[positional].first else {
            preconditionFailure("\(positional.name) is declared to take one word")
        }
        return value
    }
}
