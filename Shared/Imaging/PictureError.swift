/// Why an uncompressed picture could not be made a file.
package struct PictureError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong, for callers to switch on.
    package enum Code: String, Sendable {
        /// The picture can not be: no pixels, more than 65,500 a side, or rows shorter than the width.
        case badDimensions
        /// There are fewer bytes than the picture has.
        case truncated
        /// More bytes than the file format can count.
        case tooLarge
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

extension PictureShape {
    /// Checks that a picture of this shape can be, and that these are all of its bytes.
    ///
    /// - Throws: `badDimensions`, `truncated`.
    func check(_ byteCount: Int) throws(PictureError) {
        let side = 1...65_500
        guard side.contains(width), side.contains(height), bytesPerRow >= layout.minimumBytesPerRow(width: width),
            bytesPerRow <= 1 << 24
        else { throw PictureError(.badDimensions, "\(width)×\(height), \(bytesPerRow) bytes a row") }
        guard byteCount >= self.byteCount else {
            throw PictureError(.truncated, "\(byteCount) of \(self.byteCount) bytes")
        }
    }
}
