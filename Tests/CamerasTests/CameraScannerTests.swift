import Cameras
import Foundation
import MessageSchema
import TestSupport
import Testing
import Video4Linux

@Suite(.timeLimit(.minutes(1)))
struct CameraScannerTests {
    /// A USB webcam with its metadata node, as the kernel lays it out.
    private static func layOut(_ root: String) throws {
        let device = root + "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-3/1-3.1"
        let interface = device + "/1-3.1:1.0"
        let attributes = [
            "idVendor": "046d", "idProduct": "082d", "serial": "A1B2C3", "removable": "fixed",
        ]
        let files = FileManager.default
        for node in ["video4", "video5"] {
            let place = interface + "/video4linux/" + node
            try files.createDirectory(atPath: place, withIntermediateDirectories: true)
            try "HD Pro Webcam C920\n".write(toFile: place + "/name", atomically: false, encoding: .utf8)
            try (node == "video4" ? "0\n" : "1\n").write(toFile: place + "/index", atomically: false, encoding: .utf8)
            makeSymbolicLink(at: place + "/device", to: "../../../1-3.1:1.0")
        }
        for (name, text) in attributes {
            try (text + "\n").write(toFile: device + "/" + name, atomically: false, encoding: .utf8)
        }
        try files.createDirectory(atPath: root + "/sys/class/video4linux", withIntermediateDirectories: true)
        for node in ["video4", "video5"] {
            let target = "../../devices/pci0000:00/0000:00:14.0/usb1/1-3/1-3.1/1-3.1:1.0/video4linux/" + node
            makeSymbolicLink(at: root + "/sys/class/video4linux/" + node, to: target)
        }
        try "".write(toFile: root + "/sys/class/video4linux/v4l-subdev0", atomically: false, encoding: .utf8)
    }

    private static func scanner(
        _ root: String,
        _ ask: @escaping @Sendable (String) -> Result<NodeFacts.Opened, VideoError>
    ) -> CameraScanner {
        CameraScanner(devices: "/dev", sysfs: root + "/sys", procfs: root + "/proc", ask: ask)
    }

    @Test func `a webcam is found by its place and serial, and its metadata node is left out`() async throws {
        try await withTemporaryDirectory { root in
            try Self.layOut(root)
            let scan = Self.scanner(root) { path in
                guard path == "/dev/video4" else {
                    return .failure(VideoError(.notCamera, operation: "VIDIOC_QUERYCAP", errorNumber: 0))
                }
                let capabilities = Machines.capabilities(bus: "usb-0000:00:14.0-3.1")
                return .success(NodeFacts.Opened(capabilities: capabilities, formats: Machines.webcamFormats))
            }.scan()
            #expect(scan.problem == nil)
            #expect(scan.nodes.map(\.path) == ["/dev/video4"])
            let usb = try #require(scan.nodes.first?.usb)
            #expect(usb.vendor == "046d")
            #expect(usb.serial == "A1B2C3")
            #expect(usb.controller == "0000:00:14.0")
            #expect(usb.ports == "3.1")
            #expect(usb.isFixed)
        }
    }

    @Test(arguments: [2, 5, 13, 16, 19] as [Int32])
    func `of a device that can not be opened only the first node is listed`(errorNumber: Int32) async throws {
        try await withTemporaryDirectory { root in
            try Self.layOut(root)
            let scan = Self.scanner(root) { _ in
                .failure(VideoError(operation: "open", errorNumber: errorNumber))
            }.scan()
            #expect(scan.nodes.map(\.path) == ["/dev/video4"])
            // Nodes that are not there, as in a container, do not take the place of the built-in cameras.
            let isThere = ![2, 19].contains(errorNumber)
            let cameras = CameraCatalogue(scan, builtIn: .auto).cameras
            #expect(cameras.contains { $0.builtIn } == !isThere)
        }
    }

    @Test func `of several that have a node open capture is the holder, and another one is a guess`() async throws {
        try await withTemporaryDirectory { root in
            try Self.layOut(root)
            let files = FileManager.default
            func open(_ pid: Int, _ command: String) throws {
                try files.createDirectory(atPath: root + "/proc/\(pid)/fd", withIntermediateDirectories: true)
                let comm = root + "/proc/\(pid)/comm"
                try (command + "\n").write(toFile: comm, atomically: false, encoding: .utf8)
                makeSymbolicLink(at: root + "/proc/\(pid)/fd/7", to: "/dev/video4")
            }
            let scanner = Self.scanner(root) { _ in
                let capabilities = Machines.capabilities(bus: "usb")
                return .success(
                    NodeFacts.Opened(capabilities: capabilities, formats: Machines.webcamFormats, isInUse: true)
                )
            }
            try open(100, "watcher")
            #expect(scanner.scan().nodes.first?.holder == "watcher (pid 100)")
            try open(200, "ffmpeg")
            #expect(scanner.scan().nodes.first?.holder == "probably watcher (pid 100)")
            try open(300, "obscura-capture")
            #expect(scanner.scan().nodes.first?.holder == "obscura-capture (pid 300)")
            #expect(scanner.scan().nodes.first?.isHeldByCapture == true)
        }
    }

    @Test func `whoever holds a busy camera is named`() async throws {
        try await withTemporaryDirectory { root in
            try Self.layOut(root)
            let files = FileManager.default
            try files.createDirectory(atPath: root + "/proc/4711/fd", withIntermediateDirectories: true)
            try "obscura-capture\n".write(toFile: root + "/proc/4711/comm", atomically: false, encoding: .utf8)
            makeSymbolicLink(at: root + "/proc/4711/fd/7", to: "/dev/video4")
            let scan = Self.scanner(root) { _ in
                let capabilities = Machines.capabilities(bus: "usb")
                return .success(
                    NodeFacts.Opened(capabilities: capabilities, formats: Machines.webcamFormats, isInUse: true)
                )
            }.scan()
            #expect(scan.nodes.first?.holder == "obscura-capture (pid 4711)")
            #expect(scan.nodes.first?.isHeldByCapture == true)
        }
    }

    @Test func `a machine without V4L2 is told so`() async throws {
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/sys/class", withIntermediateDirectories: true)
            let scan = Self.scanner(root) { _ in .failure(VideoError(operation: "open", errorNumber: 2)) }.scan()
            #expect(scan.nodes.isEmpty)
            #expect(scan.problem?.contains("no V4L2") == true)
            #expect(CameraCatalogue(scan, builtIn: .auto).cameras.map(\.id) == ["pattern-back", "pattern-front"])
        }
    }
}
