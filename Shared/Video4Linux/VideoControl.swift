/// A setting of a device, such as its brightness.
package struct VideoControl: Hashable, Sendable {
    /// What kind of value it has (`enum v4l2_ctrl_type`).
    package enum Kind: Hashable, Sendable {
        case integer, boolean
        /// Numbers with names; there may be holes.
        case menu([Int32: String])
        /// Numbers that stand for numbers.
        case integerMenu([Int32: Int64])
        case button, integer64, text, bitmask
        /// A group's title, which has no value.
        case title
        /// An array or a structure, which is listed and not understood.
        case compound
    }

    /// Control identifiers that are asked for by name (linux/v4l2-controls.h).
    package enum Identifier {
        package static let exposureAbsolute: UInt32 = 0x009A_0902
        package static let isoSensitivity: UInt32 = 0x009A_0917
        package static let isoSensitivityAuto: UInt32 = 0x009A_0918
        package static let cameraOrientation: UInt32 = 0x009A_0922
        package static let sensorRotation: UInt32 = 0x009A_0923
        package static let flashMode: UInt32 = 0x009C_0901
    }

    package let identifier: UInt32
    package let name: String
    package let kind: Kind
    package let minimum, maximum, defaultValue: Int64
    package let step: UInt64
    /// Present, but without effect while another control overrides it.
    package let isInactive: Bool
    package let isReadOnly: Bool
}
