/// A date and time of day in the proleptic Gregorian calendar, without an offset.
package struct WallClock: Hashable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    /// Digits after the point of the second, nine at most; empty for none.
    package let fraction: String

    /// Checks the ranges: years 1 to 9999, days that the month has, seconds up to 60.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, fraction: String = "") {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.fraction = String(fraction.prefix { $0.isASCII && $0.isNumber }.prefix(9))
    }

    /// The clock in UTC at so many seconds after 1970; nil outside the years 1 to 9999.
    package init?(secondsSince1970 seconds: Int64, fraction: String = "") {
        guard seconds.magnitude < 400_000_000_000 else { return nil }
        let days = Int((seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400)
        let rest = Int(seconds) - days * 86_400
        // "Civil from days" (howardhinnant.github.io/date_algorithms.html): years that begin in March, eras of 400.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            fraction: fraction
        )
    }

    /// Seconds after 1970 when this clock shows UTC; the fraction is left out.
    package var secondsSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// The text `2026-11-30T03:45:00`, with the fraction where there is one.
    package var text: String {
        let date = [Self.padded(year, 4), Self.padded(month), Self.padded(day)].joined(separator: "-")
        let time = [hour, minute, second].map { Self.padded($0) }.joined(separator: ":")
        return "\(date)T\(time)" + (fraction.isEmpty ? "" : ".\(fraction)")
    }

    /// RFC 3339 in UTC of this clock when it is `offsetMinutes` east of UTC.
    package func utc(offsetMinutes: Int) -> String? {
        WallClock(secondsSince1970: secondsSince1970 - Int64(offsetMinutes) * 60, fraction: fraction).map {
            $0.text + "Z"
        }
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
