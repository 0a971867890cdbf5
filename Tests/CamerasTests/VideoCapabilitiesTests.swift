import Testing

@testable import Video4Linux

@Suite(.timeLimit(.minutes(1)))
struct VideoCapabilitiesTests {
    private static func node(_ driver: String, _ capabilities: UInt32, _ device: UInt32) -> VideoCapabilities {
        VideoCapabilities(
            driver: driver,
            card: "",
            busInfo: "",
            capabilities: capabilities,
            deviceCapabilities: device
        )
    }

    @Test(arguments: [
        // As seen on a USB webcam: both nodes have the same `capabilities`.
        ("uvcvideo", UInt32(0x84A0_0001), UInt32(0x0420_0001), true),
        ("uvcvideo", UInt32(0x84A0_0001), UInt32(0x04A0_0000), false),
        ("vivid", UInt32(0x85A3_0005), UInt32(0x0523_0005), true),
        ("vivid", UInt32(0x85A3_0005), UInt32(0x04A0_0000), false),
        // A processor that looks like a camera, a codec, an output, a radio.
        ("bcm2835-isp", UInt32(0x8420_0001), UInt32(0x0420_0001), false),
        ("vicodec", UInt32(0x8420_8000), UInt32(0x0420_8000), false),
        ("g_uvc", UInt32(0x8420_0002), UInt32(0x0420_0002), false),
        ("radio", UInt32(0x8005_0000), UInt32(0x0005_0000), false),
        // Without V4L2_CAP_DEVICE_CAPS the union is all there is.
        ("old", UInt32(0x0400_0001), UInt32(0), true),
    ])
    func `only nodes that capture pictures are cameras`(driver: String, all: UInt32, node: UInt32, isCamera: Bool) {
        #expect((Self.node(driver, all, node).captureInterface != nil) == isCamera)
    }

    @Test func `the multi-planar interface is told apart`() {
        #expect(Self.node("sensor", 0x8400_1000, 0x0400_1000).captureInterface == .multiPlanar)
        #expect(VideoCapabilities.Interface.multiPlanar.bufferType == 9)
    }

    @Test func `errors keep errno and say what it means`() {
        #expect(VideoError(operation: "open", errorNumber: 13).code == .denied)
        #expect(VideoError(operation: "open", errorNumber: 2).code == .absent)
        #expect(VideoError(operation: "VIDIOC_S_FMT", errorNumber: 16).code == .busy)
        // No space on the USB bus; anywhere else it is not that.
        #expect(VideoError(operation: "VIDIOC_STREAMON", errorNumber: 28).code == .noBandwidth)
        #expect(VideoError(operation: "VIDIOC_QBUF", errorNumber: 28).code == .fault)
        #expect(VideoError(operation: "VIDIOC_QUERYCAP", errorNumber: 25).code == .notCamera)
        #expect(VideoError(operation: "VIDIOC_DQBUF", errorNumber: 19).errorNumber == 19)
    }

    @Test func `a file that is no device is not a camera`() {
        let error = #expect(throws: VideoError.self) { _ = try VideoDevice(path: "/dev/null") }
        #expect(error?.code == .notCamera)
        let absent = #expect(throws: VideoError.self) { _ = try VideoDevice(path: "/dev/video-of-nobody") }
        #expect(absent?.code == .absent)
    }

    @Test func `pixel formats print as the kernel writes them`() {
        #expect(PixelFormat.yuyv.rawValue == 0x5659_5559)
        #expect(PixelFormat.yuyv.description == "YUYV")
    }

    @Test(arguments: [(0, 480, 0), (640, 0, 0), (65_501, 480, 0), (640, Int(UInt32.max), 0), (640, 480, 1 << 25)])
    func `a format that no picture has is not plausible, and can be asked for its bytes`(
        width: Int,
        height: Int,
        row: Int
    ) {
        for pixelFormat: PixelFormat in [.yuyv, .yuv420, .motionJPEG] {
            let format = VideoFormat(
                pixelFormat: pixelFormat,
                width: width,
                height: height,
                bytesPerRow: row,
                imageByteCount: 0
            )
            #expect(!format.isPlausible)
            #expect(format.leastByteCount >= 0)
        }
    }

    @Test func `the greatest numbers a driver can give make no impossible byte count`() {
        let most = Int(UInt32.max)
        for pixelFormat: PixelFormat in [.yuyv, .nv12, .grey] {
            let format = VideoFormat(
                pixelFormat: pixelFormat,
                width: most,
                height: most,
                bytesPerRow: most,
                imageByteCount: most
            )
            #expect(format.leastByteCount > 1 << 60)
        }
        let small = VideoFormat(pixelFormat: .nv12, width: 3, height: 3, bytesPerRow: 3, imageByteCount: 0)
        #expect(small.leastByteCount == 13)
    }

    @Test func `the sensitivity is an index of a menu of thousandfold speeds`() {
        let menu = VideoControl.Kind.integerMenu([0: 50_000, 3: 400_000, 4: .max, 5: .min])
        #expect(VideoDevice.isoSpeed(menu, value: 3) == 400)
        #expect([1, 4, 5, -1].map { VideoDevice.isoSpeed(menu, value: $0) } == [nil, nil, nil, nil])
        #expect(VideoDevice.isoSpeed(.integer, value: 200) == 200)
        #expect(VideoDevice.isoSpeed(.boolean, value: 1) == nil)
    }

    @Test func `the bounds of a menu are taken only where they are those of a menu`() {
        #expect(VideoDevice.menuIndices(from: 0, to: 3) == 0...3)
        #expect(VideoDevice.menuIndices(from: 2, to: .max) == 2...258)
        #expect(VideoDevice.menuIndices(from: Int64(Int32.max), to: .max) == Int32.max...Int32.max)
        for (minimum, maximum) in [(-1, 3), (4, 3), (.max, .max), (.min, .max), (.max - 1, 0)] as [(Int64, Int64)] {
            #expect(VideoDevice.menuIndices(from: minimum, to: maximum) == nil)
        }
    }
}
