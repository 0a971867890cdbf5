/// When a picture was taken or a film begun, with what is known about its offset and where that came from.
///
/// Nothing is guessed: a camera that wrote no offset leaves `offsetMinutes` and `utc` empty.
package struct AssetDate: Hashable, Sendable, Codable {
    /// Where the offset from UTC was found.
    package enum OffsetSource: String, Hashable, Sendable, Codable, CaseIterable {
        /// A tag of its own, such as `OffsetTimeOriginal`.
        case tag
        /// The difference to the time that GPS gave.
        case gps
        /// The container is defined to keep UTC (ISO/IEC 14496-12 `mvhd`).
        case container
        /// Not known.
        case unknown
    }

    /// The text as the file has it, or the container's number in decimal.
    package var raw: String
    /// The wall clock as `2026-11-30T03:45:00`, with a fraction where the file has one; no offset.
    package var local: String?
    /// Minutes east of UTC.
    package var offsetMinutes: Int?
    package var offsetSource: OffsetSource
    /// RFC 3339 with `Z`, when the offset is known.
    package var utc: String?

    package init(
        raw: String,
        local: String?,
        offsetMinutes: Int? = nil,
        offsetSource: OffsetSource = .unknown,
        utc: String? = nil
    ) {
        self.raw = raw
        self.local = local
        self.offsetMinutes = offsetMinutes
        self.offsetSource = offsetSource
        self.utc = utc
    }
}
