package import Containers
package import Media

/// The fields that `mvhd` and `mdhd` share: when it was made, and how long it is.
///
/// Source: ISO/IEC 14496-12 clauses 8.2.2 and 8.4.2. Times count seconds from 1904 in UTC; zero is "not known", and
/// so is a duration of all ones.
package struct BoxTimes {
    /// Seconds from 1904-01-01 to 1970-01-01.
    private static let epoch: Int64 = 2_082_844_800

    package let created: AssetDate?
    package let timescale: UInt32
    package let duration: UInt64?

    /// Seconds, where both numbers are known.
    package var seconds: Double? {
        guard timescale > 0, let duration else { return nil }
        return Double(duration) / Double(timescale)
    }

    /// Reads the payload of the box; nil if it is too short or of an unknown version.
    package init?(_ payload: RandomAccessBytes) {
        guard let version = payload.bytes(at: 0, count: 1).first,
            let fields = payload.fields(at: 0, count: version == 1 ? 32 : 20)
        else { return nil }
        let creation: UInt64
        let ticks: UInt64
        switch version {
        case 0:
            guard let seconds = fields.uint32(4), let scale = fields.uint32(12), let length = fields.uint32(16) else {
                return nil
            }
            (creation, timescale, ticks) = (UInt64(seconds), scale, length == .max ? .max : UInt64(length))
        case 1:
            guard let seconds = fields.uint64(4), let scale = fields.uint32(20), let length = fields.uint64(24) else {
                return nil
            }
            (creation, timescale, ticks) = (seconds, scale, length)
        default: return nil
        }
        duration = ticks == .max ? nil : ticks
        created = Self.date(creation)
    }

    /// The container's time; one that would lie before 1970 was counted from 1970 by its writer, as ExifTool knows too.
    private static func date(_ seconds: UInt64) -> AssetDate? {
        guard seconds > 0, let count = Int64(exactly: seconds) else { return nil }
        let clock = WallClock(secondsSince1970: count >= epoch ? count - epoch : count)
        return clock.map {
            AssetDate(
                raw: String(seconds),
                local: $0.text,
                offsetMinutes: 0,
                offsetSource: .container,
                utc: $0.text + "Z"
            )
        }
    }
}
