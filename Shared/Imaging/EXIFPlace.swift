package import Containers
package import Media

/// The place and the satellites' time from the GPS directory of EXIF.
///
/// Source: CIPA DC-008 (EXIF 2.32) section 4.6.6. A coordinate without its reference has no hemisphere and is not
/// used; a fraction with the denominator zero is not known; zero is a place like any other, but zero north, zero east
/// to the last digit is what devices without a fix write, and no place.
package struct EXIFPlace {
    package let location: Location?
    /// UTC as the satellites gave it.
    package let time: WallClock?

    /// Reads the directory's entries.
    package init(_ structure: TIFFStructure, _ entries: [UInt16: TIFFStructure.Entry]) {
        location = Self.location(structure, entries)
        time = Self.time(structure, entries)
    }

    private static func location(_ structure: TIFFStructure, _ entries: [UInt16: TIFFStructure.Entry]) -> Location? {
        guard let north = degrees(structure.rationals(entries[0x0002], limit: 3)),
            let east = degrees(structure.rationals(entries[0x0004], limit: 3)),
            let northSign = sign(structure.text(entries[0x0001]), positive: "N", negative: "S"),
            let eastSign = sign(structure.text(entries[0x0003]), positive: "E", negative: "W"),
            north != 0 || east != 0
        else { return nil }
        let below = structure.integers(entries[0x0005]).first == 1
        let altitude = structure.rationals(entries[0x0006]).first.flatMap { $0 }.map { below ? -$0 : $0 }
        return Location(latitude: north * northSign, longitude: east * eastSign, altitude: altitude)
    }

    /// Degrees, minutes, seconds; missing minutes or seconds are zero, unknown ones make the whole unknown.
    private static func degrees(_ parts: [Double?]) -> Double? {
        guard let first = parts.first, var total = first else { return nil }
        for (part, scale) in zip(parts.dropFirst(), [60.0, 3600.0]) {
            guard let part else { return nil }
            total += part / scale
        }
        return total.isFinite ? total : nil
    }

    private static func sign(_ text: String?, positive: Character, negative: Character) -> Double? {
        switch text?.uppercased().first {
        case positive: 1
        case negative: -1
        default: nil
        }
    }

    private static func time(_ structure: TIFFStructure, _ entries: [UInt16: TIFFStructure.Entry]) -> WallClock? {
        let parts = structure.rationals(entries[0x0007], limit: 3).compactMap { $0 }
        guard parts.count == 3, parts.allSatisfy({ (0..<61).contains($0) }),
            let day = structure.text(entries[0x001D], limit: 32)
        else { return nil }
        let pieces = day.split(whereSeparator: { $0 == ":" || $0 == "-" }).map { Int($0) }
        guard pieces.count == 3, let year = pieces[0], let month = pieces[1], let dayOfMonth = pieces[2] else {
            return nil
        }
        return WallClock(
            year: year,
            month: month,
            day: dayOfMonth,
            hour: Int(parts[0]),
            minute: Int(parts[1]),
            second: Int(parts[2])
        )
    }
}
