package import Video4Linux

/// What the kernel says about one video node, without and with opening it.
package struct NodeFacts: Hashable, Sendable {
    /// Where a device is attached to USB.
    package struct USB: Hashable, Sendable {
        /// Four hexadecimal digits each.
        package var vendor, product: String
        /// Empty where the device has none.
        package var serial: String
        /// The controller's name on its own bus, such as `0000:00:14.0`.
        package var controller: String
        /// The ports from the controller on, without the bus's number, such as `3.1`.
        package var ports: String
        /// Whether the port is inside the machine's case.
        package var isFixed: Bool

        /// The place with all its parts.
        package init(
            vendor: String,
            product: String,
            serial: String,
            controller: String,
            ports: String,
            isFixed: Bool
        ) {
            self.vendor = vendor
            self.product = product
            self.serial = serial
            self.controller = controller
            self.ports = ports
            self.isFixed = isFixed
        }
    }

    /// What only an open node tells.
    package struct Opened: Hashable, Sendable {
        package var capabilities: VideoCapabilities
        package var formats: [VideoFormatDescription]
        /// `V4L2_CID_CAMERA_ORIENTATION`: 0 front, 1 back, 2 external.
        package var orientation: Int32?
        /// `V4L2_CID_CAMERA_SENSOR_ROTATION`: degrees counter-clockwise that make the picture upright.
        package var rotation: Int32?
        /// Whether the node itself has a light that can be held on.
        package var hasLight: Bool
        package var isInUse: Bool
        package var hasSignal: Bool?
        /// Whether a cover or a switch keeps the camera from seeing (`V4L2_CID_PRIVACY`).
        package var isCovered: Bool

        /// The facts with all their parts.
        package init(
            capabilities: VideoCapabilities,
            formats: [VideoFormatDescription],
            orientation: Int32? = nil,
            rotation: Int32? = nil,
            hasLight: Bool = false,
            isInUse: Bool = false,
            hasSignal: Bool? = nil,
            isCovered: Bool = false
        ) {
            self.capabilities = capabilities
            self.formats = formats
            self.orientation = orientation
            self.rotation = rotation
            self.hasLight = hasLight
            self.isInUse = isInUse
            self.hasSignal = hasSignal
            self.isCovered = isCovered
        }

        /// Opens a node, asks, and closes it.
        ///
        /// Nothing is changed; it blocks as long as the driver does.
        ///
        /// - Throws: `notCamera` for nodes that do not capture pictures, and what `open` says.
        package init(asking path: String) throws(VideoError) {
            let device = try VideoDevice(path: path)
            self.init(
                capabilities: device.capabilities,
                formats: device.formats(),
                orientation: device.value(of: VideoControl.Identifier.cameraOrientation),
                rotation: device.value(of: VideoControl.Identifier.sensorRotation),
                hasLight: device.lightModes().contains(.torch),
                isInUse: device.isInUse(),
                hasSignal: device.hasSignal(),
                isCovered: device.value(of: VideoControl.Identifier.privacy) == 1
            )
        }
    }

    /// What the sensor behind the node says, which has a node of its own.
    package struct Sensor: Hashable, Sendable {
        /// As `Opened.orientation`.
        package var orientation: Int32?
        /// As `Opened.rotation`.
        package var rotation: Int32?

        /// What a sensor says.
        package init(orientation: Int32? = nil, rotation: Int32? = nil) {
            self.orientation = orientation
            self.rotation = rotation
        }
    }

    /// The node now, such as `/dev/video0`; never part of an identity.
    package var path: String
    /// The name in sysfs.
    package var name: String
    /// The node's place among its device's nodes.
    package var index: Int
    /// The device's place in sysfs, such as `platform/vivid.0`.
    package var devicePath: String
    package var usb: USB?
    package var opened: Result<Opened, VideoError>
    /// Where it said that it is attached when it could be opened; set by whoever remembers.
    package var knownBusInfo: String?
    /// What its sensor says, where a media controller connects one with the node.
    package var sensor: Sensor?
    /// Whether a media controller says that nothing is connected with the node but what works on pictures of others.
    package var isProcessor = false
    /// The node of a light that a media controller puts beside its sensor, and that can be held on.
    package var lightNode: String?
    /// The side of the machine's case where the firmware says it is, such as `front` (ACPI `_PLD`).
    package var panel: String?
    /// The group that may open the node, by name or number.
    package var group: String?
    /// Who uses it, such as `ffmpeg (pid 123)`; known only where this process may see it.
    package var holder: String?
    /// Whether the holder is this system's own capture service, which shares what it holds.
    package var isHeldByCapture = false

    /// Facts without what needs looking at the node's holders.
    package init(
        path: String,
        name: String,
        index: Int,
        devicePath: String,
        usb: USB? = nil,
        opened: Result<Opened, VideoError>
    ) {
        self.path = path
        self.name = name
        self.index = index
        self.devicePath = devicePath
        self.usb = usb
        self.opened = opened
    }
}
