import Cameras
import Foundation
import Media
import MessageSchema
import TestSupport
import Testing
import Video4Linux

@Suite("Where cameras look, what lights them, and who keeps them from being used", .timeLimit(.minutes(1)))
struct CameraFactsTests {
    private static func catalogue(_ node: NodeFacts, lights: [LightFacts] = []) -> CameraCatalogue {
        CameraCatalogue(CameraScanner.Scan(nodes: [node], lights: lights), builtIn: .never)
    }

    private static func webcam(_ change: (inout NodeFacts, inout NodeFacts.Opened) -> Void) -> NodeFacts {
        var node = Machines.webcam(node: 0, ports: "1", serial: "A")
        guard case .success(var opened) = node.opened else { return node }
        change(&node, &opened)
        node.opened = .success(opened)
        return node
    }

    @Test(
        arguments: [
            (0, 1, "back", true, .front), (nil, 1, "front", true, .back), (nil, nil, "back", true, .back),
            (nil, nil, "left", true, .front), (nil, nil, nil, true, .front), (nil, nil, nil, false, .external),
            (7, nil, "back", false, .back), (2, 0, nil, true, .external),
        ] as [(Int32?, Int32?, String?, Bool, CameraPosition)]
    )
    func `the node's control goes before the sensor's, then the firmware, then the port`(
        control: Int32?,
        sensor: Int32?,
        panel: String?,
        isFixed: Bool,
        position: CameraPosition
    ) {
        let node = Self.webcam { node, opened in
            opened.orientation = control
            node.sensor = sensor.map { NodeFacts.Sensor(orientation: $0, rotation: 90) }
            node.panel = panel
            node.usb?.isFixed = isFixed
        }
        let camera = Self.catalogue(node).cameras.first
        #expect(camera?.position == position)
        #expect(camera?.rotation == (sensor == nil ? 0 : 90))
    }

    @Test func `a light beside the sensor is the camera's, and one of the node itself goes before it`() {
        let beside = Self.webcam { node, _ in node.lightNode = "/dev/v4l-subdev3" }
        let camera = Self.catalogue(beside).cameras.first
        #expect(camera?.light == "/dev/v4l-subdev3")
        #expect(camera?.flash == true)
        let own = Self.webcam { node, opened in
            node.lightNode = "/dev/v4l-subdev3"
            opened.hasLight = true
        }
        #expect(Self.catalogue(own).cameras.first?.light == "/dev/video0")
    }

    @Test func `a light of no camera shines for the one at the back, or for the side in its name`() {
        let back = Self.webcam { _, opened in opened.orientation = 1 }
        let front = Self.webcam { _, opened in opened.orientation = 0 }
        let flash = LightFacts(name: "white:flash", path: "/sys/class/leds/white:flash", isWritable: true)
        let torch = LightFacts(name: "led:torch_0", path: "/sys/class/leds/led:torch_0", isWritable: true)
        let selfie = LightFacts(name: "white:front-flash", path: "/sys/class/leds/white:front-flash", isWritable: true)
        let locked = LightFacts(name: "white:torch", path: "/sys/class/leds/white:torch", isWritable: false)
        #expect(Self.catalogue(back, lights: [flash, torch]).cameras.first?.light == torch.path)
        #expect(Self.catalogue(back, lights: [flash]).cameras.first?.torch == true)
        #expect(Self.catalogue(front, lights: [flash, torch]).cameras.first?.flash == false)
        #expect(Self.catalogue(front, lights: [selfie]).cameras.first?.light == selfie.path)
        #expect(Self.catalogue(back, lights: [locked]).cameras.first?.flash == false)
        let outside = Self.webcam { _, opened in opened.orientation = 2 }
        #expect(Self.catalogue(outside, lights: [flash]).cameras.first?.flash == false)
    }

