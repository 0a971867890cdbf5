import Consent

/// The name under which a person is shown a program; forgeable, and never a boundary.
enum ProgramLabel {
    /// Longer labels are cut.
    static let limit = 160

    private static let interpreters = [
        "python", "perl", "ruby", "node", "php", "lua", "bash", "dash", "sh", "zsh", "java", "tclsh", "Rscript",
    ]

    /// The label of a process.
    ///
    /// - Parameters:
    ///   - executable: The target of `/proc/PID/exe`, which other users can not read.
    ///   - arguments: `/proc/PID/cmdline`, which the process itself can change.
    ///   - name: `/proc/PID/comm`.
    /// - Returns: The label, escaped and cut.
    static func make(executable: String?, arguments: [String], name: String?) -> String {
        let program = executable ?? arguments.first ?? name ?? "unknown"
        let file = program.split(separator: "/").last.map(String.init) ?? program
        var label = program
        if interpreters.contains(where: { isVersion($0, of: file) }), let script = script(in: arguments) {
            label = "\(file) \(script)"
        }
        return EscapedText(label, limit: limit).text
    }

    /// Whether `file` is the interpreter, perhaps with a version: `python`, `python3`, `python3.11`.
    private static func isVersion(_ interpreter: String, of file: String) -> Bool {
        file.hasPrefix(interpreter)
            && file.dropFirst(interpreter.count).allSatisfy { $0 == "." || $0 == "-" || $0.isASCII && $0.isNumber }
    }

    /// The first argument that is not an option; `-m NAME` counts as NAME, and code given by `-c` has no name.
    private static func script(in arguments: [String]) -> String? {
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            if argument == "-c" || argument == "-e" { return nil }
            if argument == "-m" || argument == "-jar" { return rest.first }
            if !argument.hasPrefix("-") { return argument }
        }
        return nil
    }
}
