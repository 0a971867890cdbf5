/// How far something is, on one line.
package enum ProgressBar {
    /// The line: `[#####-----] 12 of 24 label`.
    package static func line(_ done: Int64, of total: Int64, _ label: String) -> String {
        let cells = 24
        let filled = total > 0 ? Int(min(1, max(0, Double(done) / Double(total))) * Double(cells)) : 0
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: cells - filled)
        return "[\(bar)] \(done) of \(total) \(label)"
    }
}

/// A number of bytes for people to read.
package enum ByteText {
    /// The number with a decimal unit, such as `3.4 MB`.
    package static func of(_ bytes: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        if unit == 0 { return "\(bytes) B" }
        let tenths = Int64((value * 10).rounded())
        return value < 10 ? "\(tenths / 10).\(tenths % 10) \(units[unit])" : "\(Int64(value.rounded())) \(units[unit])"
    }
}