    @Test func `a covered camera is disabled, and a forbidden one whatever else it is`() {
        let covered = Self.webcam { _, opened in opened.isCovered = true }
        #expect(Self.catalogue(covered).cameras.first?.availability.state == .disabled)
        let busy = Self.webcam { _, opened in opened.isInUse = true }
        let forbidden = CameraCatalogue(Machines.scan(busy), builtIn: .always) {
            $0 != "pattern-front" ? "switched off" : nil
        }
        #expect(forbidden.cameras.map(\.availability.reason) == ["switched off", "switched off", nil])
        #expect(forbidden.cameras.map(\.availability.state) == [.disabled, .disabled, .available])
    }

    @Test func `what a media controller drives is a camera only if pictures can come from somewhere`() {
        func node(isGraphDriven: Bool, isProcessor: Bool) -> NodeFacts {
            Self.webcam { node, opened in
                let graph: UInt32 = isGraphDriven ? 0x2000_0000 : 0
                opened.capabilities = Machines.capabilities(bus: "platform:isp", device: 0x0420_0001 | graph)
                node.isProcessor = isProcessor
            }
        }
        #expect(Self.catalogue(node(isGraphDriven: true, isProcessor: true)).cameras.isEmpty)
        #expect(Self.catalogue(node(isGraphDriven: true, isProcessor: false)).cameras.count == 1)
        // Drivers of webcams do not say in their graphs where pictures come from.
        #expect(Self.catalogue(node(isGraphDriven: false, isProcessor: true)).cameras.count == 1)
    }

    // MARK: In a folder that looks like a machine

