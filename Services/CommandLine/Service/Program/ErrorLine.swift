private import Consent
private import FoundationEssentials
package import MessageSchema

/// How an error is printed on standard error.
package enum ErrorLine {
    /// `Error Domain=… Code=… "description" reason; what to do`, without anything that steers a terminal.
    ///
    /// What was said already is not said again.
    package static func text(_ error: ErrorReply) -> String {
        let code = error.number.map(String.init) ?? error.code.rawValue
        return EscapedText.shown("Error Domain=\(error.domain) Code=\(code) \(ErrorWords.sentence(error))")
    }

    /// One line: `{"error": {…}}`.
    package static func json(_ error: ErrorReply) -> String {
        var error = error
        error.description = ErrorWords.trimmed(error.description)
        error.reason = error.reason.map(ErrorWords.trimmed)
        error.recoverySuggestion = error.recoverySuggestion.map(ErrorWords.trimmed)
        return JSONLine.encode(Wrapper(error: error))
    }

    private struct Wrapper: Encodable {
        let error: ErrorReply
    }
}
