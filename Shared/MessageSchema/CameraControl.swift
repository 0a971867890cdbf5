/// A value of a camera's control: a number, or a text for controls of the type `string`.
package enum ControlValue: Hashable, Sendable {
    /// What it is, an index for menus, 0 or 1 for switches, all bits of a mask.
    case number(Int64)
    case text(String)
}

extension ControlValue: Codable {
    /// Reads a whole number or a text; nothing else is a value.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        }
    }
}

extension ControlValue: CustomStringConvertible {
    package var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text): text
        }
    }
}

/// A setting of a camera, such as its brightness, as the kernel's driver lists it.
package struct CameraControl: Hashable, Sendable, Codable {
    /// What kind of value it has (`enum v4l2_ctrl_type`).
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case integer, boolean
        /// Indices with names; there may be holes.
        case menu
        /// Indices that stand for numbers.
        case integerMenu
        /// An action without a value.
        case button
        case integer64, string, bitmask
        /// An array or a structure, which is listed and has no value here.
        case compound
    }

    /// An item of a menu.
    package struct MenuItem: Hashable, Sendable, Codable {
        /// What the control is set to for it.
        package var index: Int
        /// The item's name; the number that it stands for in the case of `integerMenu`.
        package var name: String

        package init(index: Int, name: String) {
            self.index = index
            self.name = name
        }
    }

    /// What is to be known about changing it (`V4L2_CTRL_FLAG_…`).
    package enum Flag: String, Hashable, Sendable, Codable, CaseIterable {
        /// It can not be changed while the camera is filming.
        case grabbed
        case readOnly
        /// Changing it may change other controls.
        case update
        /// Without effect while another control overrides it.
        case inactive
        /// Best shown as a slider.
        case slider
        case writeOnly
        /// The camera changes it by itself.
        case volatile
        case hasPayload
        /// Setting it to the value it has is not nothing.
        case executeOnWrite
        /// Changing it may change the size of pictures.
        case modifyLayout
        case dynamicArray
    }

    /// The name in the spelling of `v4l2-ctl`, such as `white_balance_automatic`.
    package var name: String
    /// The driver's words, such as `White Balance, Automatic`.
    package var title: String
    /// The number in the kernel's interface (linux/v4l2-controls.h).
    package var id: Int64
    package var type: Kind
    /// Bounds, where the type has them: of the number, of the menu's indices, of the text's length.
    package var minimum: Int64?
    package var maximum: Int64?
    package var step: Int64?
    /// What the driver starts with.
    package var `default`: Int64?
    /// What it is now; nothing for buttons, for what can only be written, and where the camera could not be asked.
    package var value: ControlValue?
    /// The items that there are, for menus; their indices may have holes.
    package var menu: [MenuItem]?
    /// The sizes of an array, the outermost first.
    package var dimensions: [Int]?
    package var flags: [Flag]

    package init(
        name: String,
        title: String,
        id: Int64,
        type: Kind,
        minimum: Int64? = nil,
        maximum: Int64? = nil,
        step: Int64? = nil,
        default: Int64? = nil,
        value: ControlValue? = nil,
        menu: [MenuItem]? = nil,
        dimensions: [Int]? = nil,
        flags: [Flag] = []
    ) {
        self.name = name
        self.title = title
        self.id = id
        self.type = type
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
        self.default = `default`
        self.value = value
        self.menu = menu
        self.dimensions = dimensions
        self.flags = flags
    }

    /// How `v4l2-ctl` spells the name of a control: letters and digits in lower case, one `_` for whatever is between.
    ///
    /// Source: v4l-utils, utils/v4l2-ctl/v4l2-ctl-common.cpp, `name2var`.
    package static func name(spelling title: String) -> String {
        var name: [UInt8] = []
        var isBetween = false
        for byte in title.utf8 {
            switch byte {
            case 0x30...0x39, 0x61...0x7A, 0x41...0x5A:
                if isBetween { name.append(0x5F) }
                isBetween = false
                name.append(byte | ((0x41...0x5A).contains(byte) ? 0x20 : 0))
            default:
                isBetween = !name.isEmpty
            }
        }
        return String(decoding: name, as: UTF8.self)
    }
}
