private import CVideo4Linux
private import Glibc

extension VideoDevice {
    /// All controls of the device, walked with VIDIOC_QUERY_EXT_CTRL; disabled ones are left out.
    package func controls() -> [VideoControl] {
        // V4L2_CTRL_FLAG_NEXT_CTRL and V4L2_CTRL_FLAG_NEXT_COMPOUND.
        let next: UInt32 = 0x8000_0000 | 0x4000_0000
        var found: [VideoControl] = []
        var last: UInt32 = 0
        for _ in 0..<4 * Self.listLimit {
            var raw = v4l2_query_ext_ctrl()
            raw.id = last | next
            guard unsafe cv4l2_query_control(descriptor, &raw) == 0, raw.id > last else { break }
            last = raw.id
            if raw.flags & VideoControl.Flags.disabled.rawValue == 0 { found.append(control(raw)) }
        }
        return found
    }

    /// What a control is set to; nil for buttons, titles, arrays, what can only be written, and what the device
    /// refuses.
    package func value(of control: VideoControl) -> VideoControl.Value? {
        guard control.dimensions.isEmpty, !control.flags.contains(.writeOnly) else { return nil }
        switch control.kind {
        case .button, .title, .compound:
            return nil
        case .text:
            // The kernel wants room for the longest text and its end (vidioc-g-ext-ctrls.rst); ours is bounded too.
            guard let length = Int(exactly: control.maximum), (0...Self.textLimit).contains(length) else { return nil }
            var bytes = [UInt8](repeating: 0, count: length + 1)
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe cv4l2_get_text_control(
                    descriptor,
                    control.identifier,
                    buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                    UInt32(buffer.count)
                )
            }
            return result == 0 ? .text(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)) : nil
        case .integer64:
            var value: Int64 = 0
            return unsafe cv4l2_get_wide_control(descriptor, control.identifier, &value) == 0 ? .number(value) : nil
        case .bitmask:
            return value(of: control.identifier).map { .number(Int64(UInt32(bitPattern: $0))) }
        case .integer, .boolean, .menu, .integerMenu:
            return value(of: control.identifier).map { .number(Int64($0)) }
        }
    }

    /// Bytes of the longest text that is asked for.
    private static let textLimit = 64 << 10

    /// The value of a control; nil where the device does not have it.
    package func value(of identifier: UInt32) -> Int32? {
        var value: Int32 = 0
        return unsafe cv4l2_get_control(descriptor, identifier, &value) == 0 ? value : nil
    }

    /// The ISO speed; nil where the device does not have it, or chooses it by itself.
    ///
    /// V4L2_CID_ISO_SENSITIVITY is an integer menu, whose value is an index; its items are ISO speeds multiplied by
    /// 1000 (ext-ctrls-camera.rst).
    package func isoSpeed() -> Int? {
        // V4L2_ISO_SENSITIVITY_AUTO 1; the sensitivity means nothing then.
        let automatic = value(of: VideoControl.Identifier.isoSensitivityAuto)
        guard automatic != 1, let index = value(of: VideoControl.Identifier.isoSensitivity) else { return nil }
        var raw = v4l2_query_ext_ctrl()
        raw.id = VideoControl.Identifier.isoSensitivity
        guard unsafe cv4l2_query_control(descriptor, &raw) == 0 else { return nil }
        return Self.isoSpeed(kind(raw), value: index)
    }

    /// What a value of the sensitivity's control means.
    static func isoSpeed(_ kind: VideoControl.Kind, value: Int32) -> Int? {
        switch kind {
        case .integerMenu(let items):
            items[value].flatMap { $0 < 0 || $0 > Int64(UInt32.max) ? nil : Int(($0 + 500) / 1000) }
        // Drivers that do not keep to the documentation give the speed itself.
        case .integer: Int(value)
        default: nil
        }
    }

    /// Sets a control.
    ///
    /// - Throws: `busy` when another process holds the priority, `notSupported` for an unknown control or value.
    package func set(_ identifier: UInt32, to value: Int32) throws(VideoError) {
        try check(cv4l2_set_control(descriptor, identifier, value), "VIDIOC_S_CTRL")
    }

    /// Sets a control to a text, or to a number of 64 bits where it has those.
    ///
    /// - Throws: `busy` when another process holds the priority, `denied` for what can not be changed now, `notSupported` for an
    ///   unknown control or value.
    package func set(_ identifier: UInt32, to value: VideoControl.Value, isWide: Bool) throws(VideoError) {
        switch value {
        case .text(let text):
            let result = unsafe text.withCString { text in
                unsafe cv4l2_set_text_control(descriptor, identifier, text, UInt32(clamping: strlen(text) + 1))
            }
            try check(result, "VIDIOC_S_EXT_CTRLS")
        case .number(let number) where isWide:
            try check(cv4l2_set_wide_control(descriptor, identifier, number), "VIDIOC_S_EXT_CTRLS")
        case .number(let number):
            // A mask has 32 bits and no sign; other numbers of 32 bits have one.
            guard let narrow = Int32(exactly: number) ?? UInt32(exactly: number).map(Int32.init(bitPattern:)) else {
                throw VideoError(.notSupported, operation: "VIDIOC_S_CTRL", errorNumber: ERANGE)
            }
            try set(identifier, to: narrow)
        }
    }

    private func control(_ raw: v4l2_query_ext_ctrl) -> VideoControl {
        VideoControl(
            identifier: raw.id,
            name: CText.text(raw.name),
            kind: kind(raw),
            minimum: raw.minimum,
            maximum: raw.maximum,
            defaultValue: raw.default_value,
            step: raw.step,
            flags: VideoControl.Flags(rawValue: raw.flags),
            dimensions: dimensions(raw)
        )
    }

    private func dimensions(_ raw: v4l2_query_ext_ctrl) -> [Int] {
        // V4L2_CTRL_MAX_DIMS is 4, whatever the driver says.
        let all = unsafe withUnsafeBytes(of: raw.dims) { unsafe Array($0.bindMemory(to: UInt32.self)) }
        return all.prefix(Int(min(raw.nr_of_dims, 4))).map { Int($0) }
    }

    /// `enum v4l2_ctrl_type`; V4L2_CTRL_FLAG_HAS_PAYLOAD marks arrays and structures, and texts.
    private func kind(_ raw: v4l2_query_ext_ctrl) -> VideoControl.Kind {
        let hasPayload = raw.flags & 0x100 != 0
        return switch raw.type {
        case 7: .text
        case _ where hasPayload: .compound
        case 1: .integer
        case 2: .boolean
        case 3: .menu(menu(raw).mapValues(\.name))
        case 4: .button
        case 5: .integer64
        case 6: .title
        case 8: .bitmask
        case 9: .integerMenu(menu(raw).mapValues(\.number))
        default: .compound
        }
    }

    private func menu(_ raw: v4l2_query_ext_ctrl) -> [Int32: (name: String, number: Int64)] {
        var items: [Int32: (name: String, number: Int64)] = [:]
        guard let indices = Self.menuIndices(from: raw.minimum, to: raw.maximum) else { return items }
        for index in indices {
            var item = v4l2_querymenu()
            item.id = raw.id
            item.index = UInt32(bitPattern: index)
            // EINVAL is a hole in the menu.
            guard unsafe cv4l2_query_menu(descriptor, &item) == 0 else { continue }
            let isNumber = raw.type == 9
            let name = isNumber ? "" : CText.text(item.name)
            items[index] = (name, isNumber ? item.value : 0)
        }
        return items
    }

    /// The indices of a menu that are asked for; nil where the driver's bounds are not those of a menu.
    static func menuIndices(from minimum: Int64, to maximum: Int64) -> ClosedRange<Int32>? {
        guard let first = Int32(exactly: minimum), first >= 0, minimum <= maximum else { return nil }
        let last = min(maximum, Int64(first) + Int64(listLimit), Int64(Int32.max))
        return first...Int32(last)
    }
}
