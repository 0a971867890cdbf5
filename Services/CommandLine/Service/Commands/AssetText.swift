private import Consent
private import Media
private import MessageSchema

extension Asset {
    /// The lines that tell a person about it.
    var lines: [String] {
        var table = TextTable("is", "value")
        table.add("url", url.description)
        table.add("kind", "\(kind.rawValue) (\(uti))")
        table.add("filename", filename)
        table.add("size", size)
        if let duration { table.add("duration", "\(duration.text) s") }
        if let date { table.add("date", date.text) }
        if let location { table.add("location", "\(location.latitude) \(location.longitude)") }
        if let camera = [cameraMake, cameraModel].joined { table.add("camera", camera) }
        if let caption { table.add("caption", caption) }
        if favourite == true { table.add("favourite", "yes") }
        if let expires { table.add("in the trash", "until \(expires)") }
        if let original { table.add("original", original.description) }
        table.add("state", [state.rawValue, reason].compactMap(\.self).joined(separator: ": "))
        if let sha256 { table.add("sha256", sha256) }
        return Array(table.lines.dropFirst())
    }

    /// Its pixels and bytes.
    var size: String { width > 0 ? "\(width)x\(height), \(ByteText.of(bytes))" : ByteText.of(bytes) }
}

extension AssetDate {
    /// The wall clock with what is known about its offset.
    var text: String {
        guard let local = local?.split(separator: ".").first.map(String.init) else { return raw }
        guard let offsetMinutes else { return local }
        let minutes = abs(offsetMinutes)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return local + (offsetMinutes < 0 ? "-" : "+") + two(minutes / 60) + ":" + two(minutes % 60)
    }
}

extension Double {
    /// With at most two digits after the point.
    var text: String {
        guard isFinite, magnitude < 1e12 else { return "?" }
        let hundredths = Int64((self * 100).rounded())
        if hundredths % 100 == 0 { return "\(hundredths / 100)" }
        return "\((Double(hundredths)) / 100)"
    }
}

extension [String?] {
    /// Those that are there with spaces between; nil when none is.
    fileprivate var joined: String? {
        let parts = compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
