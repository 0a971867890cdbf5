private import Glibc

/// A wall-clock instant: microseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Wall clocks jump; use `BootInstant` or a `Clock` to measure how long something took.
package struct Timestamp: Hashable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z; negative before it.
    package var microseconds: Int64

    /// The instant that many microseconds after 1970-01-01T00:00:00Z.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The instant that many seconds after 1970-01-01T00:00:00Z.
    package init(seconds: Int64) {
        microseconds = seconds * 1_000_000
    }

    /// Reads CLOCK_REALTIME (clock_gettime(2)).
    package static func now() -> Timestamp {
        let time = ClockReading.read(CLOCK_REALTIME)
        return Timestamp(microseconds: time.seconds * 1_000_000 + time.nanoseconds / 1000)
    }
}

extension Timestamp: Comparable {
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The instant later by `duration`, which is cut to whole microseconds.
    package static func + (instant: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: instant.microseconds + duration.wholeMicroseconds)
    }

    /// The instant earlier by `duration`, which is cut to whole microseconds.
    package static func - (instant: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: instant.microseconds - duration.wholeMicroseconds)
    }

    /// The time from `earlier` to `later`.
    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .microseconds(later.microseconds - earlier.microseconds)
    }
}

/// As RFC 3339 text in a JSON string.
extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Timestamp(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an RFC 3339 date and time")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Duration {
    /// The duration in microseconds, cut towards zero.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }

    /// The duration in milliseconds, cut towards zero.
    package var wholeMilliseconds: Int64 {
        wholeMicroseconds / 1000
    }
}
