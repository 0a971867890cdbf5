/// An image file directory under construction, little-endian.
///
/// Source: TIFF 6.0, section 2. Entries are sorted by tag when they are written, as it demands.
struct TIFFDirectory {
    private struct Entry {
        let tag, type: UInt16
        let count: UInt32
        let value: [UInt8]
    }

    private var entries: [Entry] = []

    /// ASCII with its closing zero; other characters become `?`, control characters go.
    mutating func add(_ tag: UInt16, text: String) {
        let bytes = text.unicodeScalars.compactMap { scalar -> UInt8? in
            scalar.value < 0x20 ? nil : scalar.isASCII && scalar.value != 0x7F ? UInt8(scalar.value) : 0x3F
        }
        append(tag, type: 2, count: bytes.count + 1, bytes + [0])
    }

    mutating func add(_ tag: UInt16, bytes: [UInt8]) {
        append(tag, type: 1, count: bytes.count, bytes)
    }

    mutating func add(_ tag: UInt16, short value: UInt16) {
        add(tag, shorts: [value])
    }

    mutating func add(_ tag: UInt16, shorts: [UInt16]) {
        append(tag, type: 3, count: shorts.count, shorts.flatMap { Self.little($0) })
    }

    mutating func add(_ tag: UInt16, long value: UInt32) {
        append(tag, type: 4, count: 1, Self.little(value))
    }

    mutating func add(_ tag: UInt16, rational value: (UInt32, UInt32)) {
        add(tag, rationals: [value])
    }

    mutating func add(_ tag: UInt16, rationals: [(UInt32, UInt32)]) {
        append(tag, type: 5, count: rationals.count, rationals.flatMap { Self.little($0.0) + Self.little($0.1) })
    }

    mutating func add(_ tag: UInt16, undefined bytes: [UInt8]) {
        append(tag, type: 7, count: bytes.count, bytes)
    }

    /// A TIFF header, the main directory, and the EXIF and GPS directories that it points to.
    static func file(main: TIFFDirectory, exif: TIFFDirectory, gps: TIFFDirectory?) -> [UInt8] {
        var main = main
        // The pointers' values are not known yet, but their presence decides how long the main directory is.
        main.add(0x8769, long: 0)
        if gps != nil { main.add(0x8825, long: 0) }
        let exifStart = 8 + main.byteCount
        let gpsStart = exifStart + exif.byteCount
        main.replace(0x8769, long: UInt32(exifStart))
        if gps != nil { main.replace(0x8825, long: UInt32(gpsStart)) }

        var bytes: [UInt8] = [0x49, 0x49, 0x2A, 0x00, 8, 0, 0, 0]
        bytes += main.serialized(at: 8)
        bytes += exif.serialized(at: exifStart)
        if let gps { bytes += gps.serialized(at: gpsStart) }
        return bytes
    }

    private var byteCount: Int {
        2 + 12 * entries.count + 4
            + entries.reduce(0) { $0 + ($1.value.count > 4 ? $1.value.count + $1.value.count % 2 : 0) }
    }

    private func serialized(at start: Int) -> [UInt8] {
        var head = Self.little(UInt16(entries.count))
        var overflow: [UInt8] = []
        let overflowStart = start + 2 + 12 * entries.count + 4
        for entry in entries.sorted(by: { $0.tag < $1.tag }) {
            head += Self.little(entry.tag) + Self.little(entry.type) + Self.little(entry.count)
            if entry.value.count <= 4 {
                head += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                head += Self.little(UInt32(overflowStart + overflow.count))
                overflow += entry.value
                if overflow.count % 2 == 1 { overflow.append(0) }
            }
        }
        return head + [0, 0, 0, 0] + overflow
    }

    private mutating func append(_ tag: UInt16, type: UInt16, count: Int, _ value: [UInt8]) {
        entries.append(Entry(tag: tag, type: type, count: UInt32(count), value: value))
    }

    mutating func replace(_ tag: UInt16, long value: UInt32) {
        entries.removeAll { $0.tag == tag }
        add(tag, long: value)
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
