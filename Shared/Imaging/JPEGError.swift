/// Why a picture could not be encoded, decoded or mended.
package struct JPEGError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong, for callers to switch on.
    package enum Code: String, Sendable {
        /// The bytes do not start like a JPEG, or a segment in them is malformed.
        case notJPEG
        /// The bytes end before the picture does.
        case truncated
        /// The picture asked for can not be: no pixels, more than 65,500 a side, or rows shorter than the width.
        case badDimensions
        /// More pixels than the caller allows.
        case tooLarge
        /// A segment would be longer than a JPEG segment can be (65,533 bytes).
        case segmentTooLong
        /// The codec refused; `detail` has its words.
        case codec
    }

    package let code: Code

    /// The codec's own words, or what exactly is wrong; never picture content.
    package let detail: String

    package init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    package var description: String { detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)" }
}
