/// The instant a picture was taken or a film begun, and the wall clock that hung beside the camera.
package struct CaptureTime: Hashable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    package let microsecondsSince1970: Int64

    /// Minutes that the wall clock was east of UTC.
    package let offsetMinutes: Int

    /// An instant with the offset in force at it.
    package init(microsecondsSince1970: Int64, offsetMinutes: Int) {
        self.microsecondsSince1970 = microsecondsSince1970
        self.offsetMinutes = offsetMinutes
    }

    /// The wall clock in EXIF's form, `2026:11:30 03:45:00` (EXIF 2.32, tag 0x9003).
    package var exifText: String {
        let clock = wallClock
        let date = "\(Self.padded(clock.year, 4)):\(Self.padded(clock.month, 2)):\(Self.padded(clock.day, 2))"
        return date + " " + timeText
    }

    /// The wall clock with its offset, `2026-11-30T03:45:00+0200`, as QuickTime's creation date has it.
    package var quickTimeText: String {
        dateText + "T" + timeText + offsetSign + Self.padded(offsetHours, 2) + Self.padded(offsetRest, 2)
    }

    /// The wall clock with its offset and six digits of a second, `2026-11-30T03:45:00.123456+02:00` (RFC 3339).
    package var text: String {
        dateText + "T" + timeText + "." + fractionText + offsetText
    }

    /// The offset as `+02:00` (EXIF 2.32, tag 0x9011).
    package var offsetText: String {
        offsetSign + Self.padded(offsetHours, 2) + ":" + Self.padded(offsetRest, 2)
    }

    /// Six digits: the microseconds within the second.
    package var fractionText: String {
        Self.padded(Int(microsecondsSince1970 - 1_000_000 * secondsSince1970), 6)
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    package var secondsSince1970: Int64 {
        let (quotient, remainder) = microsecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private var dateText: String {
        let clock = wallClock
        return "\(Self.padded(clock.year, 4))-\(Self.padded(clock.month, 2))-\(Self.padded(clock.day, 2))"
    }

    private var timeText: String {
        let clock = wallClock
        return "\(Self.padded(clock.hour, 2)):\(Self.padded(clock.minute, 2)):\(Self.padded(clock.second, 2))"
    }

    private var offsetSign: String { offsetMinutes < 0 ? "-" : "+" }
    private var offsetHours: Int { abs(offsetMinutes) / 60 }
    private var offsetRest: Int { abs(offsetMinutes) % 60 }

    private struct WallClock {
        var year, month, day, hour, minute, second: Int
    }

    /// The date of a day number in the proleptic Gregorian calendar.
    ///
    /// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    private var wallClock: WallClock {
        let seconds = Int(secondsSince1970) + offsetMinutes * 60
        let secondOfDay = (seconds % 86_400 + 86_400) % 86_400
        let shifted = (seconds - secondOfDay) / 86_400 + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return WallClock(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1,
            hour: secondOfDay / 3600,
            minute: secondOfDay / 60 % 60,
            second: secondOfDay % 60
        )
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
