private import Consent
import MessageSchema

/// Where bytes go that the user asked for: a file, or standard output.
protocol Output: Sendable {
    /// Adds bytes.
    func write(_ bytes: [UInt8]) async throws(ErrorReply)
    /// All bytes are there.
    func commit() async throws(ErrorReply)
    /// Takes away what was written, where it can be taken away.
    func discard() async
}

/// What `--output` names: `-` is standard output, everything else a file (`./-` is the file of that name).
struct OutputTarget: Sendable {
    /// The path as the user gave it.
    let path: String
    private let terminal: Terminal
    private let replaces: Bool

    /// Takes what the user named; `replacing` is whether a file of that name may lose its place.
    ///
    /// - Throws: `usage` where JSON is to go to standard output, too.
    init(
        _ path: String,
        _ arguments: Arguments,
        _ terminal: Terminal,
        replacing: Bool = true
    ) throws(ErrorReply) {
        guard path != "-" || !arguments[CommonParameters.json] else {
            throw ErrorReply.usage(
                "Which output?",
                "the bytes and the JSON can not both go to standard output",
                "name a file with --output, or leave out --json"
            )
        }
        self.path = path
        self.terminal = terminal
        replaces = replacing
    }

    private init(path: String, terminal: Terminal, replacing: Bool) {
        self.path = path
        self.terminal = terminal
        replaces = replacing
    }

    /// Another path of the same command, made from what the user gave.
    func renamed(_ path: String) -> OutputTarget { OutputTarget(path: path, terminal: terminal, replacing: replaces) }

    /// Whether the bytes go to standard output, so that everything else has to go elsewhere.
    var isStandardOutput: Bool { path == "-" }

    /// Opens it.
    func open() throws(ErrorReply) -> any Output {
        isStandardOutput ? StandardOutput(terminal: terminal) : try OutputFile(path, replacing: replaces)
    }

    /// Writes with the closure and commits, or discards when it throws.
    func write<Result: Sendable>(_ body: (any Output) async throws -> Result) async throws -> Result {
        let output = try open()
        do {
            let result = try await body(output)
            try await output.commit()
            return result
        } catch {
            await output.discard()
            throw error
        }
    }

    /// A line about what was written: among the results, or on standard error where the bytes are the result.
    func tell(_ line: String) {
        if isStandardOutput { terminal.writeError(EscapedText.shown(line)) } else { terminal.writeLine(line) }
    }
}

/// Standard output, on which what was written stays; a failure to write there is told at the program's end.
private struct StandardOutput: Output {
    let terminal: Terminal

    func write(_ bytes: [UInt8]) { terminal.write(bytes) }
    func commit() {}
    func discard() {}
}
