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
        package static let privacy: UInt32 = 0x009A_0910
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
    /// `V4L2_CTRL_FLAG_…` as the driver set them.
    package let flags: Flags
    /// The sizes of an array, the outermost first; empty for what is none.
    package let dimensions: [Int]
    /// Present, but without effect while another control overrides it.
    package var isInactive: Bool { flags.contains(.inactive) }
    package var isReadOnly: Bool { flags.contains(.readOnly) }

    /// A control with all its parts.
    package init(
        identifier: UInt32,
        name: String,
        kind: Kind,
        minimum: Int64 = 0,
        maximum: Int64 = 0,
        defaultValue: Int64 = 0,
        step: UInt64 = 0,
        flags: Flags = [],
        dimensions: [Int] = []
    ) {
        self.identifier = identifier
        self.name = name
        self.kind = kind
        self.minimum = minimum
        self.maximum = maximum
        self.defaultValue = defaultValue
        self.step = step
        self.flags = flags
        self.dimensions = dimensions
    }

    /// Flags of a control (linux/videodev2.h).
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let disabled = Flags(rawValue: 0x1)
        package static let grabbed = Flags(rawValue: 0x2)
        package static let readOnly = Flags(rawValue: 0x4)
        package static let update = Flags(rawValue: 0x8)
        package static let inactive = Flags(rawValue: 0x10)
        package static let slider = Flags(rawValue: 0x20)
        package static let writeOnly = Flags(rawValue: 0x40)
        package static let volatile = Flags(rawValue: 0x80)
        package static let hasPayload = Flags(rawValue: 0x100)
        package static let executeOnWrite = Flags(rawValue: 0x200)
        package static let modifyLayout = Flags(rawValue: 0x400)
        package static let dynamicArray = Flags(rawValue: 0x800)
    }

    /// What a control is set to.
    package enum Value: Hashable, Sendable {
        case number(Int64)
        case text(String)
    }
}
