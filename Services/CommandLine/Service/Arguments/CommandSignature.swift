/// What a command is called, takes and does: the parser and the help read the same description.
package struct CommandSignature: Sendable {
    /// A way to call it, and what comes of it.
    package struct Example: Sendable {
        package let line: String
        package let effect: String
    }

    /// Its words, such as `["library", "album", "create"]`.
    package let path: [String]
    /// One line that says what it does.
    package let summary: String
    /// More about it; empty when the line says all.
    package let discussion: String
    /// In the order of the help; positionals in the order in which they are read.
    package let parameters: [any Parameter]
    package let examples: [Example]
    /// Whether any words may follow, unread: for a command that only says that it is not there yet.
    package let takesAnything: Bool

    /// Describes a command.
    ///
    /// The path is its words with spaces between them; an example is a line, without the program's name, and its effect.
    package init(
        _ path: String,
        _ summary: String,
        discussion: String = "",
        parameters: [any Parameter] = [],
        takesAnything: Bool = false,
        examples: [(String, String)]
    ) {
        self.path = path.split(separator: " ").map(String.init)
        self.summary = summary
        self.discussion = discussion
        self.parameters = parameters
        self.takesAnything = takesAnything
        self.examples = examples.map { Example(line: $0.0, effect: $0.1) }
    }

    /// Its words with spaces between them.
    package var name: String { path.joined(separator: " ") }

    /// Its own parameters, and those that every command has unless it has one of that name itself.
    package var allParameters: [ParameterDescription] {
        let own = parameters.map(\.description)
        let names = Set(own.map(\.name))
        return own + CommonParameters.everywhere.map(\.description).filter { !names.contains($0.name) }
    }
}
