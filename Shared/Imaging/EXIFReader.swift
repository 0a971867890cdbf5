package import Containers
private import Media

/// Reads the metadata block that EXIF puts into pictures: a TIFF structure with a sub-directory for the exposure and
/// one for the place.
///
/// Source: CIPA DC-008 (EXIF 2.32) section 4.6; the names are those of the standard.
package enum EXIFReader {
    /// What the block that starts with `II` or `MM` says; nil if it is none.
    package static func read(_ bytes: RandomAccessBytes) -> PictureMetadata? {
        guard let structure = TIFFStructure(bytes), let main = structure.directory(at: structure.firstDirectory) else {
            return nil
        }
        return read(structure, main: main)
    }

    /// What a directory of a TIFF structure and the sub-directories it points to say.
    ///
    /// The dimensions are those of tags 0xA002 and 0xA003, which editors forget to change: a decoder's header is better.
    package static func read(_ structure: TIFFStructure, main: TIFFStructure.Directory) -> PictureMetadata {
        let exposure = subdirectory(structure, main.entries[0x8769])
        let place = subdirectory(structure, main.entries[0x8825])
        var found = PictureMetadata()
        found.orientation = structure.integers(main.entries[0x0112]).first.flatMap { Orientation(rawValue: Int($0)) }
        found.cameraMake = structure.text(main.entries[0x010F])
        found.cameraModel = structure.text(main.entries[0x0110])
        let reading = place.map { EXIFPlace(structure, $0) }
        found.location = reading?.location
        found.date = date(structure, main: main.entries, exposure: exposure ?? [:], satelliteTime: reading?.time)
        guard let exposure else { return found }
        found.lensModel = structure.text(exposure[0xA434])
        found.exposureTime = positive(structure.rationals(exposure[0x829A]).first)
        found.aperture = positive(structure.rationals(exposure[0x829D]).first)
        found.sensitivity = structure.integers(exposure[0x8827]).first.flatMap { $0 > 0 ? Int($0) : nil }
        found.focalLength = positive(structure.rationals(exposure[0x920A]).first)
        found.width = structure.integers(exposure[0xA002]).first.flatMap { $0 > 0 ? Int($0) : nil }
        found.height = structure.integers(exposure[0xA003]).first.flatMap { $0 > 0 ? Int($0) : nil }
        return found
    }

    private static func subdirectory(
        _ structure: TIFFStructure,
        _ pointer: TIFFStructure.Entry?
    ) -> [UInt16: TIFFStructure.Entry]? {
        structure.integers(pointer, limit: 1).first.flatMap { structure.directory(at: $0)?.entries }
    }

    private static func positive(_ value: Double??) -> Double? {
        guard let value = value ?? nil, value.isFinite, value > 0 else { return nil }
        return value
    }

    /// The first of the three dates that is one: taken, digitised, changed; each with its own fraction and offset.
    private static func date(
        _ structure: TIFFStructure,
        main: [UInt16: TIFFStructure.Entry],
        exposure: [UInt16: TIFFStructure.Entry],
        satelliteTime: WallClock?
    ) -> AssetDate? {
        let candidates = [
            (exposure[0x9003], exposure[0x9291], exposure[0x9011]),
            (exposure[0x9004], exposure[0x9292], exposure[0x9012]),
            (main[0x0132], exposure[0x9290], exposure[0x9010]),
        ]
        var unreadable: String?
        for (entry, fraction, offset) in candidates {
            guard let raw = structure.text(entry, limit: 64) else { continue }
            guard let read = WallClock.read(raw) else {
                // Blanks between the colons are the standard's way to say that the date is not known.
                if raw.contains(where: { $0 != " " && $0 != ":" }) { unreadable = unreadable ?? raw }
                continue
            }
            let clock = read.clock.with(fraction: structure.text(fraction, limit: 32))
            let tag = structure.text(offset, limit: 32).flatMap { WallClock.offset($0) } ?? read.offsetMinutes
            return AssetDate(raw: raw, clock: clock, tag: tag, satelliteTime: satelliteTime)
        }
        return unreadable.map { AssetDate(raw: $0, local: nil) }
    }
}

extension WallClock {
    /// The same time with the fraction that a `SubSecTime` tag has, when the time has none of its own.
    fileprivate func with(fraction text: String?) -> WallClock {
        guard fraction.isEmpty, let text, text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return self }
        return WallClock(
            year: year,
            month: month,
            day: day,
            hour: hour,
            minute: minute,
            second: second,
            fraction: text
        ) ?? self
    }
}

extension AssetDate {
    /// The offset is the tag's; else what lies between the clock and the satellites' time, where that is a clear
    /// multiple of a quarter of an hour; else not known.
    fileprivate init(raw: String, clock: WallClock, tag: Int?, satelliteTime: WallClock?) {
        let offset = tag ?? satelliteTime.flatMap { Self.offset(of: clock, from: $0) }
        self.init(
            raw: raw,
            local: clock.text,
            offsetMinutes: offset,
            offsetSource: tag != nil ? .tag : offset != nil ? .gps : .unknown,
            utc: offset.flatMap { clock.utc(offsetMinutes: $0) }
        )
    }

    /// Offsets are multiples of 15 minutes; a camera's clock, or an old fix, may be 2 minutes off and no more.
    private static func offset(of clock: WallClock, from utc: WallClock) -> Int? {
        let difference = clock.secondsSince1970 - utc.secondsSince1970
        guard difference.magnitude <= 14 * 3600 + 120 else { return nil }
        let quarters = (Double(difference) / 900).rounded()
        guard (Double(difference) - quarters * 900).magnitude <= 120 else { return nil }
        return Int(quarters) * 15
    }
}
