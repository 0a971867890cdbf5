import Cameras
import MessageSchema
import Testing
import Video4Linux

@Suite(.timeLimit(.minutes(1)))
struct FormatChoiceTests {
    @Test func `the camera's own JPEG is preferred at the same size and rate`() throws {
        let choice = try #require(FormatChoice(WantedFormat(width: 640, height: 480), among: Machines.webcamFormats))
        #expect(choice.pixelFormat == .motionJPEG)
        #expect((choice.width, choice.height) == (640, 480))
        #expect(choice.interval == FrameInterval(numerator: 1, denominator: 30))
    }

    @Test(arguments: [
        (1280, 720, 1920, 1080), (320, 240, 640, 480), (4000, 3000, 1920, 1080), (641, 480, 1920, 1080),
    ])
    func `the smallest size that covers what was asked is taken, else the largest`(
        w: Int,
        h: Int,
        width: Int,
        height: Int
    ) {
        let choice = FormatChoice(WantedFormat(width: w, height: h), among: Machines.webcamFormats)
        #expect(choice?.width == width)
        #expect(choice?.height == height)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 65_500, Int.max])
    func `any number is a wish, for the smallest or the largest size at its ends`(side: Int) {
        let wide = FormatChoice(WantedFormat(width: side, height: 480), among: Machines.webcamFormats)
        let high = FormatChoice(WantedFormat(width: 640, height: side), among: Machines.webcamFormats)
        let both = FormatChoice(WantedFormat(width: side, height: side), among: Machines.webcamFormats)
        #expect([wide?.width, high?.width, both?.width] == Array(repeating: side > 640 ? 1920 : 640, count: 3))
    }

    @Test func `numbers of a driver that mean nothing are taken as they are`() throws {
        let most = UInt32.max
        let range = VideoFormatDescription(
            pixelFormat: .yuyv,
            text: "",
            isCompressed: false,
            isEmulated: false,
            sizes: [
                VideoSizes(
                    widths: 0...Int(most),
                    heights: 0...Int(most),
                    step: (Int(most), Int(most)),
                    intervals: .range(
                        fastest: try #require(FrameInterval(numerator: 1, denominator: most)),
                        slowest: try #require(FrameInterval(numerator: most, denominator: 1))
                    )
                )
            ]
        )
        for rate in [.leastNonzeroMagnitude, 1, 4e9, .infinity, .nan] {
            let wanted = WantedFormat(width: 640, height: 480, framesPerSecond: rate)
            #expect(FormatChoice(wanted, among: [range])?.interval != nil)
        }
    }

    @Test func `a rate that is asked for is not exceeded`() {
        let wanted = WantedFormat(width: 1920, height: 1080, framesPerSecond: 20)
        let choice = FormatChoice(wanted, among: Machines.webcamFormats)
        #expect(choice?.interval == FrameInterval(numerator: 1, denominator: 15))
    }

    @Test func `a range is never expanded, and its steps are kept`() throws {
        let hdmi = VideoFormatDescription(
            pixelFormat: .yuyv,
            text: "",
            isCompressed: false,
            isEmulated: false,
            sizes: [
                VideoSizes(
                    widths: 16...16384,
                    heights: 16...8640,
                    step: (2, 2),
                    intervals: .range(
                        fastest: try #require(FrameInterval(numerator: 1, denominator: 1000)),
                        slowest: try #require(FrameInterval(numerator: 1000, denominator: 1))
                    )
                )
            ]
        )
        let choice = try #require(
            FormatChoice(WantedFormat(width: 641, height: 480, framesPerSecond: 7.5), among: [hdmi])
        )
        #expect((choice.width, choice.height) == (640, 480))
        #expect(choice.interval?.seconds == 1 / 7.5)
    }

    @Test func `uncompressed pixels come first where they are preferred, and only there`() throws {
        func format(_ pixelFormat: PixelFormat, _ width: Int, _ height: Int) -> VideoFormatDescription {
            VideoFormatDescription(
                pixelFormat: pixelFormat,
                text: "",
                isCompressed: pixelFormat == .motionJPEG,
                isEmulated: false,
                sizes: [VideoSizes(width: width, height: height, intervals: .unknown)]
            )
        }
        let both = [format(.motionJPEG, 1920, 1080), format(.yuyv, 640, 480)]
        #expect(FormatChoice(WantedFormat(), among: both)?.pixelFormat == .motionJPEG)
        let choice = try #require(FormatChoice(WantedFormat(prefersUncompressed: true), among: both))
        #expect(choice.pixelFormat == .yuyv)
        // What the camera compresses is better than nothing.
        let jpeg = Array(both.prefix(1))
        #expect(FormatChoice(WantedFormat(prefersUncompressed: true), among: jpeg)?.pixelFormat == .motionJPEG)
    }

    @Test func `a format that has to be converted is taken only where there is no other`() {
        func format(_ pixelFormat: PixelFormat, _ width: Int, _ height: Int) -> VideoFormatDescription {
            VideoFormatDescription(
                pixelFormat: pixelFormat,
                text: "",
                isCompressed: false,
                isEmulated: false,
                sizes: [VideoSizes(width: width, height: height, intervals: .unknown)]
            )
        }
        let bayer = format("RGGB", 1920, 1080)
        let both = [bayer, format("YVYU", 1920, 1080), format(.grey, 160, 120)]
        #expect(FormatChoice(WantedFormat(), among: both)?.pixelFormat == .grey)
        #expect(FormatChoice(WantedFormat(), among: Array(both.prefix(2)))?.pixelFormat == "YVYU")
        #expect(FormatChoice(WantedFormat(), among: [bayer])?.pixelFormat == "RGGB")
        #expect(CameraFormat(bayer).isConverted == true)
        #expect(CameraFormat(format(.grey, 160, 120)).isConverted == nil)
    }

    @Test func `formats that nothing here can read are not taken`() {
        let bayer = VideoFormatDescription(
            pixelFormat: "pRAA",
            text: "",
            isCompressed: false,
            isEmulated: false,
            sizes: [VideoSizes(width: 640, height: 480, intervals: .unknown)]
        )
        #expect(FormatChoice(WantedFormat(), among: [bayer]) == nil)
        #expect(FormatChoice(WantedFormat(), among: []) == nil)
    }
}
