import Encoding
import Foundation
import Imaging
import Media
import Movies
import Testing

@Suite(.timeLimit(.minutes(3)))
struct H264EncoderTests {
    /// A plane of grey with a brighter half, and colours, in every layout: what each pixel has to be after decoding.
    private static func picture(_ shape: PictureShape, luma: [UInt8], red: UInt8, blue: UInt8) -> [UInt8] {
        let (width, height, stride) = (shape.width, shape.height, shape.bytesPerRow)
        // Rows are longer than the picture where the stride says so; what lies there must not be seen.
        var bytes = [UInt8](repeating: 0xEE, count: shape.byteCount)
        func y(_ column: Int, _ row: Int) -> UInt8 { luma[row * width + column] }
        for row in 0..<height {
            for column in 0..<width {
                switch shape.layout {
                case .yuyv:
                    bytes[row * stride + column * 2] = y(column, row)
                    bytes[row * stride + column * 2 + 1] = column % 2 == 0 ? blue : red
                case .uyvy:
                    bytes[row * stride + column * 2 + 1] = y(column, row)
                    bytes[row * stride + column * 2] = column % 2 == 0 ? blue : red
                case .nv12, .yuv420, .grey: bytes[row * stride + column] = y(column, row)
                case .rgb24, .bgr24:
                    for part in 0..<3 { bytes[row * stride + column * 3 + part] = y(column, row) }
                }
            }
        }
        let luma = stride * height
        for row in 0..<(height + 1) / 2 {
            for column in 0..<(width + 1) / 2 {
                switch shape.layout {
                case .nv12:
                    bytes[luma + row * stride + column * 2] = blue
                    bytes[luma + row * stride + column * 2 + 1] = red
                case .yuv420:
                    let half = (stride + 1) / 2
                    bytes[luma + row * half + column] = blue
                    bytes[luma + half * ((height + 1) / 2) + row * half + column] = red
                default: break
                }
            }
        }
        return bytes
    }

    /// Decodes a stream with FFmpeg: planes of Y, Cb and Cr.
    private static func decoded(_ stream: [UInt8]) throws -> [UInt8] {
        let path = FileManager.default.temporaryDirectory.appending(path: "obscura-" + UUID().uuidString + ".h264")
        try Data(stream).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        process.arguments = ["-v", "error", "-i", path.path, "-pix_fmt", "yuv420p", "-f", "rawvideo", "-"]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return [UInt8](data)
    }

    static let shapes: [PictureShape] = PixelLayout.allCases.flatMap { layout in
        [(64, 48, 0), (66, 50, 14), (322, 180, 2)].flatMap { width, height, padding in
            [false, true].map { isFullRange in
                PictureShape(
                    layout: layout,
                    width: width,
                    height: height,
                    bytesPerRow: layout.minimumBytesPerRow(width: width) + padding,
                    isFullRange: isFullRange
                )
            }
        }
    }

    @Test(arguments: shapes)
    func `every layout is encoded with its brightness, its colours and its range`(shape: PictureShape) throws {
        let (width, height) = (shape.width, shape.height)
        let (dark, bright): (UInt8, UInt8) = (50, 200)
        let luma = (0..<width * height).map { $0 % width < width / 2 ? dark : bright }
        let quality = H264Quality(constantRateFactor: 1, effort: "ultrafast")
        var encoder = try H264Encoder(shape, quality: quality)
        let bytes = Self.picture(shape, luma: luma, red: 160, blue: 100)
        let made = try encoder.encode(bytes, at: 0)
        try #require(made.count == 1)
        let planes = try Self.decoded(made[0].bytes)
        #expect(planes.count == width * height * 3 / 2)
        // Full range and RGB span 0 to 255, the stream 16 to 235.
        let isWide = shape.isFullRange || !shape.layout.isLumaChroma
        func limited(_ value: UInt8) -> Int { isWide ? 16 + Int(value) * 219 / 255 : Int(value) }
        func chroma(_ value: UInt8) -> Int { isWide ? 128 + (Int(value) - 128) * 224 / 255 : Int(value) }
        for row in [0, height / 2, height - 1] {
            for (column, value) in [(1, dark), (width / 2 - 6, dark), (width / 2 + 6, bright), (width - 2, bright)] {
                #expect(abs(Int(planes[row * width + column]) - limited(value)) <= 3)
            }
        }
        let quarter = (width / 2) * (height / 2)
        let hasColour = shape.layout.isLumaChroma && shape.layout != .grey
        for place in [0, quarter / 2, quarter - 1] {
            let (blue, red) = (Int(planes[width * height + place]), Int(planes[width * height + quarter + place]))
            #expect(abs(blue - (hasColour ? chroma(100) : 128)) <= 4)
            #expect(abs(red - (hasColour ? chroma(160) : 128)) <= 4)
        }
    }

