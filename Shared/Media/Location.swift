/// A place on the Earth in WGS 84; zero is a legal value of each component.
package struct Location: Hashable, Sendable, Codable {
    /// Degrees, north positive, from -90 to 90.
    package let latitude: Double
    /// Degrees, east positive, from -180 to 180.
    package let longitude: Double
    /// Metres above sea level.
    package let altitude: Double?

    /// Checks the ranges: a component that is out by less than a thousandth of a degree is clamped.
    ///
    /// - Returns: `nil` for a place that is not on the Earth, or not a number.
    package init?(latitude: Double, longitude: Double, altitude: Double? = nil) {
        guard let latitude = Self.clamp(latitude, to: 90), let longitude = Self.clamp(longitude, to: 180) else {
            return nil
        }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude.flatMap { $0.isFinite ? $0 : nil }
    }

    private static func clamp(_ value: Double, to limit: Double) -> Double? {
        guard value.isFinite, value.magnitude <= limit + 0.001 else { return nil }
        return min(max(value, -limit), limit)
    }
}
