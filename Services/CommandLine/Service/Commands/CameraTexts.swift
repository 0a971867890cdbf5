private import Media
import MessageSchema

/// A camera's fields and its controls, as one object.
struct ShownCamera: Encodable {
    let camera: Camera
    let controls: [CameraControl]?

    private enum Key: String, CodingKey { case controls }

    func encode(to encoder: any Encoder) throws {
        try camera.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(controls, forKey: .controls)
    }
}

extension [String?] {
    /// Those that are there, with a colon between them.
    var text: String { compactMap(\.self).joined(separator: ": ") }
}

extension FrameSizes {
    var text: String {
        let smallest = "\(minimumWidth)x\(minimumHeight)"
        let largest = "\(maximumWidth)x\(maximumHeight)"
        var size = smallest
        if smallest != largest {
            size += " to \(largest)"
            if let stepWidth, let stepHeight { size += " in steps of \(stepWidth)x\(stepHeight)" }
        }
        guard !intervals.isEmpty else { return size }
        let times = intervals.joined(separator: intervalsAreRange == true ? " to " : ", ")
        return "\(size) every \(times) s"
    }
}

extension CameraControl {
    /// The control in one line: name, type, bounds, value, items and flags.
    var text: String {
        var words = [name, "(\(type.rawValue))"]
        if let minimum, let maximum, type != .boolean, menu == nil {
            words.append("\(minimum) to \(maximum)" + (step.map { $0 > 1 ? " by \($0)" : "" } ?? ""))
        }
        if let dimensions { words.append(dimensions.map { "[\($0)]" }.joined()) }
        if let menu { words.append(menu.map { "\($0.index) \($0.name)" }.joined(separator: ", ")) }
        if let value { words.append("= \(value)") }
        if let `default`, type != .compound { words.append("default \(`default`)") }
        if !flags.isEmpty { words.append(flags.map(\.rawValue).joined(separator: " ")) }
        return words.joined(separator: "  ")
    }
}