    @Test func `each picture comes out at once, in order, with a key each second of the pictures' own time`() throws {
        let shape = PictureShape(layout: .grey, width: 64, height: 48)
        var encoder = try H264Encoder(shape, quality: H264Quality(.medium), framesPerSecond: 10)
        var keys: [Int64] = []
        // Ten a second that become five, as in low light.
        var time: Int64 = 90_000_000
        for index in 0..<40 {
            let bytes = (0..<64 * 48).map { UInt8(($0 + index * 7) % 200) }
            let made = try encoder.encode(bytes, at: time)
            #expect(made.map(\.microseconds) == [time])
            let unit = try #require(H264AccessUnit(annexB: made[0].bytes))
            #expect(unit.isKey == made[0].isKey && !unit.isBidirectional)
            #expect((unit.configuration != nil) == unit.isKey)
            if unit.isKey { keys.append(time) }
            time += index < 20 ? 100_000 : 200_000
        }
        #expect(keys == (0...5).map { 90_000_000 + $0 * 1_000_000 })
        #expect(try encoder.finish().isEmpty)
    }

    @Test func `a key can be asked for at any time`() throws {
        let shape = PictureShape(layout: .grey, width: 64, height: 48)
        var encoder = try H264Encoder(shape, quality: H264Quality(.low))
        let bytes = [UInt8](repeating: 90, count: shape.byteCount)
        let keys = try (0..<6).map { try encoder.encode(bytes, at: Int64($0) * 33_333, asKey: $0 == 3)[0].isKey }
        #expect(keys == [true, false, false, true, false, false])
    }

    @Test func `better presets make larger files of the same scene`() throws {
        let shape = PictureShape(layout: .grey, width: 160, height: 120)
        var sizes: [Int] = []
        for preset in [QualityPreset.low, .medium, .high] {
            var encoder = try H264Encoder(shape, quality: H264Quality(preset))
            var size = 0
            for index in 0..<12 {
                let bytes = (0..<160 * 120).map { UInt8(($0 * 31 + ($0 / 160) * 7 + index * 3) % 180) }
                size += try encoder.encode(bytes, at: Int64(index) * 33_333).reduce(0) { $0 + $1.bytes.count }
            }
            sizes.append(size)
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 3)
    }

    @Test func `an odd size loses its last column and row`() throws {
        let shape = PictureShape(layout: .grey, width: 65, height: 49)
        var encoder = try H264Encoder(shape, quality: H264Quality(.medium))
        let made = try encoder.encode([UInt8](repeating: 90, count: shape.byteCount), at: 0)
        let parameters = H264AccessUnit(annexB: made[0].bytes)?.configuration?.parameters
        #expect(parameters?.width == 64 && parameters?.height == 48)
    }

    @Test func `a picture with too few bytes is refused and changes nothing`() throws {
        let shape = PictureShape(layout: .yuyv, width: 64, height: 48)
        var encoder = try H264Encoder(shape, quality: H264Quality(.medium))
        let short = [UInt8](repeating: 0, count: shape.byteCount - 1)
        #expect(throws: EncodingError(.badPicture)) { try encoder.encode(short, at: 0) }
        #expect(try encoder.encode(short + [0], at: 0).first?.isKey == true)
        for (width, height, stride) in [(0, 48, 0), (64, 1, 128), (64, 48, 127), (20_000, 48, 40_000)] {
            let shape = PictureShape(layout: .yuyv, width: width, height: height, bytesPerRow: stride)
            #expect(throws: EncodingError(.badPicture)) { _ = try H264Encoder(shape, quality: H264Quality(.medium)) }
        }
    }
}
