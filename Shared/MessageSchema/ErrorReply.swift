/// An error as it crosses the wire; `code` and `parameters` are the contract, the texts are for people.
package struct ErrorReply: Error, Hashable, Sendable, Codable {
    /// Who defined the error: `ALAssetsLibraryErrorDomain` where the Assets Library has a number, else `Obscura`.
    package var domain: String
    /// A stable word.
    package var code: ErrorCode
    /// The Assets Library's number, where one exists.
    package var number: Int?
    /// What happened.
    package var description: String
    /// Why.
    package var reason: String?
    /// What to do; for a denial, the exact command that changes it.
    package var recoverySuggestion: String?
    /// Milliseconds after which trying again makes sense.
    package var retryAfter: Int?
    /// Our word for what really happened, where `code` follows the Assets Library.
    package var cause: String?
    /// Facts about the case, such as `resource` or `bytesNeeded`.
    package var parameters: [String: String]?

    /// The domain of errors that Obscura defines itself.
    package static let domain = "Obscura"
    /// The domain of the Assets Library's numbers.
    package static let assetsLibraryDomain = "ALAssetsLibraryErrorDomain"

    /// An error of Obscura's own; without a reason or a suggestion it has its code's usual ones.
    package init(
        _ code: ErrorCode,
        _ description: String,
        reason: String? = nil,
        recoverySuggestion: String? = nil,
        retryAfter: Int? = nil,
        cause: String? = nil,
        parameters: [String: String]? = nil
    ) {
        domain = Self.domain
        self.code = code
        self.description = description
        self.reason = reason ?? code.usualReason
        self.recoverySuggestion = recoverySuggestion ?? code.usualRecovery
        self.retryAfter = retryAfter
        self.cause = cause
        self.parameters = parameters
    }

    /// An error that the Assets Library has a number for.
    package static func assetsLibrary(
        _ number: Int,
        _ code: ErrorCode,
        _ description: String,
        reason: String? = nil,
        recoverySuggestion: String? = nil,
        cause: String? = nil
    ) -> ErrorReply {
        var error = ErrorReply(code, description, reason: reason, recoverySuggestion: recoverySuggestion, cause: cause)
        error.domain = assetsLibraryDomain
        error.number = number
        return error
    }
}
