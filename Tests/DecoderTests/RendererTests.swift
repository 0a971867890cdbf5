import Containers
import DecoderService
import Imaging
import Media
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct `A thumbnail` {
    /// A picture whose upper left quarter is red, and the rest blue.
    private static func picture(width: Int, height: Int, orientation: Orientation) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for row in 0..<height {
            for column in 0..<width {
                bytes += row < height / 2 && column < width / 2 ? [255, 0, 0] : [0, 0, 255]
            }
        }
        let shape = PictureShape(layout: .rgb24, width: width, height: height)
        let jpeg = try JPEGEncoder().encode(bytes, shape: shape, quality: 95)
        var fields = EXIFFields(
            time: CaptureTime(microsecondsSince1970: 0, offsetMinutes: 0),
            make: "Test",
            model: "Test",
            software: "Test",
            orientation: orientation,
            width: width,
            height: height
        )
        fields.location = Location(latitude: 1, longitude: 1)
        return try EXIFWriter.written(fields, into: jpeg)
    }

    private static func isRed(_ picture: JPEGDecoder.Picture, x: Int, y: Int) -> Bool {
        picture.bytes[(y * picture.width + x) * 3] > 128
    }

    /// Where the red quarter is shown: left, top (EXIF 2.32 tag 0x0112).
    @Test(arguments: [
        (Orientation.up, true, true), (.upMirrored, false, true), (.down, false, false), (.downMirrored, true, false),
        (.leftMirrored, true, true), (.right, false, true), (.rightMirrored, false, false), (.left, true, false),
    ])
    func `is upright`(orientation: Orientation, isLeft: Bool, isTop: Bool) throws {
        let source = try Self.picture(width: 160, height: 80, orientation: orientation)
        let found = try Renderer.thumbnail(of: RandomAccessBytes(source), width: 40, height: 40)
        #expect(found.width == (orientation.swapsAxes ? 20 : 40))
        #expect(found.height == (orientation.swapsAxes ? 40 : 20))
        let shown = try JPEGDecoder().decode(found.bytes)
        let (near, farX, farY) = (4, found.width - 5, found.height - 5)
        #expect(Self.isRed(shown, x: isLeft ? near : farX, y: isTop ? near : farY))
        #expect(!Self.isRed(shown, x: isLeft ? farX : near, y: isTop ? farY : near))
    }

    @Test func `carries no metadata`() throws {
        let source = try Self.picture(width: 64, height: 64, orientation: .right)
        let found = try Renderer.thumbnail(of: RandomAccessBytes(source), width: 32, height: 32)
        #expect(JPEGReader(RandomAccessBytes(source))?.metadata != nil)
        #expect(JPEGReader(RandomAccessBytes(found.bytes))?.metadata == nil)
    }

    @Test func `is never larger than the picture, and can fill a square`() throws {
        let source = RandomAccessBytes(try Self.picture(width: 160, height: 80, orientation: .up))
        let whole = try Renderer.thumbnail(of: source, width: 4000, height: 4000)
        #expect(whole.width == 160 && whole.height == 80)
        let square = try Renderer.thumbnail(of: source, width: 40, height: 40, fill: true)
        #expect(square.width == 40 && square.height == 40)
        let tall = try Renderer.thumbnail(of: source, width: 100, height: 200, fill: true)
        #expect(tall.width == 100 && tall.height == 80)
    }

    @Test(.enabled(if: Tool.isInstalled("ffmpeg")))
    func `of a film is its first picture, turned as the film is`() throws {
        var film = try Tool.pattern("a.mov", ["-c:v", "mjpeg"])
        let header = try #require(film.indices.first { film[$0...].starts(with: "tkhd".utf8) })
        // The matrix of a quarter turn (ISO/IEC 14496-12 clause 8.3.2): b is 1.0, c is -1.0, a and d are 0.
        let turn: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0]
        film.replaceSubrange(header + 44..<header + 64, with: turn)
        let found = try Renderer.thumbnail(of: RandomAccessBytes(film), width: 24, height: 24)
        #expect(found.width == 18 && found.height == 24)
    }

    @Test(arguments: [(0, 10), (10, 9000), (-1, 5)])
    func `of no sensible size is refused`(width: Int, height: Int) throws {
        let source = try Self.picture(width: 16, height: 16, orientation: .up)
        let error = #expect(throws: DecodingError.self) {
            try Renderer.thumbnail(of: RandomAccessBytes(source), width: width, height: height)
        }
        #expect(error?.code == .invalidJob)
    }

    @Test func `of a text is refused`() {
        #expect(throws: DecodingError.self) {
            try Renderer.thumbnail(of: RandomAccessBytes(Array("text".utf8)), width: 10, height: 10)
        }
    }

    @Test func `of orientations that follow each other is as if turned once`() {
        #expect(Orientation.right.then(.right) == .down)
        #expect(Orientation.right.then(.left) == .up)
        #expect(Orientation.upMirrored.then(.right) == .rightMirrored)
        for one in Orientation.allCases { #expect(one.then(.up) == one && Orientation.up.then(one) == one) }
    }
}
