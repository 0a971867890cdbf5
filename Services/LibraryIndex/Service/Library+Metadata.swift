private import Media
private import MessageSchema
private import SQLite

extension Library {
    /// What is known of an asset's metadata, by dictionary and name; nil for a file that nobody understands.
    ///
    /// The index has the last word: what was given at the save is in it.
    func metadata(of record: AssetRecord, showsLocation: Bool) async throws -> [String: [String: String]]? {
        let digest = record.digest
        let report = try await database.perform { try ContentTable(connection: $0).report(of: digest) }
        guard record.kind != .unknown, let report else { return nil }
        var all: [String: [String: String]] = [:]
        all["{TIFF}"] = [
            "Make": record.cameraMake, "Model": record.cameraModel, "Orientation": "\(record.orientation.rawValue)",
        ].compactMapValues(\.self)
        all["{Exif}"] = [
            "DateTimeOriginal": record.date?.raw,
            "OffsetTimeOriginal": record.date?.offsetMinutes.map(Self.offset),
            "LensModel": report.lensModel,
            "ExposureTime": report.exposureTime.map { "\($0)" },
            "FNumber": report.aperture.map { "\($0)" },
            "ISOSpeedRatings": report.sensitivity.map { "\($0)" },
            "FocalLength": report.focalLength.map { "\($0)" },
            "PixelXDimension": record.storedWidth > 0 ? "\(record.storedWidth)" : nil,
            "PixelYDimension": record.storedHeight > 0 ? "\(record.storedHeight)" : nil,
        ].compactMapValues(\.self)
        if showsLocation, let location = record.location {
            all["{GPS}"] = [
                "Latitude": "\(location.latitude)", "Longitude": "\(location.longitude)",
                "Altitude": location.altitude.map { "\($0)" },
            ].compactMapValues(\.self)
        }
        if record.kind == .video {
            all["{Movie}"] = [
                "Duration": record.duration.map { "\($0)" }, "FrameRate": report.frameRate.map { "\($0)" },
                "Codec": report.codec,
            ].compactMapValues(\.self)
        }
        return all.filter { !$0.value.isEmpty }
    }

    /// As EXIF writes it: `+02:00`.
    private static func offset(_ minutes: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let size = Int(minutes.magnitude)
        return (minutes < 0 ? "-" : "+") + two(size / 60) + ":" + two(size % 60)
    }
}
