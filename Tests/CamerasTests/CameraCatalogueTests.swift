import Cameras
import Media
import MessageSchema
import Testing
import Video4Linux

@Suite(.timeLimit(.minutes(1)))
struct CameraCatalogueTests {
    @Test func `two cameras plugged in another order keep their identities`() {
        let before = [
            Machines.webcam(node: 0, ports: "1", serial: "AAAA"), Machines.webcam(node: 2, ports: "2", serial: "BBBB"),
        ]
        let after = [
            Machines.webcam(node: 0, ports: "2", serial: "BBBB"), Machines.webcam(node: 2, ports: "1", serial: "AAAA"),
        ]
        #expect(CameraIdentity.identities(of: before) == ["usb-046d-082d-AAAA", "usb-046d-082d-BBBB"])
        #expect(CameraIdentity.identities(of: after) == ["usb-046d-082d-BBBB", "usb-046d-082d-AAAA"])
    }

    @Test func `without a serial of its own a camera is named by its port`() {
        let same = [
            Machines.webcam(node: 0, ports: "1", serial: "X"), Machines.webcam(node: 2, ports: "2.3", serial: "X"),
            Machines.webcam(node: 4, ports: "4", serial: ""),
        ]
        #expect(
            CameraIdentity.identities(of: same) == [
                "usb-046d-082d-port-0000-00-14.0-1", "usb-046d-082d-port-0000-00-14.0-2.3",
                "usb-046d-082d-port-0000-00-14.0-4",
            ]
        )
    }

    @Test func `two pictures of one device have identities of their own`() {
        let both = [
            Machines.webcam(node: 0, ports: "1", serial: "AAAA"),
            Machines.webcam(node: 2, ports: "1", serial: "AAAA", index: 2),
        ]
        #expect(CameraIdentity.identities(of: both) == ["usb-046d-082d-AAAA", "usb-046d-082d-AAAA-index2"])
    }

    @Test(arguments: [
        (BuiltInChoice.auto, 0, 2), (.always, 0, 2), (.never, 0, 0), (.auto, 1, 1), (.always, 1, 3), (.never, 1, 1),
    ])
    func `built-in cameras appear as chosen`(choice: BuiltInChoice, hardware: Int, count: Int) {
        let nodes = (0..<hardware).map { Machines.webcam(node: $0, ports: "\($0 + 1)", serial: "") }
        let catalogue = CameraCatalogue(CameraScanner.Scan(nodes: nodes), builtIn: choice)
        #expect(catalogue.cameras.count == count)
    }

    @Test func `a busy camera says who has it, and our own capture service does not make it busy`() {
        var node = Machines.webcam(node: 0, ports: "1", serial: "A", isInUse: true)
        node.holder = "ffmpeg (pid 123)"
        let busy = CameraCatalogue(Machines.scan(node), builtIn: .never).cameras.first
        #expect(busy?.availability == Availability(.busy, reason: "in use by ffmpeg (pid 123)"))
        node.isHeldByCapture = true
        let ours = CameraCatalogue(Machines.scan(node), builtIn: .never).cameras.first
        #expect(ours?.availability.state == .available)
    }

    @Test func `a camera that may not be opened is listed as denied, with the group`() {
        var node = Machines.webcam(node: 0, ports: "1", serial: "A")
        node.opened = .failure(VideoError(operation: "open", errorNumber: 13))
        node.group = "video"
        let camera = CameraCatalogue(Machines.scan(node), builtIn: .auto).cameras.first
        #expect(camera?.id == "usb-046d-082d-A")
        #expect(camera?.availability.state == .denied)
        #expect(camera?.availability.reason == "this user may not open /dev/video0; members of group video may")
    }

    @Test func `positions come from the administrator, then the kernel`() {
        let node = Machines.webcam(node: 0, ports: "1", serial: "A", orientation: 1)
        #expect(CameraCatalogue(Machines.scan(node), builtIn: .never).cameras.first?.position == .back)
        let told = CameraCatalogue(Machines.scan(node), builtIn: .never, positions: ["usb-046d-082d-A": .front])
        #expect(told.cameras.first?.position == .front)
        #expect(told.camera("front")?.id == "usb-046d-082d-A")
        #expect(told.camera("back") == nil)
    }

    @Test func `a node without formats is no camera`() {
        var node = Machines.webcam(node: 0, ports: "1", serial: "A")
        let capabilities = Machines.capabilities(bus: "platform:v4l2loopback-000")
        node.opened = .success(NodeFacts.Opened(capabilities: capabilities, formats: []))
        #expect(CameraCatalogue(Machines.scan(node), builtIn: .never).cameras.isEmpty)
    }

    @Test func `identities can be part of a resource, whatever a device calls itself`() {
        var node = Machines.webcam(node: 0, ports: "1", serial: "\u{7F}*/'$`\\ é")
        node.usb?.serial += String(repeating: "x", count: 500)
        let name = CameraIdentity.identities(of: [node])[0]
        #expect(name.utf8.count <= 100)
        #expect(name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") })
    }
}
