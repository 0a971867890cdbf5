private import Containers
private import Media
package import MessageSchema

extension SaveMetadata {
    /// The same with its times and its place as the library keeps them.
    ///
    /// - Throws: `LibraryError`: `invalidArgument` for a text that is too long or has control characters, a time that is
    ///   none, or a place that is not on the Earth.
    package func checked() throws -> SaveMetadata {
        var checked = self
        try Self.check(cameraMake, "cameraMake")
        try Self.check(cameraModel, "cameraModel")
        checked.date = try date.map { try Self.checked($0) }
        if let location {
            let place = Location(
                latitude: location.latitude,
                longitude: location.longitude,
                altitude: location.altitude
            )
            guard let place else { throw Self.wrong("location", "a place on the Earth") }
            checked.location = place
        }
        return checked
    }

    private static func wrong(_ field: String, _ rule: String) -> LibraryError {
        LibraryError(.invalidArgument(parameter: "metadata.\(field)", rule: rule))
    }

    private static func check(_ text: String?, _ name: String) throws {
        guard let text else { return }
        guard text.utf8.count <= TextBounds.metadataBytes, !text.hasControls else {
            throw wrong(name, "of at most \(TextBounds.metadataBytes) bytes without control characters")
        }
    }

    private static func checked(_ date: AssetDate) throws -> AssetDate {
        try check(date.raw, "date.raw")
        var checked = date
        if let local = date.local {
            guard let clock = WallClock(canonical: local) else {
                throw wrong("date.local", "a wall clock such as 2026-11-30T03:45:00")
            }
            checked.local = clock.text
        }
        if let utc = date.utc {
            guard let text = WallClock.utc(reading: utc) else {
                throw wrong("date.utc", "an RFC 3339 time")
            }
            checked.utc = text
        }
        if let minutes = date.offsetMinutes, minutes.magnitude > 14 * 60 {
            throw wrong("date.offsetMinutes", "from -840 to 840")
        }
        return checked
    }
}
