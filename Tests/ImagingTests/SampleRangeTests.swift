import Testing

@testable import Imaging

@Suite("Ranges of samples", .timeLimit(.minutes(1)))
struct SampleRangeTests {
    @Test(arguments: UInt8.min...UInt8.max)
    func `a value becomes what the division of BT 601 gives, rounded`(value: UInt8) {
        let stored = Int(value)
        #expect(FullRange.full(value) == value)
        #expect(VideoLuma.full(value) == UInt8(clamping: (max(0, stored - 16) * 255 + 109) / 219))
        let scaled = (abs(stored - 128) * 255 + 112) / 224
        #expect(VideoChroma.full(value) == UInt8(clamping: stored < 128 ? 128 - scaled : 128 + scaled))
    }

    @Test(arguments: [PixelLayout.yuyv, .uyvy, .nv12, .yuv420, .grey], [(1, 1), (2, 2), (7, 5), (64, 3), (65, 33)])
    func `planes have the samples of each layout, in rows with padding, and repeat the last`(
        layout: PixelLayout,
        size: (width: Int, height: Int)
    ) {
        let (width, height) = size
        let stride = layout.minimumBytesPerRow(width: width) + 6
        let shape = PictureShape(layout: layout, width: width, height: height, bytesPerRow: stride, isFullRange: true)
        let bytes = (0..<shape.byteCount).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 251) }
        var picture = PlanarPicture()
        picture.fill(unsafe bytes.span.bytes, shape: shape)
        for row in 0..<picture.luma.count / picture.lumaWidth {
            for column in 0..<picture.lumaWidth {
                let (x, y) = (min(column, width - 1), min(row, height - 1))
                let place =
                    switch layout {
                    case .yuyv: y * stride + 2 * x
                    case .uyvy: y * stride + 2 * x + 1
                    default: y * stride + x
                    }
                #expect(picture.luma[row * picture.lumaWidth + column] == bytes[place])
            }
        }
        guard layout != .grey else { return }
        for row in 0..<picture.blueChroma.count / picture.chromaWidth {
            for column in 0..<picture.chromaWidth {
                let (blue, red) =
                    switch layout {
                    case .yuyv: (row * stride + 4 * column + 1, row * stride + 4 * column + 3)
                    case .uyvy: (row * stride + 4 * column, row * stride + 4 * column + 2)
                    case .nv12: (stride * (height + row) + 2 * column, stride * (height + row) + 2 * column + 1)
                    default:
                        (
                            stride * height + (stride + 1) / 2 * row + column,
                            stride * height + (stride + 1) / 2 * ((height + 1) / 2 + row) + column
                        )
                    }
                let index = row * picture.chromaWidth + column
                #expect((picture.blueChroma[index], picture.redChroma[index]) == (bytes[blue], bytes[red]))
            }
        }
    }
}
