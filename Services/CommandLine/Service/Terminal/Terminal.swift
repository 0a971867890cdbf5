private import Consent
private import Synchronization

/// What the user sees: results on standard output, errors and progress on standard error.
///
/// Calls block while nobody reads, as everywhere on Unix. Any thread may call.
package final class Terminal: Sendable {
    private struct State {
        var progress = ""
        var failure: Int32 = 0
    }

    private let output: OutputSink
    private let errors: OutputSink
    private let state = Mutex(State())
    /// Whether results may be coloured.
    private let hasColor: Bool

    /// A terminal of two sinks; `NO_COLOR` (no-color.org) or `TERM=dumb` in the environment turns colours off.
    package init(output: OutputSink, errors: OutputSink, environment: [String: String]) {
        self.output = output
        self.errors = errors
        hasColor = output.isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Whether a person reads the results.
    package var isInteractive: Bool { output.isTerminal }
    /// Whether a person reads errors and progress.
    package var showsProgress: Bool { errors.isTerminal }
    /// The columns of a line of results; 80 when that is not known.
    package var width: Int { max(20, output.columns() ?? 80) }
    /// The errno of the first result that could not be written; 0 when all were.
    package var failure: Int32 { state.withLock { $0.failure } }

    /// Writes a result as it is.
    package func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes a result as it is.
    package func write(_ bytes: [UInt8]) {
        state.withLock { state in
            erase(&state)
            let failure = output.write(bytes)
            if state.failure == 0 { state.failure = failure }
        }
    }

    /// Writes one line of results, in a style where colours are wanted; texts of others in it are made harmless.
    package func writeLine(_ line: String, _ style: Style? = nil) { writeLine(parts: (line, style)) }

    /// Writes one line of results whose parts have styles of their own; texts of others in it are made harmless.
    package func writeLine(parts: (text: String, style: Style?)...) {
        write(parts.map { styled(EscapedText.shown($0.text), $0.style) }.joined() + "\n")
    }

    /// Writes one line of results as JSON.
    package func writeJSON(_ value: some Encodable) { write(JSONLine.encode(value) + "\n") }

    /// Writes one line to standard error; what can not be written there is lost.
    package func writeError(_ line: String) {
        state.withLock { state in
            erase(&state)
            _ = errors.write(Array((line + "\n").utf8))
        }
    }

    /// Shows a line that the next output replaces, if there is a person to see it.
    package func showProgress(_ line: String) {
        guard errors.isTerminal else { return }
        state.withLock { state in
            let line = String(EscapedText.shown(line).prefix(max(10, (errors.columns() ?? 80) - 1)))
            guard line != state.progress else { return }
            // ECMA-48: to the first column, then erase to the end of the line.
            _ = errors.write(Array("\r\u{1B}[K\(line)".utf8))
            state.progress = line
        }
    }

    /// Takes the progress line away.
    package func clearProgress() { state.withLock { erase(&$0) } }

    private func erase(_ state: inout State) {
        guard !state.progress.isEmpty else { return }
        _ = errors.write(Array("\r\u{1B}[K".utf8))
        state.progress = ""
    }

    /// A style for a word of a result.
    package enum Style: String, Sendable {
        case bold = "1"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case dim = "2"
    }

    /// The text in that style, where colours are wanted.
    package func styled(_ text: String, _ style: Style?) -> String {
        guard hasColor, let style else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }
}
