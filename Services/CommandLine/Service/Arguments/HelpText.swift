/// The help of a command, and of the program.
package enum HelpText {
    /// The help of one command.
    package static func command(_ signature: CommandSignature) -> String {
        let parameters = signature.allParameters
        var usage = "usage: obscura \(signature.name)"
        for parameter in parameters {
            if case .positional(let count) = parameter.form { usage += " " + positional(parameter.name, count) }
        }
        for parameter in parameters {
            if parameter.form == .option(isRequired: true) { usage += " --\(parameter.name) \(parameter.placeholder)" }
        }
        var sections = [usage + " [option…]", signature.summary + "."]
        if !signature.discussion.isEmpty { sections.append(signature.discussion) }
        let words = parameters.compactMap { parameter -> (String, String)? in
            guard case .positional = parameter.form else { return nil }
            return (parameter.name, parameter.summary)
        }
        if !words.isEmpty { sections.append("arguments\n" + columns(words)) }
        let options = parameters.compactMap { parameter -> (String, String)? in
            switch parameter.form {
            case .positional: nil
            case .flag: ("--\(parameter.name)", parameter.summary)
            case .option: ("--\(parameter.name) \(parameter.placeholder)", parameter.summary)
            }
        }
        sections.append("options\n" + columns(options))
        if !signature.examples.isEmpty {
            sections.append("examples\n" + columns(signature.examples.map { ("obscura \($0.line)", $0.effect) }))
        }
        return sections.joined(separator: "\n\n") + "\n"
    }

    /// The commands below `path`, one a line.
    static func overview(_ signatures: [CommandSignature], below path: [String]) -> String {
        let name = (["obscura"] + path).joined(separator: " ")
        let lines = signatures.filter { $0.path.starts(with: path) }.map { ($0.name, $0.summary) }
        var text = "usage: \(name) <command> [--json] [--help]\n\n"
        if path.isEmpty { text += "A camera and a photo library that programs use as far as a person allows.\n\n" }
        text += "commands\n" + columns(lines) + "\n\n"
        return text + "'obscura COMMAND --help' tells about each, with examples. Exit codes: 0 done, 64 usage,\n"
            + "65 bad data, 66 no such input, 69 unavailable, 70 a fault of ours, 73 can not create, 74 input or\n"
            + "output error, 75 try again, 77 not permitted, 130 interrupted.\n"
    }

    private static func positional(_ name: String, _ count: ParameterDescription.Count) -> String {
        switch count {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)…]"
        case .oneOrMore: "\(name)…"
        }
    }

    /// Two columns; a left one that is too long gets a line of its own.
    private static func columns(_ rows: [(left: String, right: String)]) -> String {
        let width = min(34, rows.map(\.left.count).max() ?? 0)
        return rows.map { row in
            row.left.count <= width
                ? "  " + row.left + String(repeating: " ", count: width - row.left.count) + "  " + row.right
                : "  " + row.left + "\n" + String(repeating: " ", count: width + 4) + row.right
        }.joined(separator: "\n")
    }
}
