extension WallClock {
    /// Reads a date as cameras and containers write it, and the offset after it if there is one.
    ///
    /// Accepts `2003:12:04 06:46:52` (EXIF 2.32 tag 0x9003), `2017-05-01T10:00:00+0200` (QuickTime keys, ISO 8601),
    /// `2009:10:27 12:14:00.25Z`; any one character separates date and time. A date alone is not a time: nil.
    package static func read(_ text: String) -> (clock: WallClock, offsetMinutes: Int?)? {
        var rest = Substring(text)
        guard let year = digits(4, from: &rest), separator(&rest), let month = digits(2, from: &rest),
            separator(&rest), let day = digits(2, from: &rest), separator(&rest),
            let hour = digits(2, from: &rest), separator(&rest), let minute = digits(2, from: &rest)
        else { return nil }
        var second = 0
        var fraction = ""
        if rest.first == ":" {
            rest.removeFirst()
            guard let value = digits(2, from: &rest) else { return nil }
            second = value
            if rest.first == "." || rest.first == "," {
                fraction = String(rest.dropFirst().prefix { isDigit($0) })
                rest = rest.dropFirst(fraction.count + 1)
            }
        }
        let clock = WallClock(
            year: year,
            month: month,
            day: day,
            hour: hour,
            minute: minute,
            second: second,
            fraction: fraction
        )
        return clock.map { ($0, offset(String(rest))) }
    }

    /// Reads a wall clock and nothing else: as ``text`` writes it.
    package init?(canonical text: String) {
        guard text.utf8.count <= 64, let read = WallClock.read(text), read.clock.text == text else { return nil }
        self = read.clock
    }

    /// Reads a time with its offset and nothing else; gives RFC 3339 with `Z`.
    package static func utc(reading text: String) -> String? {
        guard text.utf8.count <= 64, !text.contains(" "), let read = WallClock.read(text) else { return nil }
        return read.offsetMinutes.flatMap { read.clock.utc(offsetMinutes: $0) }
    }

    /// Minutes east of UTC from `+02:00`, `-0530`, `+02` or `Z`; nil for anything else or more than 14 hours.
    package static func offset(_ text: String) -> Int? {
        let trimmed = text.drop { $0 == " " }.prefix { $0 != " " && $0 != "\0" }
        if trimmed == "Z" { return 0 }
        guard let sign = trimmed.first, sign == "+" || sign == "-" else { return nil }
        var rest = trimmed.dropFirst()
        guard let hours = digits(2, from: &rest) else { return nil }
        if rest.first == ":" { rest.removeFirst() }
        guard let minutes = rest.isEmpty ? 0 : digits(2, from: &rest), rest.isEmpty, minutes < 60 else { return nil }
        let total = hours * 60 + minutes
        guard total <= 14 * 60 else { return nil }
        return sign == "-" ? -total : total
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

    private static func digits(_ count: Int, from text: inout Substring) -> Int? {
        let found = text.prefix(count)
        guard found.count == count, found.allSatisfy({ isDigit($0) }) else { return nil }
        text = text.dropFirst(count)
        return Int(found)
    }

    private static func separator(_ text: inout Substring) -> Bool {
        guard let first = text.first, !isDigit(first) else { return false }
        text.removeFirst()
        return true
    }
}
