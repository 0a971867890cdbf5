private import Containers
import Media

extension InspectionReport {
    /// The same with nothing in it that does not fit into the index or into a page: a worker has looked at bytes of a
    /// stranger, and its words are worth no more than they.
    var bounded: InspectionReport {
        var bounded = self
        bounded.reason = reason?.clipped(to: TextBounds.reasonBytes)
        bounded.cameraMake = cameraMake?.clipped(to: TextBounds.metadataBytes)
        bounded.cameraModel = cameraModel?.clipped(to: TextBounds.metadataBytes)
        bounded.lensModel = lensModel?.clipped(to: TextBounds.metadataBytes)
        bounded.exposureTime = Self.positive(exposureTime)
        bounded.aperture = Self.positive(aperture)
        bounded.focalLength = Self.positive(focalLength)
        bounded.frameRate = Self.positive(frameRate)
        bounded.sensitivity = sensitivity.flatMap { (1...100_000_000).contains($0) ? $0 : nil }
        bounded.uti = Self.isTypeIdentifier(uti) ? uti : "public.data"
        bounded.codec = codec?.clipped(to: 64)
        bounded.width = width.flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
        bounded.height = height.flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
        bounded.duration = duration.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        bounded.location = location.flatMap {
            Location(latitude: $0.latitude, longitude: $0.longitude, altitude: $0.altitude)
        }
        if let date {
            let minutes = date.offsetMinutes.flatMap { $0.magnitude <= 14 * 60 ? $0 : nil }
            bounded.date = AssetDate(
                raw: date.raw.clipped(to: TextBounds.metadataBytes),
                local: date.local.flatMap { WallClock(canonical: $0)?.text },
                offsetMinutes: minutes,
                offsetSource: minutes == nil ? .unknown : date.offsetSource,
                utc: date.utc.flatMap { WallClock.utc(reading: $0) }
            )
        }
        return bounded
    }

    private static func positive(_ number: Double?) -> Double? {
        number.flatMap { $0.isFinite && $0 > 0 && $0 < 1e9 ? $0 : nil }
    }

    private static func isTypeIdentifier(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2D || byte == 0x2E
            }
    }
}
