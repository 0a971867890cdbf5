package import MessageSchema
package import Video4Linux

extension CameraControl {
    /// A device's control as programs see it; nil for the titles of groups, which are no controls.
    ///
    /// - Parameters:
    ///   - control: What the driver lists.
    ///   - value: What it is set to, where that is known.
    package init?(_ control: VideoControl, value: VideoControl.Value?) {
        guard let type = Kind(control.kind) else { return nil }
        let hasBounds = type != .button && (type != .compound || control.maximum != control.minimum)
        self.init(
            name: Self.name(spelling: control.name),
            title: control.name,
            id: Int64(control.identifier),
            type: control.dimensions.isEmpty ? type : .compound,
            minimum: hasBounds ? control.minimum : nil,
            maximum: hasBounds ? Self.unsigned(control.maximum, type) : nil,
            step: hasBounds ? Int64(clamping: control.step) : nil,
            default: hasBounds && type != .string ? Self.unsigned(control.defaultValue, type) : nil,
            value: value.map { ControlValue($0) },
            menu: Self.menu(control.kind),
            dimensions: control.dimensions.isEmpty ? nil : control.dimensions,
            flags: Self.flags.filter { control.flags.contains($0.0) }.map(\.1)
        )
    }

    /// The controls of an open device, in the order in which it lists them.
    ///
    /// Asks the device for each value; it blocks as long as the driver does.
    package static func list(of device: borrowing VideoDevice) -> [CameraControl] {
        var found: [CameraControl] = []
        for control in device.controls() {
            if let control = CameraControl(control, value: device.value(of: control)) { found.append(control) }
        }
        return found
    }

    /// The controls of a node, which is opened for it and closed.
    ///
    /// - Throws: `absent`, `denied`, `busy`, `notCamera`.
    package static func list(ofNode path: String) throws(VideoError) -> [CameraControl] {
        let device = try VideoDevice(path: path)
        return list(of: device)
    }

    /// A mask has 32 bits, and no sign.
    private static func unsigned(_ number: Int64, _ type: Kind) -> Int64 {
        type == .bitmask ? Int64(UInt32(truncatingIfNeeded: number)) : number
    }

    private static func menu(_ kind: VideoControl.Kind) -> [MenuItem]? {
        switch kind {
        case .menu(let items):
            items.sorted { $0.key < $1.key }.map { MenuItem(index: Int($0.key), name: $0.value) }
        case .integerMenu(let items):
            items.sorted { $0.key < $1.key }.map { MenuItem(index: Int($0.key), name: String($0.value)) }
        default: nil
        }
    }

    private static let flags: [(VideoControl.Flags, Flag)] = [
        (.grabbed, .grabbed), (.readOnly, .readOnly), (.update, .update), (.inactive, .inactive), (.slider, .slider),
        (.writeOnly, .writeOnly), (.volatile, .volatile), (.hasPayload, .hasPayload),
        (.executeOnWrite, .executeOnWrite), (.modifyLayout, .modifyLayout), (.dynamicArray, .dynamicArray),
    ]
}

extension CameraControl.Kind {
    fileprivate init?(_ kind: VideoControl.Kind) {
        switch kind {
        case .integer: self = .integer
        case .boolean: self = .boolean
        case .menu: self = .menu
        case .integerMenu: self = .integerMenu
        case .button: self = .button
        case .integer64: self = .integer64
        case .text: self = .string
        case .bitmask: self = .bitmask
        case .compound: self = .compound
        case .title: return nil
        }
    }
}

extension ControlValue {
    /// A device's value as programs see it.
    package init(_ value: VideoControl.Value) {
        switch value {
        case .number(let number): self = .number(number)
        case .text(let text): self = .text(text)
        }
    }
}
