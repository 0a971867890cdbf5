import MessageSchema

/// What a setting of a camera is set to.
public enum CameraSettingValue: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    /// A number, the index of a menu's item, or 0 and 1 of a switch.
    case number(Int64)
    /// A text, or the name of a menu's item.
    case text(String)

    public init(integerLiteral value: Int64) { self = .number(value) }

    public init(stringLiteral value: String) { self = .text(value) }

    init(_ value: ControlValue) {
        self =
            switch value {
            case .number(let number): .number(number)
            case .text(let text): .text(text)
            }
    }
}

/// A setting of a camera, such as its brightness.
public struct CameraSetting: Hashable, Sendable {
    /// What kind of value it has.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case integer, boolean, menu, integerMenu, button, integer64, string, bitmask
        /// An array or a structure, which has no value here.
        case compound
    }

    /// An item of a menu.
    public struct Choice: Hashable, Sendable {
        /// What the setting is set to for it.
        public let index: Int
        /// What people see.
        public let name: String
    }

    /// The name in the spelling of `v4l2-ctl`, such as `white_balance_automatic`.
    public let name: String
    /// What people see.
    public let title: String
    public let kind: Kind
    /// What it is now; nil for what has no value, such as a button.
    public let value: CameraSettingValue?
    /// What it can be, where it is a number; how long it can be, where it is a text.
    public let range: ClosedRange<Int64>?
    /// What two values differ by at least.
    public let step: Int64
    /// What the camera starts with.
    public let initial: Int64?
    /// What there is to choose from, for menus; indices may have holes.
    public let choices: [Choice]
    /// Whether it can be set at all.
    public let isReadOnly: Bool
    /// Whether it has no effect now, because another setting decides.
    public let isInactive: Bool

    init(_ control: CameraControl) {
        name = control.name
        title = control.title
        kind = Kind(rawValue: control.type.rawValue) ?? .compound
        value = control.value.map(CameraSettingValue.init)
        if let minimum = control.minimum, let maximum = control.maximum, minimum <= maximum {
            range = minimum...maximum
        } else {
            range = nil
        }
        step = max(1, control.step ?? 1)
        initial = control.default
        choices = (control.menu ?? []).map { Choice(index: $0.index, name: $0.name) }
        isReadOnly = control.flags.contains(.readOnly)
        isInactive = control.flags.contains(.inactive)
    }
}
