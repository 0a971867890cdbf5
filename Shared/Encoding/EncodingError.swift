/// Why pictures could not be encoded.
package struct EncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for callers to switch on.
    package enum Code: String, Hashable, Sendable {
        /// This libavcodec has no such encoder.
        case unavailable
        /// Memory ran out.
        case memory
        /// A picture with fewer bytes than its shape has, or of no shape that can be encoded; the next one may be good.
        case badPicture
        /// The encoder refused its settings or a picture.
        case codec
    }

    package let code: Code

    /// What libavcodec answered, where it did.
    package let errorNumber: Int32?

    package init(_ code: Code, errorNumber: Int32? = nil) {
        self.code = code
        self.errorNumber = errorNumber
    }

    package var description: String { errorNumber.map { "\(code.rawValue) (\($0))" } ?? code.rawValue }
}
