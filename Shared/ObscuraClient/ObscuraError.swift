private import Consent
import MessageSchema

/// What went wrong, as the service that was asked tells it.
///
/// `code` and `parameters` are stable; the texts are for people, in English.
public struct ObscuraError: Error, Hashable, Sendable {
    /// `ALAssetsLibraryErrorDomain` where the Assets Library has a number for the case, else `Obscura`.
    public var domain: String
    /// A stable word, such as `accessDenied`, `invalidData`, `dismissed`, `serviceUnavailable`.
    public var code: String
    /// The Assets Library's number, such as -3302; nil where it has none.
    public var number: Int?
    /// What happened.
    public var localizedDescription: String
    /// Why.
    public var failureReason: String?
    /// What to do; for a denial, the command that changes it.
    public var recoverySuggestion: String?
    /// How long to wait before trying again, where that makes sense.
    public var retryAfter: Duration?
    /// What really happened, where `code` follows the Assets Library and more is known.
    public var cause: String?
    /// Facts about the case.
    public var parameters: [String: String]

    /// The numbers of the Assets Library's errors, in `number`.
    public enum AssetsLibraryNumber: Int, Hashable, Sendable, CaseIterable {
        case unknown = -1
        /// The asset can not be changed, or the disk failed.
        case writeFailed = -3300
        /// To be tried again after `retryAfter`.
        case writeBusy = -3301
        /// It can not be viewed or played.
        case writeInvalidData = -3302
        case writeIncompatibleData = -3303
        case writeDataEncoding = -3304
        case writeDiskSpace = -3305
        /// How a denied write arrives; the `cause` says so.
        case dataUnavailable = -3310
        case accessUserDenied = -3311
        case accessGloballyDenied = -3312
    }

    /// The number as a word; nil where the Assets Library has none.
    public var assetsLibraryNumber: AssetsLibraryNumber? { number.flatMap(AssetsLibraryNumber.init(rawValue:)) }

    /// The domain of the Assets Library's numbers.
    public static let assetsLibraryDomain = "ALAssetsLibraryErrorDomain"

    /// Whether the person, or the policy, said no.
    public var isDenial: Bool {
        let words: Set = ["accessDenied", "accessRestricted", "revoked"]
        return words.contains(code) || cause.map(words.contains) == true
    }

    init(_ reply: ErrorReply) {
        domain = reply.domain
        code = reply.code.rawValue
        number = reply.number
        localizedDescription = reply.description
        failureReason = reply.reason
        recoverySuggestion = reply.recoverySuggestion
        retryAfter = reply.retryAfter.map { .milliseconds($0) }
        cause = reply.cause
        parameters = reply.parameters ?? [:]
    }
}

extension ObscuraError: CustomStringConvertible {
    /// One line: `Error Domain=… Code=… "description" reason; what to do`, safe to print on a terminal.
    public var description: String {
        var line = "Error Domain=\(domain) Code=\(number.map(String.init) ?? code) \"\(localizedDescription)\""
        if let failureReason { line += " \(failureReason)" }
        if let recoverySuggestion { line += "; \(recoverySuggestion)" }
        return EscapedText.shown(line)
    }
}