    private static func write(_ text: String, to path: String) throws {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try (text + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    }

    private static let opened: Result<NodeFacts.Opened, VideoError> = .success(
        NodeFacts.Opened(capabilities: Machines.capabilities(bus: "platform:isp"), formats: Machines.webcamFormats)
    )

    @Test func `the sensor's position and the light beside it are found through the media controller`() async throws {
        try await withTemporaryDirectory { root in
            try Self.write("video0", to: root + "/sys/class/video4linux/video0/name")
            try Self.write("81:0", to: root + "/sys/class/video4linux/video0/dev")
            for (minor, name) in [(3, "v4l-subdev0"), (4, "v4l-subdev1")] {
                try Self.write("", to: root + "/sys/devices/isp/\(name)/uevent")
                try Self.write("", to: root + "/sys/dev/char/.keep")
                makeSymbolicLink(at: root + "/sys/dev/char/81:\(minor)", to: "../../devices/isp/\(name)")
            }
            try Self.write("", to: root + "/dev/media0")
            let graph = MediaGraph(
                functions: [1: MediaGraph.Function.sensor, 2: 0x0001_0001, 3: MediaGraph.Function.flash],
                interfaces: [
                    11: MediaGraph.Node(major: 81, minor: 3), 12: MediaGraph.Node(major: 81, minor: 0),
                    13: MediaGraph.Node(major: 81, minor: 4),
                ],
                pads: [21: 1, 22: 2],
                links: [
                    MediaGraph.Link(source: 21, sink: 22, flags: 1),
                    MediaGraph.Link(source: 11, sink: 1, flags: 1 << 28),
                    MediaGraph.Link(source: 12, sink: 2, flags: 1 << 28),
                    MediaGraph.Link(source: 13, sink: 3, flags: 1 << 28),
                    MediaGraph.Link(source: 1, sink: 3, flags: 2 << 28),
                ]
            )
            let scanner = CameraScanner(
                devices: root + "/dev",
                sysfs: root + "/sys",
                procfs: root + "/proc",
                ask: { _ in Self.opened },
                graph: { $0 == root + "/dev/media0" ? graph : nil },
                part: { path in
                    switch path {
                    case root + "/dev/v4l-subdev0": PartFacts(sensor: NodeFacts.Sensor(orientation: 1, rotation: 270))
                    case root + "/dev/v4l-subdev1": PartFacts(lightModes: [.off, .torch])
                    default: nil
                    }
                }
            )
            let camera = try #require(CameraCatalogue(scanner.scan(), builtIn: .never).cameras.first)
            #expect(camera.position == .back)
            #expect(camera.rotation == 270)
            #expect(camera.light == root + "/dev/v4l-subdev1")
        }
    }

    @Test func `of the machine's LEDs those are lights of cameras that say so, by class or by name`() async throws {
        try await withTemporaryDirectory { root in
            let leds = root + "/sys/class/leds/"
            for name in ["white:flash", "white:kbd_backlight", "input3::capslock", "lm3601x:torch", "broken:flash"] {
                try Self.write(name == "broken:flash" ? "x" : "255", to: leds + name + "/max_brightness")
                try Self.write("0", to: leds + name + "/brightness")
            }
            try Self.write("7", to: leds + "white:status/max_brightness")
            try Self.write("0", to: leds + "white:status/flash_strobe")
            try FileManager.default.createDirectory(
                atPath: root + "/sys/class/video4linux",
                withIntermediateDirectories: true
            )
            let scan = CameraScanner(devices: root + "/dev", sysfs: root + "/sys", procfs: root + "/proc").scan()
            #expect(scan.lights.map(\.name) == ["lm3601x:torch", "white:flash", "white:status"])
            #expect(scan.lights.map(\.isWritable) == [true, true, false])
            let torch = try #require(SeparateLight(leds + "white:flash", besides: "/dev/video0"))
            try torch.set(true)
            #expect(torch.isOn)
            #expect(try String(contentsOfFile: leds + "white:flash/brightness", encoding: .utf8).hasPrefix("255"))
            try torch.set(false)
            #expect(!torch.isOn)
            #expect(SeparateLight("/dev/video0", besides: "/dev/video0") == nil)
            let gone = try #require(SeparateLight(leds + "nobody:flash", besides: "/dev/video0"))
            let error = #expect(throws: VideoError.self) { try gone.set(true) }
            #expect(error?.code == .absent)
        }
    }

    @Test func `the firmware's panel is found at the device or at what it is plugged into`() async throws {
        try await withTemporaryDirectory { root in
            let device = root + "/sys/devices/pci0/usb1/1-3"
            try Self.write("back", to: device + "/physical_location/panel")
            try Self.write("unknown", to: device + "/1-3:1.0/physical_location/panel")
            try Self.write("0", to: device + "/1-3:1.0/video4linux/video0/index")
            makeSymbolicLink(at: device + "/1-3:1.0/video4linux/video0/device", to: "../../../1-3:1.0")
            try FileManager.default.createDirectory(
                atPath: root + "/sys/class/video4linux",
                withIntermediateDirectories: true
            )
            makeSymbolicLink(
                at: root + "/sys/class/video4linux/video0",
                to: "../../devices/pci0/usb1/1-3/1-3:1.0/video4linux/video0"
            )
            let scanner = CameraScanner(devices: root + "/dev", sysfs: root + "/sys", procfs: root) { _ in Self.opened }
            #expect(scanner.scan().nodes.first?.panel == "back")
        }
    }

    @Test func `a kernel without V4L2 is told, and what can not be read is no proof of it`() async throws {
        try await withTemporaryDirectory { root in
            try Self.write("", to: root + "/sys/class/.keep")
            let without = CameraScanner(devices: root + "/dev", sysfs: root + "/sys", procfs: root).scan()
            #expect(without.problem?.contains("no V4L2") == true)
            #expect(without.isComplete)
            let blind = CameraScanner(devices: root + "/dev", sysfs: root + "/nothing", procfs: root).scan()
            #expect(blind.problem?.contains("can not be read") == true)
            #expect(!blind.isComplete)
            try Self.write("", to: root + "/dev/video0")
            let byNodes = CameraScanner(devices: root + "/dev", sysfs: root + "/nothing", procfs: root) { _ in
                Self.opened
            }.scan()
            #expect(byNodes.nodes.map(\.path) == [root + "/dev/video0"])
            #expect(byNodes.isComplete)
        }
    }
}
