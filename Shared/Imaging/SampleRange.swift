/// How stored values become values from 0 to 255.
///
/// The functions have no branch, division or table, so that the compiler makes vector instructions of a loop over them.
/// They round as the division that their comments name does, for every value (a test tries all).
protocol SampleRange {
    static func full(_ value: UInt8) -> UInt8
}

/// Values that are what they are.
enum FullRange: SampleRange {
    @inline(__always) static func full(_ value: UInt8) -> UInt8 { value }
}

/// Luma from 16 to 235 (ITU-R BT.601): `((value - 16) * 255 + 109) / 219`, clamped.
enum VideoLuma: SampleRange {
    @inline(__always) static func full(_ value: UInt8) -> UInt8 {
        let above = UInt16(max(value, 16) &- 16)
        // above * 36 / 219, with eight bits behind the point.
        let more = UInt16(truncatingIfNeeded: (UInt32(above &<< 8) &* 10_774) &>> 16)
        return UInt8(truncatingIfNeeded: min(255, above &+ (more &+ 128) &>> 8))
    }
}

/// Chroma, centred on 128 with 224 steps (ITU-R BT.601): 128 and `(distance * 255 + 112) / 224` on its side, clamped.
enum VideoChroma: SampleRange {
    @inline(__always) static func full(_ value: UInt8) -> UInt8 {
        let distance = UInt16(max(value, 128) &- min(value, 128))
        // distance * 31 / 224, with eight bits behind the point.
        let more = UInt16(truncatingIfNeeded: (UInt32(distance &<< 8) &* 9_074) &>> 16)
        let stretched = distance &+ (more &+ 128) &>> 8
        let below = UInt8(truncatingIfNeeded: 128 &- min(128, stretched))
        let above = UInt8(truncatingIfNeeded: 128 &+ min(127, stretched))
        return value < 128 ? below : above
    }
}
