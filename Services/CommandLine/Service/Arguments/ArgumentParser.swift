package import MessageSchema

/// Reads a command line against a signature.
package enum ArgumentParser {
    /// Reads the words after the command's own.
    ///
    /// Options and positionals may come in any order; `--name=VALUE` is `--name VALUE`; after `--` all are positionals.
    ///
    /// - Throws: An error with code `usage` that names what is wrong and, where it can, what was meant.
    package static func parse(_ words: [String], for signature: CommandSignature) throws(ErrorReply) -> Arguments {
        if signature.takesAnything {
            var arguments = Arguments()
            if words.contains("--help") { arguments.flags.insert(CommonParameters.help.name) }
            return arguments
        }
        var parse = Parse(signature: signature)
        var rest = words[...]
        var onlyPositionals = false
        while let word = rest.popFirst() {
            if onlyPositionals || word == "-" || !word.hasPrefix("-") {
                parse.positionals.append(word)
            } else if word == "--" {
                onlyPositionals = true
            } else {
                try parse.take(word == "-h" ? "--help" : word, &rest)
            }
        }
        return try parse.finish()
    }
}

private struct Parse {
    let signature: CommandSignature
    var arguments = Arguments()
    var positionals: [String] = []

    init(signature: CommandSignature) { self.signature = signature }

    mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws(ErrorReply) {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        let known = signature.allParameters.filter { parameter in
            if case .positional = parameter.form { false } else { true }
        }
        guard word.hasPrefix("--"), let parameter = known.first(where: { $0.name == name }) else {
            let shown = String(word.prefix { $0 != "=" })
            let near = Suggestion.nearest(to: name, among: known.map(\.name)).map { "did you mean --\($0)?" }
            throw usage("Unknown option", "\(shown) is not an option of obscura \(signature.name)", near)
        }
        if parameter.form == .flag {
            guard parts.count == 1 else { throw usage("Unexpected value", "--\(name) takes no value") }
            arguments.flags.insert(name)
            return
        }
        guard arguments.options[name] == nil else { throw usage("Option given twice", "--\(name) can be given once") }
        // Another option in its place means that the value was forgotten; `--name=--value` says otherwise.
        let isForgotten = rest.first.map { next in known.contains { next == "--\($0.name)" } } ?? true
        guard let value = parts.count == 2 ? String(parts[1]) : isForgotten ? nil : rest.popFirst() else {
            throw usage("Missing value", "--\(name) needs \(parameter.expectation)")
        }
        try check(value, for: parameter, as: "--\(name)")
        arguments.options[name] = value
    }

    mutating func finish() throws(ErrorReply) -> Arguments {
        guard !arguments.flags.contains(CommonParameters.help.name) else { return arguments }
        var rest = positionals[...]
        for parameter in signature.allParameters {
            switch parameter.form {
            case .flag:
                continue
            case .option(let isRequired):
                if isRequired, arguments.options[parameter.name] == nil {
                    throw usage("Missing option", "obscura \(signature.name) needs --\(parameter.name)")
                }
            case .positional(let count):
                let taken = count == .any || count == .oneOrMore ? rest : rest.prefix(1)
                rest = rest.dropFirst(taken.count)
                if taken.isEmpty, count == .one || count == .oneOrMore {
                    throw usage("Missing argument", "obscura \(signature.name) needs \(parameter.name)")
                }
                for word in taken { try check(word, for: parameter, as: parameter.name) }
                arguments.positionals[parameter.name] = Array(taken)
            }
        }
        if let extra = rest.first {
            throw usage("Unexpected argument", "obscura \(signature.name) has no use for '\(extra)'")
        }
        return arguments
    }

    private func check(_ value: String, for parameter: ParameterDescription, as name: String) throws(ErrorReply) {
        guard !parameter.accepts(value) else { return }
        let near = Suggestion.nearest(to: value, among: parameter.words).map { "did you mean '\($0)'?" }
        let fault = parameter.fault(value).map { ": \($0)" } ?? ""
        throw usage("Invalid value", "\(name) is '\(value)'\(fault), expected \(parameter.expectation)", near)
    }

    private func usage(_ description: String, _ reason: String, _ suggestion: String? = nil) -> ErrorReply {
        .usage(description, reason, suggestion ?? "see 'obscura \(signature.name) --help'")
    }
}

extension ErrorReply {
    /// What is wrong with a command line.
    package static func usage(_ description: String, _ reason: String, _ suggestion: String? = nil) -> ErrorReply {
        ErrorReply(.usage, description, reason: reason, recoverySuggestion: suggestion)
    }
}
