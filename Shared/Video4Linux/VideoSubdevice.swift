private import CVideo4Linux
private import Glibc

/// A part of a camera with a node of its own, such as a sensor or a light, opened and owned; it gives no pictures.
package struct VideoSubdevice: ~Copyable, Sendable {
    /// `enum v4l2_flash_led_mode`.
    package enum LightMode: Int32, Hashable, Sendable, CaseIterable {
        case off, flash, torch
    }

    private let descriptor: Int32

    /// Opens a node such as `/dev/v4l-subdev0`.
    ///
    /// - Throws: `absent`, `denied`, `busy`.
    package init(path: String) throws(VideoError) {
        let opened = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw VideoError(operation: "open", errorNumber: errno) }
        descriptor = opened
    }

    deinit { _ = close(descriptor) }

    /// The value of a control; nil where the part does not have it.
    package func value(of identifier: UInt32) -> Int32? {
        var value: Int32 = 0
        return unsafe cv4l2_get_control(descriptor, identifier, &value) == 0 ? value : nil
    }

    /// Sets a control.
    ///
    /// - Throws: `notSupported` for an unknown control or value, `busy`.
    package func set(_ identifier: UInt32, to value: Int32) throws(VideoError) {
        let result = cv4l2_set_control(descriptor, identifier, value)
        guard result == 0 else { throw VideoError(operation: "VIDIOC_S_CTRL", errorNumber: -result) }
    }

    /// What the light can be; empty for a part that is no light.
    package func lightModes() -> Set<LightMode> { Self.lightModes(descriptor) }

    /// The modes of the light of an open node: V4L2_CID_FLASH_LED_MODE is a menu that leaves out what there is not.
    static func lightModes(_ descriptor: Int32) -> Set<LightMode> {
        Set(
            LightMode.allCases.filter { mode in
                var item = v4l2_querymenu()
                item.id = VideoControl.Identifier.flashMode
                item.index = UInt32(bitPattern: mode.rawValue)
                return unsafe cv4l2_query_menu(descriptor, &item) == 0
            }
        )
    }
}

extension VideoDevice {
    /// What the node's own light can be; empty where it has none.
    package func lightModes() -> Set<VideoSubdevice.LightMode> { VideoSubdevice.lightModes(descriptor) }
}
