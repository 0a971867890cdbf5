package import Media

/// What is known about a picture, to be written into it.
package struct EXIFFields: Equatable, Sendable {
    /// When the picture was taken.
    package var time: CaptureTime
    package var make: String
    package var model: String
    package var software: String
    package var orientation: Orientation
    /// Stored pixels.
    package var width: Int
    /// Stored pixels.
    package var height: Int
    /// Microseconds of exposure, where the camera told.
    package var exposureMicroseconds: Int?
    /// ISO speed, where the camera told.
    package var isoSpeed: Int?
    /// Whether the flash fired; nil where there is none.
    package var flashFired: Bool?
    /// Only ever set where the person granted it.
    package var location: Location?

    /// The fields without which no picture is written.
    package init(
        time: CaptureTime,
        make: String,
        model: String,
        software: String,
        orientation: Orientation = .up,
        width: Int,
        height: Int
    ) {
        self.time = time
        self.make = make
        self.model = model
        self.software = software
        self.orientation = orientation
        self.width = width
        self.height = height
    }
}

/// Puts EXIF into a JPEG without touching the picture: only segments before the scan change.
///
/// Source: CIPA DC-008 (EXIF 2.32); TIFF 6.0 for the directory.
package enum EXIFWriter {
    /// The picture with an APP1 Exif segment right after its start.
    ///
    /// An Exif segment that is there is replaced, and so is the `AVI1` segment that motion-JPEG frames carry; a JFIF
    /// segment is dropped too, because both claim the first place (EXIF 2.32, 4.5.5). Other segments stay.
    ///
    /// - Throws: `notJPEG`; `segmentTooLong` when the texts are absurdly long.
    package static func written(_ fields: EXIFFields, into jpeg: [UInt8]) throws(JPEGError) -> [UInt8] {
        let parts = try JPEGSegments(jpeg)
        let payload = Array("Exif\0\0".utf8) + block(fields)
        let length = payload.count + 2
        guard length <= 65_535 else { throw JPEGError(.segmentTooLong, "\(length) bytes of EXIF") }

        var result: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)]
        result.reserveCapacity(jpeg.count + length)
        result += payload
        var position = 2
        for segment in parts.segments where isReplaced(segment, in: jpeg) {
            result += jpeg[position..<segment.start]
            position = segment.end
        }
        result += jpeg[position...]
        return result
    }

    private static func isReplaced(_ segment: JPEGSegments.Segment, in jpeg: [UInt8]) -> Bool {
        let payload = jpeg[segment.payload]
        switch segment.marker {
        case 0xE0: return payload.starts(with: "AVI1".utf8) || payload.starts(with: "JFIF\0".utf8)
        case 0xE1: return payload.starts(with: "Exif\0".utf8)
        default: return false
        }
    }

    /// The block alone, as PNG has it: a TIFF structure with the EXIF directory and no pixels.
    static func block(_ fields: EXIFFields) -> [UInt8] {
        let (main, exif, gps) = directories(fields)
        return TIFFDirectory.file(main: main, exif: exif, gps: gps)
    }

    /// What is known about a picture: the main directory, the exposure's, and the place's where there is one.
    static func directories(_ fields: EXIFFields) -> (main: TIFFDirectory, exif: TIFFDirectory, gps: TIFFDirectory?) {
        var main = TIFFDirectory()
        main.add(0x010F, text: fields.make)
        main.add(0x0110, text: fields.model)
        main.add(0x0112, short: UInt16(fields.orientation.rawValue))
        main.add(0x011A, rational: (72, 1))
        main.add(0x011B, rational: (72, 1))
        main.add(0x0128, short: 2)
        main.add(0x0131, text: fields.software)
        main.add(0x0132, text: fields.time.exifText)
        main.add(0x0213, short: 1)

        var picture = TIFFDirectory()
        if let exposure = fields.exposureMicroseconds, exposure > 0, exposure <= Int(UInt32.max) {
            picture.add(0x829A, rational: (UInt32(exposure), 1_000_000))
        }
        if let speed = fields.isoSpeed, speed > 0 {
            picture.add(0x8827, short: UInt16(clamping: speed))
        }
        picture.add(0x9000, undefined: Array("0232".utf8))
        picture.add(0x9003, text: fields.time.exifText)
        picture.add(0x9004, text: fields.time.exifText)
        picture.add(0x9010, text: fields.time.offsetText)
        picture.add(0x9011, text: fields.time.offsetText)
        picture.add(0x9012, text: fields.time.offsetText)
        picture.add(0x9101, undefined: [1, 2, 3, 0])
        if let fired = fields.flashFired {
            picture.add(0x9209, short: fired ? 1 : 0)
        }
        picture.add(0x9290, text: fields.time.fractionText)
        picture.add(0x9291, text: fields.time.fractionText)
        picture.add(0x9292, text: fields.time.fractionText)
        picture.add(0xA000, undefined: Array("0100".utf8))
        picture.add(0xA001, short: 1)
        picture.add(0xA002, long: UInt32(clamping: fields.width))
        picture.add(0xA003, long: UInt32(clamping: fields.height))

        return (main, picture, fields.location.map(gps))
    }

    private static func gps(_ location: Location) -> TIFFDirectory {
        var place = TIFFDirectory()
        place.add(0x0000, bytes: [2, 3, 0, 0])
        place.add(0x0001, text: location.latitude < 0 ? "S" : "N")
        place.add(0x0002, rationals: sexagesimal(location.latitude))
        place.add(0x0003, text: location.longitude < 0 ? "W" : "E")
        place.add(0x0004, rationals: sexagesimal(location.longitude))
        if let altitude = location.altitude {
            place.add(0x0005, bytes: [altitude < 0 ? 1 : 0])
            let millimetres = min(altitude.magnitude * 1000 + 0.5, Double(UInt32.max))
            place.add(0x0006, rational: (UInt32(millimetres), 1000))
        }
        return place
    }

    /// Degrees, minutes and seconds; seconds to a hundred-thousandth, which is less than a millimetre.
    private static func sexagesimal(_ degrees: Double) -> [(UInt32, UInt32)] {
        let unit = 100_000
        let total = Int(degrees.magnitude * 3600 * Double(unit) + 0.5)
        let (whole, rest) = total.quotientAndRemainder(dividingBy: 3600 * unit)
        let (minutes, seconds) = rest.quotientAndRemainder(dividingBy: 60 * unit)
        return [(UInt32(whole), 1), (UInt32(minutes), 1), (UInt32(seconds), UInt32(unit))]
    }
}
