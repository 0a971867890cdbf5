/// Bits of a unit of H.264, without the bytes that keep start codes from appearing in it.
///
/// Source: ITU-T H.264, 7.3.1 (emulation prevention), 9.1 (Exp-Golomb codes). What is not there is nil, never a trap.
struct BitReader {
    private let bytes: [UInt8]
    /// Bits that were read.
    private var position = 0

    /// The payload of a unit, after its first byte; no more than `limit` bytes are looked at.
    init(payload: ArraySlice<UInt8>, limit: Int = 4096) {
        var plain: [UInt8] = []
        var zeros = 0
        for byte in payload.prefix(limit) {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            plain.append(byte)
        }
        bytes = plain
    }

    /// One bit.
    mutating func bit() -> UInt32? {
        guard position < bytes.count * 8 else { return nil }
        defer { position += 1 }
        return UInt32(bytes[position / 8] >> UInt8(7 - position % 8) & 1)
    }

    /// Up to 32 bits as a number.
    mutating func bits(_ count: Int) -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let bit = bit() else { return nil }
            value = value << 1 | bit
        }
        return value
    }

    /// `ue(v)`: a number that is not negative.
    mutating func unsigned() -> UInt32? {
        var zeros = 0
        while true {
            guard let bit = bit() else { return nil }
            if bit == 1 { break }
            zeros += 1
            guard zeros < 32 else { return nil }
        }
        guard let rest = bits(zeros) else { return nil }
        return UInt32((UInt64(1) << UInt64(zeros)) - 1) + rest
    }

    /// `se(v)`: a number with a sign.
    mutating func signed() -> Int64? {
        guard let code = unsigned() else { return nil }
        let half = (Int64(code) + 1) / 2
        return code % 2 == 1 ? half : -half
    }

    /// A bit as yes or no.
    mutating func flag() -> Bool? { bit().map { $0 == 1 } }

    /// Passes over numbers; false when they are not there.
    mutating func skipUnsigned(_ count: Int) -> Bool {
        for _ in 0..<count where unsigned() == nil { return false }
        return true
    }
}
