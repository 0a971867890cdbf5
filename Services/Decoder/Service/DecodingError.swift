/// Why a file could not be decoded.
package struct DecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// There is no decoder here for what it is.
        case unsupported
        /// The file's structure can not be read.
        case unreadable
        /// There are no pictures in it, or none of them decodes.
        case noPicture
        /// It claims more pixels than are decoded.
        case tooLarge
        /// Memory ran out.
        case memory
        /// The job itself makes no sense.
        case invalidJob
    }

    package let code: Code
    /// What happened, in words for a person; never content of the file.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String { detail }
}
