private import Consent
private import FoundationEssentials
package import MessageSchema

/// How an error is printed on standard error.
package enum ErrorLine {
    /// `Error Domain=… Code=… "description" reason; what to do`, without anything that steers a terminal.
    package static func text(_ error: ErrorReply) -> String {
        let code = error.number.map(String.init) ?? error.code.rawValue
        var line = "Error Domain=\(error.domain) Code=\(code) \"\(error.description)\""
        if let reason = error.reason { line += " \(reason)" }
        if let suggestion = error.recoverySuggestion {
            if line.hasSuffix(".") { line.removeLast() }
            line += "; \(suggestion)"
        }
        return EscapedText.shown(line)
    }

    /// One line: `{"error": {…}}`.
    package static func json(_ error: ErrorReply) -> String { JSONLine.encode(Wrapper(error: error)) }

    private struct Wrapper: Encodable {
        let error: ErrorReply
    }
}
