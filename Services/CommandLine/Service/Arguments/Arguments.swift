private import Synchronization

/// What was said to a command, checked against its signature.
package struct Arguments: Sendable {
    /// The names of the flags.
    var flags: Set<String> = []
    /// The texts of the options, by name.
    var options: [String: String] = [:]
    /// The texts of the positionals, by name.
    var positionals: [String: [String]] = [:]

    /// What the command has looked at.
    private let looks = Looks()

    package init() {}

    /// The names of the parameters that the command has looked at; one that is not among them had no effect.
    package var read: Set<String> { looks.names }

    /// Whether the flag was given.
    package subscript(flag: Flag) -> Bool {
        looks.add(flag.name)
        return flags.contains(flag.name)
    }

    /// The option's value, nil when it was not given.
    package subscript<Value>(option: Option<Value>) -> Value? {
        looks.add(option.name)
        return options[option.name].flatMap(option.reader.read)
    }

    /// The positional's values, in their order.
    package subscript<Value>(positional: Positional<Value>) -> [Value] {
        looks.add(positional.name)
        return (positionals[positional.name] ?? []).compactMap(positional.reader.read)
    }

    /// The value of a positional that takes exactly one word, which the parser has seen to.
    package func one<Value>(_ positional: Positional<Value>) -> Value {
        guard let value = self[positional].first else {
            preconditionFailure("\(positional.name) is declared to take one word")
        }
        return value
    }
}

/// Names that were looked at, by any copy of the arguments.
private final class Looks: Sendable {
    private let state = Mutex<Set<String>>([])

    var names: Set<String> { state.withLock { $0 } }

    func add(_ name: String) { state.withLock { _ = $0.insert(name) } }
}
