import Cameras
import MessageSchema
import TestSupport
import Testing
import Video4Linux

@Suite("Controls as programs see them", .tags(.unit), .timeLimit(.minutes(1)))
struct CameraControlTests {
    @Test(arguments: [
        ("Brightness", "brightness"), ("White Balance, Automatic", "white_balance_automatic"),
        ("  Inject V4L2_BUF_FLAG_ERROR", "inject_v4l2_buf_flag_error"), ("64 Bits Integer", "64_bits_integer"),
        ("Gain (dB) ", "gain_db"), ("", ""), ("---", ""), ("Größe", "gr_e"),
    ])
    func `names are spelled as v4l2-ctl spells them`(title: String, name: String) {
        #expect(CameraControl.name(spelling: title) == name)
    }

    @Test func `a menu keeps its holes, and an integer menu says what its indices stand for`() {
        let menu = VideoControl(
            identifier: 0x0098_F903,
            name: "Menu",
            kind: .menu([4: "Menu Item 4", 1: "Menu Item 1", 3: "Menu Item 3"]),
            minimum: 1,
            maximum: 4,
            defaultValue: 3,
            step: 1
        )
        let shown = CameraControl(menu, value: .number(3))
        #expect(shown?.menu?.map(\.index) == [1, 3, 4])
        #expect(shown?.menu?.first?.name == "Menu Item 1")
        #expect(shown?.value == .number(3))
        #expect(shown?.default == 3)
        let numbers = VideoControl(
            identifier: 1,
            name: "Link Frequency",
            kind: .integerMenu([0: 1, 1: -5_000_000_000])
        )
        #expect(CameraControl(numbers, value: nil)?.menu?.map(\.name) == ["1", "-5000000000"])
    }

    @Test func `every flag of the kernel that is shown has its word`() {
        let all: VideoControl.Flags = [
            .disabled, .grabbed, .readOnly, .update, .inactive, .slider, .writeOnly, .volatile, .hasPayload,
            .executeOnWrite, .modifyLayout, .dynamicArray,
        ]
        let control = VideoControl(identifier: 1, name: "X", kind: .integer, maximum: 255, flags: all)
        #expect(CameraControl(control, value: nil)?.flags == CameraControl.Flag.allCases)
    }

    @Test func `a mask has no sign, a button no bounds, an array its sizes, a text no default`() {
        let mask = VideoControl(identifier: 1, name: "Bitmask", kind: .bitmask, maximum: -1, defaultValue: 0x8000_2000)
        #expect(CameraControl(mask, value: .number(0x8000_2000))?.maximum == 0xFFFF_FFFF)
        #expect(CameraControl(mask, value: nil)?.default == 0x8000_2000)
        let button = CameraControl(VideoControl(identifier: 1, name: "Button", kind: .button), value: nil)
        #expect(button?.minimum == nil)
        #expect(button?.type == .button)
        let array = VideoControl(identifier: 1, name: "U8 4D", kind: .compound, maximum: 255, dimensions: [2, 3, 4, 5])
        #expect(CameraControl(array, value: nil)?.dimensions == [2, 3, 4, 5])
        let text = VideoControl(identifier: 1, name: "String", kind: .text, minimum: 2, maximum: 4, step: 1)
        #expect(CameraControl(text, value: .text("ab"))?.default == nil)
        #expect(CameraControl(text, value: .text("ab"))?.value == .text("ab"))
    }

    @Test func `the title of a group is no control`() {
        #expect(CameraControl(VideoControl(identifier: 1, name: "User Controls", kind: .title), value: nil) == nil)
    }

    @Test func `a range of times between frames is told apart from a list`() {
        let fastest = FrameInterval(numerator: 1, denominator: 60)
        let slowest = FrameInterval(numerator: 1, denominator: 1)
        guard let fastest, let slowest else {
            Issue.record("These are times.")
            return
        }
        func sizes(_ intervals: FrameIntervals) -> FrameSizes? {
            let format = VideoFormatDescription(
                pixelFormat: .yuyv,
                text: "",
                isCompressed: false,
                isEmulated: false,
                sizes: [VideoSizes(width: 640, height: 480, intervals: intervals)]
            )
            return CameraFormat(format).sizes.first
        }
        let range = sizes(.range(fastest: fastest, slowest: slowest, step: fastest))
        #expect(range?.intervals == ["1/60", "1/1"])
        #expect(range?.intervalsAreRange == true)
        #expect(range?.intervalStep == "1/60")
        #expect(sizes(.range(fastest: fastest, slowest: slowest))?.intervalStep == nil)
        #expect(sizes(.discrete([fastest, slowest]))?.intervalsAreRange == nil)
    }
}
