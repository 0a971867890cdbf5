import Testing
import Video4Linux
import VideoConversion

@Suite(.timeLimit(.minutes(1)))
struct FrameConverterTests {
    private static let (width, height) = (32, 16)

    private static func format(_ pixelFormat: PixelFormat, bytesPerRow: Int, height: Int = height) -> VideoFormat {
        VideoFormat(
            pixelFormat: pixelFormat,
            width: width,
            height: height,
            bytesPerRow: bytesPerRow,
            imageByteCount: bytesPerRow * height,
            isFullRange: true,
            isRec709: true
        )
    }

    private static func converted(_ bytes: [UInt8], by converter: FrameConverter) -> [UInt8]? {
        unsafe converter.convert(bytes.span.bytes)
    }

    /// A picture of one colour: luma 80, Cb 100, Cr 200, in rows with `padding` bytes of 255.
    private static func even(_ pixelFormat: PixelFormat, padding: Int) -> (bytes: [UInt8], bytesPerRow: Int) {
        func rows(_ count: Int, _ unit: [UInt8], _ bytes: Int, _ padding: Int) -> [UInt8] {
            let row = (0..<bytes).map { unit[$0 % unit.count] } + Array(repeating: 255, count: padding)
            return Array((0..<count).map { _ in row }.joined())
        }
        switch pixelFormat {
        case "YVYU": return (rows(height, [80, 200, 80, 100], width * 2, padding), width * 2 + padding)
        case "NV16", "NV61":
            let pair: [UInt8] = pixelFormat == "NV16" ? [100, 200] : [200, 100]
            return (rows(height, [80], width, padding) + rows(height, pair, width, padding), width + padding)
        default:
            let chroma =
                rows(height / 2, [200], width / 2, padding / 2) + rows(height / 2, [100], width / 2, padding / 2)
            return (rows(height, [80], width, padding) + chroma, width + padding)
        }
    }

    @Test(arguments: ["YVYU", "NV16", "NV61", "YV12"] as [PixelFormat], [0, 8])
    func `luma and chroma keep their values, whatever pads the rows`(pixelFormat: PixelFormat, padding: Int) throws {
        let (bytes, bytesPerRow) = Self.even(pixelFormat, padding: padding)
        let converter = try #require(FrameConverter(from: Self.format(pixelFormat, bytesPerRow: bytesPerRow)))
        #expect(converter.format.pixelFormat == .yuv420)
        #expect(converter.format.isFullRange && converter.format.isRec709)
        let picture = try #require(Self.converted(bytes, by: converter))
        let pixels = Self.width * Self.height
        #expect(picture.count == pixels * 3 / 2 && picture.count == converter.format.leastByteCount)
        #expect(Set(picture[0..<pixels]) == [80])
        #expect(Set(picture[pixels..<pixels * 5 / 4]) == [100])
        #expect(Set(picture[(pixels * 5 / 4)...]) == [200])
    }

    /// The colours of the first row and of the second, by the format's name.
    @Test(arguments: [("BA81", "BGGR"), ("GBRG", "GBRG"), ("GRBG", "GRBG"), ("RGGB", "RGGB")])
    func `a mosaic becomes its colour`(name: String, mosaic: String) throws {
        let pixelFormat = try #require(ConvertibleFormat.all.map(\.pixelFormat).first { $0.description == name })
        let values: [Character: UInt8] = ["R": 200, "G": 120, "B": 40]
        let cells = mosaic.compactMap { values[$0] }
        var bytes: [UInt8] = []
        for y in 0..<Self.height {
            for x in 0..<Self.width { bytes.append(cells[y % 2 * 2 + x % 2]) }
            bytes += [255, 255, 255, 255]
        }
        let converter = try #require(FrameConverter(from: Self.format(pixelFormat, bytesPerRow: Self.width + 4)))
        let picture = try #require(Self.converted(bytes, by: converter))
        #expect(converter.format.pixelFormat == .rgb24)
        #expect(picture.count == Self.width * Self.height * 3)
        // Edges are guessed; within, each pixel has the picture's one colour.
        for y in 2..<Self.height - 2 {
            for x in 2..<Self.width - 2 {
                let start = (y * Self.width + x) * 3
                #expect(Array(picture[start..<start + 3]) == [200, 120, 40])
            }
        }
    }

    @Test func `sixteen bits of red, green and blue become twenty-four`() throws {
        // Red alone: five bits at the top of a little-endian number.
        var bytes: [UInt8] = []
        for _ in 0..<Self.width * Self.height { bytes += [0x00, 0xF8] }
        let converter = try #require(FrameConverter(from: Self.format("RGBP", bytesPerRow: Self.width * 2)))
        let picture = try #require(Self.converted(bytes, by: converter))
        #expect(picture[0] >= 0xF8 && picture[1] == 0 && picture[2] == 0)
    }

    @Test(arguments: ConvertibleFormat.all.map(\.pixelFormat))
    func `a picture that is cut short is refused, at every length`(pixelFormat: PixelFormat) throws {
        let converter = try #require(FrameConverter(from: Self.format(pixelFormat, bytesPerRow: Self.width * 2)))
        for count in [0, 1, Self.width, converter.leastByteCount - 1] {
            #expect(Self.converted([UInt8](repeating: 1, count: count), by: converter) == nil)
        }
        #expect(Self.converted([UInt8](repeating: 1, count: converter.leastByteCount), by: converter) != nil)
    }

    @Test(arguments: [.yuyv, .uyvy, .nv12, .yuv420, .rgb24, .bgr24, .grey, .motionJPEG, .jpeg, .h264] as [PixelFormat])
    func `what is used as it is can not come to the library`(pixelFormat: PixelFormat) {
        #expect(ConvertibleFormat(pixelFormat) == nil)
        #expect(FrameConverter(from: Self.format(pixelFormat, bytesPerRow: Self.width * 3)) == nil)
    }

    @Test func `rows that are too short for the picture, and odd sizes, are refused`() {
        #expect(FrameConverter(from: Self.format("YVYU", bytesPerRow: Self.width * 2 - 1)) == nil)
        #expect(FrameConverter(from: Self.format("YVYU", bytesPerRow: Self.width * 2, height: 15)) == nil)
    }
}
