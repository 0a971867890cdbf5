import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1)))
struct `Making pictures smaller` {
    @Test func `averages the pixels that become one, each by the share that it covers`() {
        // Two by two become one.
        #expect(
            AreaScaler.scaled([10, 20, 30, 40, 50, 60, 70, 80], stride: 4, from: (4, 2), to: (2, 1)) == [35, 55]
        )
        // Three become two: each has one whole and half of the middle one.
        #expect(AreaScaler.scaled([0, 90, 240], stride: 3, from: (3, 1), to: (2, 1)) == [30, 190])
        // Rows may have padding, and pixels more than one byte.
        #expect(
            AreaScaler.scaled([1, 100, 3, 200, 9, 5, 100, 7, 200, 9], stride: 5, from: (2, 2), to: (1, 1), channels: 2)
                == [4, 150]
        )
    }

    @Test(arguments: [(7, 5, 3, 2), (640, 480, 266, 200), (1_920, 1_080, 2, 2), (5, 5, 5, 5), (33, 17, 32, 16)])
    func `leaves one colour one colour, whatever the sizes`(width: Int, height: Int, toWidth: Int, toHeight: Int) {
        for value: UInt8 in [0, 1, 128, 254, 255] {
            let source = [UInt8](repeating: value, count: width * height)
            let scaled = AreaScaler.scaled(source, stride: width, from: (width, height), to: (toWidth, toHeight))
            #expect(scaled.count == toWidth * toHeight)
            #expect(scaled.allSatisfy { $0 == value })
        }
    }

    @Test(arguments: [PixelLayout.yuyv, .uyvy, .nv12, .yuv420, .grey, .rgb24, .bgr24])
    func `works for every layout, and the picture has the size and the grey it shall have`(layout: PixelLayout) throws {
        let shape = PictureShape(layout: layout, width: 65, height: 49, isFullRange: true)
        let bytes = [UInt8](repeating: 128, count: shape.byteCount)
        let jpeg = try JPEGEncoder().encode(bytes, shape: shape, quality: 95, scaledTo: (32, 24))
        let picture = try JPEGDecoder().decode(jpeg)
        #expect(picture.width == 32 && picture.height == 24)
        #expect(picture.warning == nil)
        #expect(picture.bytes.allSatisfy { abs(Int($0) - 128) <= 2 })
    }

    @Test func `keeps left and right, up and down, and colours`() throws {
        // Four quarters: red, green, blue, white.
        let colours: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
        var bytes: [UInt8] = []
        for row in 0..<48 { for column in 0..<64 { bytes += colours[(row / 24) * 2 + column / 32] } }
        let shape = PictureShape(layout: .rgb24, width: 64, height: 48)
        let picture = try JPEGDecoder().decode(
            try JPEGEncoder().encode(bytes, shape: shape, quality: 100, scaledTo: (32, 24))
        )
        for (index, colour) in colours.enumerated() {
            let start = ((index / 2 * 12 + 6) * 32 + index % 2 * 16 + 8) * 3
            for channel in 0..<3 { #expect(abs(Int(picture.bytes[start + channel]) - Int(colour[channel])) < 12) }
        }
    }

    @Test(arguments: [(0, 2), (2, 0), (3, 2), (2, 3)])
    func `sizes that can not be are refused`(width: Int, height: Int) {
        let shape = PictureShape(layout: .grey, width: 8, height: 8)
        #expect(throws: JPEGError.self) {
            try JPEGEncoder().encode(
                [UInt8](repeating: 0, count: 64),
                shape: shape,
                quality: 90,
                scaledTo: (width, height)
            )
        }
    }

    @Test func `the size of a JPEG is read from its head alone`() throws {
        let jpeg = try Pictures.jpeg(width: 128, height: 32, quality: 95)
        for bytes in [jpeg, Array(jpeg.dropLast(100))] {
            #expect(JPEGSegments.size(of: bytes).map { [$0.width, $0.height] } == [128, 32])
        }
        #expect(JPEGSegments.size(of: []) == nil)
        #expect(JPEGSegments.size(of: [0xFF, 0xD8, 0xFF, 0xD9]) == nil)
        #expect(JPEGSegments.size(of: [UInt8](repeating: 0xFF, count: 40)) == nil)
    }
}
