import Cameras
import Media
import MessageSchema
import Video4Linux

/// Nodes of machines that do not have to be there.
enum Machines {
    static let webcamFormats = [
        VideoFormatDescription(
            pixelFormat: .motionJPEG,
            text: "Motion-JPEG",
            isCompressed: true,
            isEmulated: false,
            sizes: [
                VideoSizes(width: 1920, height: 1080, intervals: rates(30, 15)),
                VideoSizes(width: 640, height: 480, intervals: rates(30)),
            ]
        ),
        VideoFormatDescription(
            pixelFormat: .yuyv,
            text: "YUYV 4:2:2",
            isCompressed: false,
            isEmulated: false,
            sizes: [
                VideoSizes(width: 640, height: 480, intervals: rates(30)),
                VideoSizes(width: 1920, height: 1080, intervals: rates(5)),
            ]
        ),
    ]

    static func rates(_ all: UInt32...) -> FrameIntervals {
        .discrete(all.compactMap { FrameInterval(numerator: 1, denominator: $0) })
    }

    static func capabilities(bus: String, device: UInt32 = 0x0420_0001) -> VideoCapabilities {
        VideoCapabilities(
            driver: "uvcvideo",
            card: "HD Pro Webcam C920",
            busInfo: bus,
            capabilities: 0x84A0_0001,
            deviceCapabilities: device
        )
    }

    static func webcam(
        node: Int,
        ports: String,
        serial: String,
        index: Int = 0,
        orientation: Int32? = nil,
        isInUse: Bool = false
    ) -> NodeFacts {
        NodeFacts(
            path: "/dev/video\(node)",
            name: "HD Pro Webcam C920",
            index: index,
            devicePath: "1-\(ports)/1-\(ports):1.0",
            usb: NodeFacts.USB(
                vendor: "046d",
                product: "082d",
                serial: serial,
                controller: "0000:00:14.0",
                ports: ports,
                isFixed: false
            ),
            opened: .success(
                NodeFacts.Opened(
                    capabilities: capabilities(bus: "usb-0000:00:14.0-\(ports)"),
                    formats: webcamFormats,
                    orientation: orientation,
                    isInUse: isInUse
                )
            )
        )
    }

    static func scan(_ nodes: NodeFacts...) -> CameraScanner.Scan { CameraScanner.Scan(nodes: nodes) }
}
