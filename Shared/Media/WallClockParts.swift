/// The numbers of an asset's date, as its own clock showed them.
struct WallClockParts: Hashable, Sendable {
    /// The letters after `%`, as in strftime(3).
    enum Part: Character, Hashable, Sendable, CaseIterable {
        case year = "Y"
        case shortYear = "y"
        case month = "m"
        case day = "d"
        case hour = "H"
        case minute = "M"
        case second = "S"
    }

    private let digits: [UInt8]

    /// The wall clock of a date, in UTC where only that is known; nil for one that is no date.
    init?(_ date: AssetDate?) {
        guard let text = date?.local ?? date?.utc else { return nil }
        let bytes = Array(text.utf8.prefix(19))
        guard bytes.count == 19 else { return nil }
        for (index, byte) in bytes.enumerated() {
            switch index {
            case 4, 7: guard byte == UInt8(ascii: "-") else { return nil }
            case 10: guard byte == UInt8(ascii: "T") else { return nil }
            case 13, 16: guard byte == UInt8(ascii: ":") else { return nil }
            default: guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            }
        }
        func number(_ index: Int) -> Int { Int(bytes[index] - 48) * 10 + Int(bytes[index + 1] - 48) }
        guard (1...12).contains(number(5)), (1...31).contains(number(8)), number(11) < 24, number(14) < 60,
            number(17) <= 60
        else { return nil }
        digits = bytes
    }

    /// A number with its leading zeros.
    func text(_ part: Part) -> String {
        let range =
            switch part {
            case .year: 0..<4
            case .shortYear: 2..<4
            case .month: 5..<7
            case .day: 8..<10
            case .hour: 11..<13
            case .minute: 14..<16
            case .second: 17..<19
            }
        return String(decoding: digits[range], as: UTF8.self)
    }
}
