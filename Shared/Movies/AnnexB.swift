/// The byte stream in which cameras and encoders give H.264: units after start codes.
///
/// Source: ITU-T H.264 annex B. Pure functions over hostile bytes: nothing here traps.
package enum AnnexB {
    /// Where the units lie, without start codes and the zeros around them; empty where there is no start code.
    package static func units(of bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start: Int?
        var index = 2
        while index < bytes.count {
            switch bytes[index] {
            case 1 where bytes[index - 1] == 0 && bytes[index - 2] == 0:
                if let start { note(start..<index - 2, of: bytes, in: &found) }
                start = index + 1
                index += 3
            case 0:
                index += 1
            default:
                // Neither this byte nor the two before can be the zeros of the next start code's end.
                index += 3
            }
        }
        if let start { note(start..<bytes.count, of: bytes, in: &found) }
        return found
    }

    /// A stream of these units, each after a start code of four bytes.
    package static func stream(of units: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(units.reduce(0) { $0 + $1.count + 4 })
        for unit in units {
            bytes += [0, 0, 0, 1]
            bytes += unit
        }
        return bytes
    }

    /// A unit ends with a bit that is set, so zeros at its end belong to the next start code.
    private static func note(_ range: Range<Int>, of bytes: [UInt8], in found: inout [Range<Int>]) {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1] == 0 { end -= 1 }
        if end > range.lowerBound { found.append(range.lowerBound..<end) }
    }
}

/// What a unit is, by the first of its bytes (ITU-T H.264 table 7-1).
enum H264UnitType {
    static let slice: UInt8 = 1
    static let lastSlicePartition: UInt8 = 4
    static let keySlice: UInt8 = 5
    static let sequenceParameters: UInt8 = 7
    static let pictureParameters: UInt8 = 8
    /// Delimiters, ends of sequence and stream, filler and the extension of sequence parameters: of no use in a file.
    static let superfluous: ClosedRange<UInt8> = 9...13

    /// The type; nil for a byte that starts no unit.
    static func type(_ first: UInt8) -> UInt8? {
        let type = first & 0x1F
        return first & 0x80 == 0 && type != 0 ? type : nil
    }
}
