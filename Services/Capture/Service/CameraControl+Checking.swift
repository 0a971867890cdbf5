package import MessageSchema

/// What a program may set a control to.
extension CameraControl {
    /// The value that is meant, if the control can have it: menus take an index or an item's name, switches 0, 1 and
    /// words.
    ///
    /// - Throws: `invalidArgument` with the path `values.NAME`, and what the value can be.
    package func checked(_ value: ControlValue) throws(ErrorReply) -> ControlValue {
        guard !flags.contains(.readOnly) else { throw invalid("left as it is: it can only be read") }
        switch type {
        case .button: return .number(1)
        case .compound: throw invalid("left as it is: it has more than one value")
        case .string: return try checkedText(value)
        case .menu, .integerMenu: return .number(try checkedIndex(value))
        case .boolean:
            guard let number = value.number ?? Self.switchWords[value.text.lowercased()], 0...1 ~= number else {
                throw invalid("0 or 1")
            }
            return .number(number)
        case .bitmask:
            let bits = maximum ?? 0
            guard let number = value.number, number >= 0, number & ~bits == 0 else {
                throw invalid("made of the bits of \(bits)")
            }
            return .number(number)
        case .integer, .integer64:
            let range = (minimum ?? .min)...max(minimum ?? .min, maximum ?? .max)
            let step = max(1, step ?? 1)
            // A difference of 64-bit numbers may not be one.
            guard let number = value.number, range.contains(number),
                number.subtractingReportingOverflow(range.lowerBound).overflow
                    || (number - range.lowerBound) % step == 0
            else {
                let steps = step > 1 ? " in steps of \(step)" : ""
                throw invalid("from \(range.lowerBound) to \(range.upperBound)\(steps)")
            }
            return .number(number)
        }
    }

    /// What the camera starts with; nil for what has no such value, or can not be set.
    package var initial: ControlValue? {
        guard !flags.contains(.readOnly), type != .button, type != .compound, type != .string else { return nil }
        return `default`.map { .number($0) }
    }

    /// Whether other controls may only be set when this one has its value: switches and menus turn automatics off.
    var comesFirst: Bool { type == .boolean || type == .menu || type == .integerMenu }

    private static let switchWords: [String: Int64] = ["on": 1, "true": 1, "off": 0, "false": 0]

    private func checkedIndex(_ value: ControlValue) throws(ErrorReply) -> Int64 {
        let items = menu ?? []
        let named = items.first { $0.name.lowercased() == value.text.lowercased() }.map { Int64($0.index) }
        // The name of an item of numbers looks like an index; an index is what it is taken for.
        if let index = value.number ?? named, items.contains(where: { Int64($0.index) == index }) { return index }
        let choices = items.map { "\($0.index) (\($0.name))" }.joined(separator: ", ")
        throw invalid("one of \(choices)")
    }

    private func checkedText(_ value: ControlValue) throws(ErrorReply) -> ControlValue {
        let lengths = Int(clamping: minimum ?? 0)...Int(clamping: max(minimum ?? 0, maximum ?? 0))
        let text = value.text
        let step = Int(clamping: max(1, step ?? 1))
        guard lengths.contains(text.utf8.count), (text.utf8.count - lengths.lowerBound) % step == 0,
            !text.utf8.contains(0)
        else {
            let steps = step > 1 ? " in steps of \(step)" : ""
            throw invalid("a text of \(lengths.lowerBound) to \(lengths.upperBound) bytes\(steps)")
        }
        return .text(text)
    }

    private func invalid(_ rule: String) -> ErrorReply { .invalidParameter("values.\(name)", rule) }
}

extension ControlValue {
    /// The number it is, or that it says in digits.
    fileprivate var number: Int64? {
        switch self {
        case .number(let number): number
        case .text(let text): Int64(text)
        }
    }

    /// The text it is, or its digits.
    fileprivate var text: String { description }
}
