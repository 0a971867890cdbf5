/// What VIDIOC_QUERYCAP says about a node.
package struct VideoCapabilities: Hashable, Sendable {
    /// The two interfaces through which pictures are captured.
    package enum Interface: Hashable, Sendable {
        case singlePlanar, multiPlanar

        /// `enum v4l2_buf_type`: V4L2_BUF_TYPE_VIDEO_CAPTURE and V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.
        package var bufferType: UInt32 { self == .singlePlanar ? 1 : 9 }
    }

    /// The driver's name, such as `uvcvideo`.
    package let driver: String
    /// The device's name, such as `HD Pro Webcam C920`.
    package let card: String
    /// Where it is attached, such as `usb-0000:00:14.0-3`.
    package let busInfo: String
    /// What this node can do.
    ///
    /// The field `capabilities` is the union over all nodes of a device, so that a camera's metadata node seems to capture
    /// pictures there (vidioc-querycap.rst). It is used only where `V4L2_CAP_DEVICE_CAPS` says there is nothing better.
    package let nodeCapabilities: UInt32

    /// What the kernel's fields mean.
    package init(driver: String, card: String, busInfo: String, capabilities: UInt32, deviceCapabilities: UInt32) {
        self.driver = driver
        self.card = card
        self.busInfo = busInfo
        nodeCapabilities = capabilities & 0x8000_0000 != 0 ? deviceCapabilities : capabilities
    }

    /// How pictures are captured from this node; nil where they are not.
    ///
    /// A node that captures has VIDEO_CAPTURE (0x1) or VIDEO_CAPTURE_MPLANE (0x1000) and STREAMING (0x4000000), and
    /// neither an output (0x2, 0x2000) nor memory-to-memory (0x4000, 0x8000): codecs have those.
    package var captureInterface: Interface? {
        let has = { (bits: UInt32) in nodeCapabilities & bits != 0 }
        guard has(0x0400_0000), !has(0x2 | 0x2000 | 0x4000 | 0x8000), !Self.processors.contains(driver) else {
            return nil
        }
        return has(0x1) ? .singlePlanar : has(0x1000) ? .multiPlanar : nil
    }

    /// Whether a media controller has to be set up before the node gives anything (V4L2_CAP_IO_MC).
    package var isGraphDriven: Bool { nodeCapabilities & 0x2000_0000 != 0 }

    /// Drivers whose capture nodes look like cameras but give what a processor made of other memory.
    ///
    /// Source: bitsy-ai/printnanny-os issue 158 (bcm2835-isp reports device_caps 0x04200001), WendyOS issue 1070.
    private static let processors: Set<String> = ["bcm2835-codec", "bcm2835-isp", "rpivid", "pispbe"]
}
