/// The text form of RFC 3339, always written with `Z` and, when it is not zero, a fraction of six digits.
extension Timestamp: LosslessStringConvertible {
    package var description: String {
        let second = microseconds.floorDivided(by: 1_000_000)
        let fraction = microseconds - second * 1_000_000
        let day = second.floorDivided(by: 86_400)
        let secondOfDay = second - day * 86_400
        let date = CivilDate(daysSince1970: day)
        var text = padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2)
        text += "T" + padded(secondOfDay / 3600, 2)
        text += ":" + padded(secondOfDay / 60 % 60, 2) + ":" + padded(secondOfDay % 60, 2)
        if fraction != 0 {
            text += "." + padded(fraction, 6)
        }
        return text + "Z"
    }

    /// Reads RFC 3339 text with any offset; digits of the fraction beyond the sixth are cut; a leap second is the next second.
    ///
    /// Nil for anything else, also for days that the calendar does not have.
    package init?(_ text: String) {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("T") || reader.take("t") || reader.take(" "),
            let hour = reader.number(2), reader.take(":"), let minute = reader.number(2), reader.take(":"),
            let second = reader.number(2), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if reader.take(".") {
            guard let value = reader.fraction() else { return nil }
            fraction = value
        }
        guard let offset = reader.offset(), reader.isAtEnd,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset * 60
        self.init(microseconds: seconds * 1_000_000 + fraction)
    }
}

private func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value.magnitude)
    let sign = value < 0 ? "-" : ""
    return sign + String(repeating: "0", count: max(0, width - digits.count)) + digits
}

private struct DigitReader {
    private var bytes: ArraySlice<UInt8>

    init(_ text: String) {
        bytes = ArraySlice(text.utf8)
    }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first = bytes.first, UInt32(first) == character.value else { return false }
        bytes.removeFirst()
        return true
    }

    mutating func number(_ digits: Int) -> Int64? {
        guard bytes.count >= digits else { return nil }
        var value: Int64 = 0
        for byte in bytes.prefix(digits) {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        bytes.removeFirst(digits)
        return value
    }

    mutating func fraction() -> Int64? {
        var value: Int64 = 0
        var count = 0
        while let digit = number(1) {
            count += 1
            if count <= 6 { value = value * 10 + digit }
        }
        guard count > 0 else { return nil }
        for _ in min(count, 6)..<6 { value *= 10 }
        return value
    }

    /// Minutes east of UTC.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-") else { return nil }
        guard let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return (isEast ? 1 : -1) * (hours * 60 + minutes)
    }
}
