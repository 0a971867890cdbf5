import Imaging
import TestSupport
import Testing

/// Bars of known colours through each layout, matrix and range, with FFmpeg as a witness.
@Suite(.timeLimit(.minutes(1)))
struct ColourBarTests {
    static let shapes: [PictureShape] = [PixelLayout.yuyv, .uyvy, .nv12, .yuv420].flatMap { layout in
        [false, true].flatMap { isRec709 in
            [false, true].map { isFullRange in
                PictureShape(
                    layout: layout,
                    width: ColourBars.width,
                    height: 48,
                    bytesPerRow: layout.minimumBytesPerRow(width: ColourBars.width) + 8,
                    isFullRange: isFullRange,
                    isRec709: isRec709
                )
            }
        }
    }

    @Test(.enabled(if: Tool.isInstalled("ffmpeg")), arguments: shapes)
    func `a JPEG has the colours of the bars, whatever the matrix and the range were`(shape: PictureShape) throws {
        let jpeg = try JPEGEncoder().encode(ColourBars.picture(shape), shape: shape, quality: 95)
        #expect(ColourBars.distance(try Tool.raw(jpeg, as: "rgb24"), width: shape.width, height: shape.height) <= 6)
        #expect(ColourBars.distance(try JPEGDecoder().decode(jpeg).bytes, width: shape.width, height: 48) <= 6)
    }

    @Test(arguments: shapes)
    func `a smaller JPEG has them too`(shape: PictureShape) throws {
        let size = (width: ColourBars.width / 2, height: 24)
        let bars = ColourBars.picture(shape)
        let jpeg = try JPEGEncoder().encode(bars, shape: shape, quality: 95, scaledTo: size)
        #expect(ColourBars.distance(try JPEGDecoder().decode(jpeg).bytes, width: size.width, height: 24) <= 6)
    }

    @Test(.enabled(if: Tool.isInstalled("ffmpeg")), arguments: shapes)
    func `a PNG has them`(shape: PictureShape) throws {
        let png = try PNGEncoder.encode(InterleavedPicture(ColourBars.picture(shape), shape: shape))
        #expect(ColourBars.distance(try Tool.raw(png, as: "rgb24"), width: shape.width, height: shape.height) <= 2)
    }
}

extension ColourBars {
    /// The bars in a layout of luma and halved chroma.
    static func picture(_ shape: PictureShape) -> [UInt8] {
        let (width, height, stride) = (shape.width, shape.height, shape.bytesPerRow)
        var bytes = [UInt8](repeating: 0, count: shape.byteCount)
        for row in 0..<height {
            for column in 0..<width {
                let (luma, blue, red) = coded(
                    colours[column / 16],
                    isRec709: shape.isRec709,
                    isFullRange: shape.isFullRange
                )
                let pair = row * stride + column / 2 * 4
                switch shape.layout {
                case .yuyv:
                    bytes[row * stride + 2 * column] = luma
                    (bytes[pair + 1], bytes[pair + 3]) = (blue, red)
                case .uyvy:
                    bytes[row * stride + 2 * column + 1] = luma
                    (bytes[pair], bytes[pair + 2]) = (blue, red)
                case .nv12:
                    bytes[row * stride + column] = luma
                    let chroma = stride * height + row / 2 * stride + column / 2 * 2
                    (bytes[chroma], bytes[chroma + 1]) = (blue, red)
                default:
                    bytes[row * stride + column] = luma
                    let chroma = stride * height + row / 2 * (stride / 2) + column / 2
                    (bytes[chroma], bytes[chroma + stride / 2 * (height / 2)]) = (blue, red)
                }
            }
        }
        return bytes
    }
}
