/// Why a file can not be handed out without its metadata.
package struct RedactionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What stands in the way, for callers to switch on.
    package enum Code: String, Hashable, Sendable {
        /// A type whose metadata is not known to its end.
        case unsupportedType
        /// The structure makes no sense, or ends too early.
        case damaged
        /// A part that may hold anything, and without which the file might not be readable.
        case unknownPart
        /// More of something than is worked on.
        case tooLarge
    }

    package let code: Code
    /// The part of the file that could not be cleaned, and why, in words without content.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String {
        switch code {
        case .unsupportedType: "The metadata of this type can not be removed: \(detail)"
        case .damaged: "The file is damaged: \(detail)"
        case .unknownPart: "The file has a part that is not known: \(detail)"
        case .tooLarge: "The file has too much of something: \(detail)"
        }
    }
}
