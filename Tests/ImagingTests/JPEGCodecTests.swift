import Imaging
import Testing

@Suite(.timeLimit(.minutes(1)))
struct JPEGCodecTests {
    @Test(arguments: [PixelLayout.yuyv, .uyvy, .nv12, .yuv420, .grey, .rgb24, .bgr24])
    func `a grey picture of any layout comes back as grey as it was`(layout: PixelLayout) throws {
        // An odd size, so that the halves of the chroma planes are rounded up.
        let shape = PictureShape(layout: layout, width: 33, height: 17)
        // 126 in limited range is 128 in full range; chroma 128 is no colour.
        var bytes = [UInt8](repeating: 128, count: shape.byteCount)
        if layout.isLumaChroma {
            for row in 0..<shape.height {
                for column in 0..<shape.width {
                    let offset =
                        switch layout {
                        case .yuyv: column * 2
                        case .uyvy: column * 2 + 1
                        default: column
                        }
                    bytes[row * shape.bytesPerRow + offset] = 126
                }
            }
        }
        let jpeg = try JPEGEncoder().encode(bytes, shape: shape, quality: 95)
        let picture = try JPEGDecoder().decode(jpeg)
        #expect(picture.width == 33)
        #expect(picture.height == 17)
        #expect(picture.warning == nil)
        #expect(picture.bytes.allSatisfy { abs(Int($0) - 128) <= 2 })
    }

    @Test func `limited range is stretched: video black and white become 0 and 255`() throws {
        let jpeg = try Pictures.jpeg(width: 128, height: 32, quality: 95)
        let picture = try JPEGDecoder().decode(jpeg)
        let luma = { (x: Int) -> Double in
            let at = (4 * 128 + x) * 3
            let (red, green, blue) = (picture.bytes[at], picture.bytes[at + 1], picture.bytes[at + 2])
            return 0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)
        }
        #expect(luma(64) > luma(32))
        #expect(abs(luma(64) - 128.5) < 6)
    }

    @Test func `too few bytes are refused before anything is read`() {
        #expect(throws: JPEGError.self) {
            try JPEGEncoder().encode(
                [UInt8](repeating: 0, count: 10),
                shape: PictureShape(layout: .yuyv, width: 64, height: 48),
                quality: 90
            )
        }
    }

    @Test(arguments: [(0, 10), (10, 0), (70_000, 1)])
    func `sizes that can not be are refused`(width: Int, height: Int) {
        let error = #expect(throws: JPEGError.self) {
            try JPEGEncoder().encode(
                [UInt8](repeating: 0, count: 10),
                shape: PictureShape(layout: .grey, width: width, height: height),
                quality: 90
            )
        }
        #expect(error?.code == .badDimensions)
    }

    @Test func `a thumbnail is decoded at the smallest scale that covers the size asked for`() throws {
        let jpeg = try Pictures.jpeg(width: 640, height: 480)
        let picture = try JPEGDecoder().decode(jpeg, coveringSide: 100)
        #expect(picture.width == 160)
        #expect(picture.height == 120)
    }

    @Test func `a picture cut short decodes with a warning, and more pixels than allowed are refused`() throws {
        let jpeg = try Pictures.jpeg(width: 640, height: 480)
        let half = Array(jpeg.prefix(jpeg.count / 2))
        let picture = try JPEGDecoder().decode(half)
        #expect(picture.warning != nil)
        #expect(picture.damage != nil)
        // With an end put on, it is as damaged.
        #expect(try JPEGDecoder().decode(half + [0xFF, 0xD9]).damage != nil)
        let error = #expect(throws: JPEGError.self) {
            try JPEGDecoder().decode(jpeg, maximumPixels: 640 * 480 - 1)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test(arguments: [1, 2, 3, 8, 200])
    func `padding before the end and an end that is missing are no damage`(count: Int) throws {
        let jpeg = try Pictures.jpeg(width: 640, height: 480)
        let body = Array(jpeg.dropLast(2))
        let sound = try JPEGDecoder().decode(jpeg)
        for bytes in [
            body, body + Array(repeating: 0, count: count), body + Array(repeating: 0, count: count) + [255, 217],
        ] {
            let picture = try JPEGDecoder().decode(bytes)
            #expect(picture.damage == nil)
            #expect(picture.bytes == sound.bytes)
        }
    }

    @Test func `what is left over of corrupt data is damage, and so are bytes that are missing`() throws {
        let jpeg = try Pictures.jpeg(width: 640, height: 480)
        let body = Array(jpeg.dropLast(2))
        let leftOver = (0..<100).map { UInt8($0 * 7 % 250) }
        #expect(try JPEGDecoder().decode(body + leftOver + [0xFF, 0xD9]).damage != nil)
        for count in [4, 40, 400] {
            #expect(try JPEGDecoder().decode(Array(body.dropLast(count)) + [0xFF, 0xD9]).damage != nil)
            #expect(try JPEGDecoder().decode(Array(body.dropLast(count))).damage != nil)
        }
    }

    @Test func `what is no JPEG is named so`() {
        let error = #expect(throws: JPEGError.self) {
            try JPEGDecoder().header(of: Array("not a picture at all".utf8))
        }
        #expect(error?.code == .notJPEG)
    }
}
