package import Video4Linux

/// A format that is not understood here and that libv4lconvert makes into one that is.
///
/// Uncompressed formats alone: of those it is known how many bytes a picture has. The decoders of what webcams of before 2008
/// compressed (`S561`, `S910`, `P207`, `M310` and others) are not told how long a frame is, and would read beyond one
/// that was cut short.
package struct ConvertibleFormat: Hashable, Sendable {
    package let pixelFormat: PixelFormat
    /// What is made of it: 4:2:0 of everything that was luma and chroma, RGB of everything else.
    package let target: PixelFormat
    /// Bytes of a pixel in a row of the first plane.
    let bytesPerPixel: Int
    /// Rows of all planes, each as long as the first plane's, in halves of the picture's height.
    let halfHeights: Int

    private init(_ pixelFormat: PixelFormat, to target: PixelFormat, bytesPerPixel: Int, halfHeights: Int) {
        self.pixelFormat = pixelFormat
        self.target = target
        self.bytesPerPixel = bytesPerPixel
        self.halfHeights = halfHeights
    }

    /// All of them, those that keep most of a picture first.
    package static let all: [ConvertibleFormat] = [
        ConvertibleFormat("YVYU", to: .yuv420, bytesPerPixel: 2, halfHeights: 2),
        ConvertibleFormat("NV16", to: .yuv420, bytesPerPixel: 1, halfHeights: 4),
        ConvertibleFormat("NV61", to: .yuv420, bytesPerPixel: 1, halfHeights: 4),
        ConvertibleFormat("YV12", to: .yuv420, bytesPerPixel: 1, halfHeights: 3),
        ConvertibleFormat("BA81", to: .rgb24, bytesPerPixel: 1, halfHeights: 2),
        ConvertibleFormat("GBRG", to: .rgb24, bytesPerPixel: 1, halfHeights: 2),
        ConvertibleFormat("GRBG", to: .rgb24, bytesPerPixel: 1, halfHeights: 2),
        ConvertibleFormat("RGGB", to: .rgb24, bytesPerPixel: 1, halfHeights: 2),
        ConvertibleFormat("RGBP", to: .rgb24, bytesPerPixel: 2, halfHeights: 2),
    ]

    /// The way to convert a format; nil for those that are understood as they are, and for those that nobody here
    /// understands.
    package init?(_ pixelFormat: PixelFormat) {
        guard let known = Self.all.first(where: { $0.pixelFormat == pixelFormat }) else { return nil }
        self = known
    }
}
