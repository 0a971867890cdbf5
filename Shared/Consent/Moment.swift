/// A point of wall-clock time in milliseconds since 1970-01-01T00:00:00Z; written as RFC 3339 text in UTC.
package struct Moment: TextCodable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    package var milliseconds: Int64

    /// Makes a moment from milliseconds since 1970-01-01T00:00:00Z.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Reads RFC 3339 text such as `2026-11-30T08:00:00Z` or `2026-11-30T08:00:00.250+01:00`; years 1970 to 9999.
    package init?(_ description: String) {
        var rest = Substring(description)[...]
        guard let year = Self.number(&rest, 4), Self.skip(&rest, "-"),
            let month = Self.number(&rest, 2), Self.skip(&rest, "-"),
            let day = Self.number(&rest, 2), Self.skip(&rest, "Tt "),
            let hour = Self.number(&rest, 2), Self.skip(&rest, ":"),
            let minute = Self.number(&rest, 2), Self.skip(&rest, ":"),
            let second = Self.number(&rest, 2)
        else { return nil }
        guard (1970...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year),
            hour <= 23, minute <= 59, second <= 59
        else { return nil }
        guard let fraction = Self.fraction(&rest), let offset = Self.offset(&rest), rest.isEmpty else { return nil }
        let seconds = Self.dayNumber(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset * 60
        milliseconds = seconds * 1_000 + fraction
    }

    package var description: String {
        let seconds = Self.floorDivide(milliseconds, 1_000)
        let fraction = milliseconds - seconds * 1_000
        let days = Self.floorDivide(seconds, 86_400)
        let second = seconds - days * 86_400
        let (year, month, day) = Self.date(days)
        let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
        let hours = Self.padded(second / 3_600, 2)
        let time = "\(hours):\(Self.padded(second / 60 % 60, 2)):\(Self.padded(second % 60, 2))"
        return fraction == 0 ? "\(date)T\(time)Z" : "\(date)T\(time).\(Self.padded(fraction, 3))Z"
    }

    package static func < (left: Moment, right: Moment) -> Bool {
        left.milliseconds < right.milliseconds
    }

    // MARK: Text

    private static func number(_ text: inout Substring, _ digits: Int) -> Int64? {
        let part = text.prefix(digits)
        guard part.utf8.count == digits, part.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        text = text.dropFirst(digits)
        return Int64(part)
    }

    private static func skip(_ text: inout Substring, _ accepted: String) -> Bool {
        guard let first = text.first, accepted.contains(first) else { return false }
        text = text.dropFirst()
        return true
    }

    /// The milliseconds of an optional fraction; digits beyond the third are dropped.
    private static func fraction(_ text: inout Substring) -> Int64? {
        guard skip(&text, ".") else { return 0 }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, digits.count <= 9 else { return nil }
        text = text.dropFirst(digits.count)
        return Int64((digits + "00").prefix(3))
    }

    /// Minutes east of UTC.
    private static func offset(_ text: inout Substring) -> Int64? {
        if skip(&text, "Zz") { return 0 }
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        text = text.dropFirst()
        guard let hours = number(&text, 2), skip(&text, ":"), let minutes = number(&text, 2), hours <= 23, minutes <= 59
        else { return nil }
        return (sign == "+" ? 1 : -1) * (hours * 60 + minutes)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    // MARK: Calendar

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin with March.
    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        return 365 * shifted + floorDivide(shifted, 4) - floorDivide(shifted, 100) + floorDivide(shifted, 400)
            + (153 * monthFromMarch + 2) / 5 + day - 1 - 719_468
    }

    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let cycle = floorDivide(shifted, 146_097)
        let dayOfCycle = shifted - cycle * 146_097
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
