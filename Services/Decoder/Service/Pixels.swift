package import Media

/// A picture in memory: red, green and blue, three bytes a pixel, rows without padding.
package struct Pixels: Hashable, Sendable {
    /// More pixels than this are never decoded: 0x3FFF squared, which sharp and libvips' users settled on.
    package static let limit = 268_402_689

    package let width: Int
    package let height: Int
    package let bytes: [UInt8]

    /// Takes bytes of the right number; anything else is a programmer's error and traps.
    package init(width: Int, height: Int, bytes: [UInt8]) {
        precondition(width > 0 && height > 0 && bytes.count == width * height * 3, "A pixel has three bytes.")
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// Refuses a size that would need too much memory, before anything is allocated.
    package static func checkSize(width: Int, height: Int) throws(DecodingError) {
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, count <= limit else {
            throw DecodingError(.tooLarge, "\(width) × \(height) pixels are more than the \(limit) that are decoded")
        }
    }
}

extension Pixels {
    /// The picture turned and mirrored for display.
    package func upright(_ orientation: Orientation) -> Pixels {
        guard orientation != .up else { return self }
        let (newWidth, newHeight) = orientation.swapsAxes ? (height, width) : (width, height)
        var turned = [UInt8](repeating: 0, count: bytes.count)
        for row in 0..<newHeight {
            for column in 0..<newWidth {
                let (x, y) = source(of: orientation, column: column, row: row)
                let from = (y * width + x) * 3
                let to = (row * newWidth + column) * 3
                turned[to] = bytes[from]
                turned[to + 1] = bytes[from + 1]
                turned[to + 2] = bytes[from + 2]
            }
        }
        return Pixels(width: newWidth, height: newHeight, bytes: turned)
    }

    /// The stored pixel that is shown at a place (EXIF 2.32 tag 0x0112).
    private func source(of orientation: Orientation, column: Int, row: Int) -> (x: Int, y: Int) {
        switch orientation {
        case .up: (column, row)
        case .upMirrored: (width - 1 - column, row)
        case .down: (width - 1 - column, height - 1 - row)
        case .downMirrored: (column, height - 1 - row)
        case .leftMirrored: (row, column)
        case .right: (row, height - 1 - column)
        case .rightMirrored: (width - 1 - row, height - 1 - column)
        case .left: (width - 1 - row, column)
        }
    }

    /// The middle of the picture with this size, which must not be larger than it.
    package func cropped(width newWidth: Int, height newHeight: Int) -> Pixels {
        precondition(newWidth <= width && newHeight <= height, "A crop is not larger than the picture.")
        guard newWidth < width || newHeight < height else { return self }
        let left = (width - newWidth) / 2
        let top = (height - newHeight) / 2
        var part: [UInt8] = []
        part.reserveCapacity(newWidth * newHeight * 3)
        for row in top..<top + newHeight {
            let start = (row * width + left) * 3
            part += bytes[start..<start + newWidth * 3]
        }
        return Pixels(width: newWidth, height: newHeight, bytes: part)
    }
}
