package import Containers
package import Media

/// Places as films write them.
package enum GeographicPoint {
    /// Reads ISO 6709 as QuickTime and Android write it: `+37.3318-122.0312+010.000/`, also with minutes and seconds.
    ///
    /// The number of digits before the point tells degrees (2, 3), degrees and minutes (4, 5), and seconds (6, 7).
    package static func read(_ text: String) -> Location? {
        var rest = Substring(text).drop { $0 == " " }
        guard let latitude = component(&rest, degreeDigits: 2), let longitude = component(&rest, degreeDigits: 3),
            latitude != 0 || longitude != 0
        else { return nil }
        return Location(latitude: latitude, longitude: longitude, altitude: number(&rest).flatMap { Double($0) })
    }

    /// Reads 3GPP's `loci`: language, a name that ends with NUL, a role, then longitude, latitude, altitude as 16.16.
    package static func read(_ payload: RandomAccessBytes) -> Location? {
        let bytes = payload.bytes(at: 0, count: 512)
        guard let nameEnd = bytes.dropFirst(6).firstIndex(of: 0) else { return nil }
        let fields = ByteFields(Array(bytes.dropFirst(nameEnd + 2)))
        let values = [0, 4, 8].compactMap { fields.int32($0) }.map { Double($0) / 65536 }
        guard values.count == 3, values[0] != 0 || values[1] != 0 else { return nil }
        return Location(latitude: values[1], longitude: values[0], altitude: values[2])
    }

    private static func component(_ text: inout Substring, degreeDigits: Int) -> Double? {
        guard let digits = number(&text), let value = Double(digits) else { return nil }
        let whole = digits.dropFirst().prefix { $0 != "." }.count
        let magnitude = value.magnitude
        let degrees: Double
        switch whole - degreeDigits {
        case ...0: degrees = magnitude
        case 2:
            let base = (magnitude / 100).rounded(.down)
            degrees = base + (magnitude - base * 100) / 60
        case 4:
            let base = (magnitude / 10_000).rounded(.down)
            let minutes = ((magnitude - base * 10_000) / 100).rounded(.down)
            degrees = base + minutes / 60 + (magnitude - base * 10_000 - minutes * 100) / 3600
        default: return nil
        }
        return digits.first == "-" ? -degrees : degrees
    }

    /// A sign, digits, and perhaps a point and more digits.
    private static func number(_ text: inout Substring) -> Substring? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let digits = text.dropFirst().prefix { ("0"..."9").contains($0) || $0 == "." }
        guard !digits.isEmpty, digits.count <= 24 else { return nil }
        let found = text.prefix(digits.count + 1)
        text = text.dropFirst(found.count)
        return found
    }
}
