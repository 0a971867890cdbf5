private import Media

/// The `meta` box with Apple's keys.
///
/// Source: QuickTime File Format, "Metadata": handler `mdta`, a `keys` box with the names, an `ilst` box with the values.
struct QuickTimeMetadata {
    let box: [UInt8]

    init(_ description: MovieDescription) {
        var items = [
            ("creationdate", description.time.quickTimeText),
            ("make", description.make),
            ("model", description.model),
            ("software", description.software),
        ]
        if let location = description.location {
            items.append(("location.ISO6709", Self.text(location)))
        }
        var builder = BoxBuilder()
        builder.box("meta") { meta in
            // A plain box in QuickTime, a full one in ISO/IEC 14496-12, 8.11.1.
            if description.container == .mp4 { meta.appendZeros(4) }
            meta.fullBox("hdlr") { handler in
                handler.appendZeros(4)
                handler.append("mdta" as FourCharacterCode)
                handler.appendZeros(13)
            }
            meta.fullBox("keys") { keys in
                keys.append(UInt32(items.count))
                for (key, _) in items {
                    keys.box("mdta") { $0.append(contentsOf: "com.apple.quicktime.\(key)".utf8) }
                }
            }
            meta.box("ilst") { list in
                for (index, item) in items.enumerated() {
                    list.box(FourCharacterCode(rawValue: UInt32(index + 1))) { entry in
                        entry.box("data") { data in
                            // Type 1 is UTF-8; the locale is unspecified.
                            data.append(UInt32(1))
                            data.append(UInt32(0))
                            data.append(contentsOf: item.1.utf8)
                        }
                    }
                }
            }
        }
        box = builder.bytes
    }

    /// ISO 6709 annex H as Apple's cameras write it: `+48.857700+002.295000+035.000/`.
    private static func text(_ location: Location) -> String {
        let altitude = location.altitude.map { decimal($0, whole: 3, fraction: 3) } ?? ""
        let latitude = decimal(location.latitude, whole: 2, fraction: 6)
        return latitude + decimal(location.longitude, whole: 3, fraction: 6) + altitude + "/"
    }

    private static func decimal(_ value: Double, whole: Int, fraction: Int) -> String {
        let unit = (0..<fraction).reduce(1) { unit, _ in unit * 10 }
        let scaled = Int(min(value.magnitude, 1e9) * Double(unit) + 0.5)
        let padded = { (number: Int, count: Int) in
            String(repeating: "0", count: max(0, count - String(number).count)) + String(number)
        }
        return (value < 0 ? "-" : "+") + padded(scaled / unit, whole) + "." + padded(scaled % unit, fraction)
    }
}
