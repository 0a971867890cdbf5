/// How the pixels of an uncompressed picture lie in memory.
///
/// Source: the Linux kernel's Documentation/userspace-api/media/v4l/pixfmt-*.rst; the names are V4L2's without prefix.
package enum PixelLayout: String, Hashable, Sendable, CaseIterable {
    /// 4:2:2, one plane: Y0 Cb Y1 Cr.
    case yuyv
    /// 4:2:2, one plane: Cb Y0 Cr Y1.
    case uyvy
    /// 4:2:0, a plane of Y, then one of Cb and Cr alternating, each with half the rows.
    case nv12
    /// 4:2:0, three planes: Y, Cb, Cr; the rows of the last two have half the stride.
    case yuv420
    /// Three bytes a pixel: red, green, blue.
    case rgb24
    /// Three bytes a pixel: blue, green, red.
    case bgr24
    /// One byte of luma a pixel.
    case grey

    /// Whether luma and chroma are stored rather than red, green and blue.
    package var isLumaChroma: Bool {
        switch self {
        case .yuyv, .uyvy, .nv12, .yuv420, .grey: true
        case .rgb24, .bgr24: false
        }
    }

    /// The least bytes a row of the first plane needs.
    package func minimumBytesPerRow(width: Int) -> Int {
        switch self {
        case .yuyv, .uyvy: (width + 1) / 2 * 4
        case .nv12: (width + 1) / 2 * 2
        case .yuv420, .grey: width
        case .rgb24, .bgr24: width * 3
        }
    }

    /// The bytes of a whole picture whose first plane has rows of `bytesPerRow`.
    package func byteCount(height: Int, bytesPerRow: Int) -> Int {
        switch self {
        case .yuyv, .uyvy, .rgb24, .bgr24, .grey: bytesPerRow * height
        case .nv12: bytesPerRow * height + bytesPerRow * ((height + 1) / 2)
        case .yuv420: bytesPerRow * height + 2 * ((bytesPerRow + 1) / 2) * ((height + 1) / 2)
        }
    }
}

/// The shape of an uncompressed picture.
package struct PictureShape: Hashable, Sendable {
    package var layout: PixelLayout
    /// Pixels.
    package var width: Int
    /// Pixels.
    package var height: Int
    /// Bytes from one row of the first plane to the next.
    package var bytesPerRow: Int
    /// Whether luma spans 0 to 255, as JPEG has it.
    ///
    /// V4L2's YUV formats mean 16 to 235 by default (colorspaces-defs.rst, `V4L2_QUANTIZATION_DEFAULT`). Without meaning
    /// for red, green and blue.
    package var isFullRange: Bool
    /// Whether luma weighs the colours as ITU-R BT.709 has it, else as BT.601; without meaning for red, green and blue.
    package var isRec709: Bool

    /// A shape; rows without padding unless told otherwise.
    package init(
        layout: PixelLayout,
        width: Int,
        height: Int,
        bytesPerRow: Int? = nil,
        isFullRange: Bool = false,
        isRec709: Bool = false
    ) {
        self.layout = layout
        self.width = width
        self.height = height
        self.bytesPerRow = bytesPerRow ?? layout.minimumBytesPerRow(width: width)
        self.isFullRange = isFullRange
        self.isRec709 = isRec709
    }

    /// The bytes such a picture has.
    package var byteCount: Int { layout.byteCount(height: height, bytesPerRow: bytesPerRow) }
}
