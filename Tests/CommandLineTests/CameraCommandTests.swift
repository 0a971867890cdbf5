import Media
import MessageSchema
import Testing

@testable import CommandLineService

@Suite(.timeLimit(.minutes(1)))
struct `Commands about cameras` {
    private static var menu: CameraControl {
        CameraControl(
            name: "power_line_frequency",
            title: "Power Line Frequency",
            id: 0x0098_0918,
            type: .menu,
            minimum: 0,
            maximum: 3,
            default: 1,
            value: .number(2),
            menu: [.init(index: 0, name: "Disabled"), .init(index: 2, name: "60 Hz")],
            flags: [.inactive]
        )
    }

    private static var cluster: FakeCluster {
        let cluster = FakeCluster()
        cluster.on(ShowCamera.self) { request in
            guard request.camera == "a" else { return .init(camera: nil) }
            var camera = Samples.camera("a", .front, .busy)
            var sizes = FrameSizes(width: 16, height: 16, intervals: ["1/60", "1/1"])
            (sizes.maximumWidth, sizes.maximumHeight) = (1920, 1080)
            (sizes.stepWidth, sizes.stepHeight) = (2, 4)
            sizes.intervalsAreRange = true
            camera.formats = [
                CameraFormat(pixelFormat: "YUYV", description: "raw", isCompressed: false, sizes: [sizes])
            ]
            camera.light = "/dev/v4l-subdev0"
            camera.rotation = 90
            return .init(camera: camera, controls: [menu])
        }
        return cluster
    }

    @Test func `a camera is shown as one object, its controls among its fields`() async throws {
        let outcome = await obscura("cameras", "show", "a", "--json", on: Self.cluster)
        let line = try #require(outcome.lines.first)
        #expect(outcome.lines.count == 1)
        #expect(line.contains(#""id":"a""#))
        #expect(line.contains(#""captureModes":["photo","movie"]"#))
        #expect(line.contains(#""menu":[{"index":0,"name":"Disabled"},{"index":2,"name":"60 Hz"}]"#))
        #expect(line.contains(#""value":2"#))
    }

    @Test func `a camera is shown to a person with ranges, light and controls`() async {
        let text = await obscura("cameras", "show", "a", on: Self.cluster).lines.joined(separator: "\n")
        #expect(text.contains("YUYV 16x16 to 1920x1080 in steps of 2x4 every 1/60 to 1/1 s (raw)"))
        #expect(text.contains("/dev/v4l-subdev0"))
        #expect(text.contains("90°"))
        #expect(text.contains("power_line_frequency  (menu)  0 Disabled, 2 60 Hz  = 2  default 1  inactive"))
    }

    @Test func `no camera of that name is an error with exit 69`() async {
        let outcome = await obscura("cameras", "show", "b", on: Self.cluster)
        #expect(outcome.status.rawValue == 69)
    }

    @Test func `a machine that can have no camera says so beside the list`() async {
        let cluster = FakeCluster()
        cluster.on(ListCameras.self) { _ in
            .init(cameras: [Samples.camera("pattern-back", .back)], problem: "this kernel has no V4L2")
        }
        let outcome = await obscura("cameras", "list", on: cluster)
        #expect(outcome.lines.count == 2)
        #expect(outcome.errors.contains("this kernel has no V4L2"))
        let asJSON = await obscura("cameras", "list", "--json", on: cluster)
        #expect(asJSON.lines.count == 1)
        #expect(asJSON.errors.isEmpty)
    }
}
