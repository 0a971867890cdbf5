/// Builds EXIF blocks, big-endian, with whatever a test wants to see wrong in them.
struct MetadataBlock {
    enum Value {
        case text(String)
        case short(UInt16)
        case long(UInt32)
        case byte(UInt8)
        case fractions([(UInt32, UInt32)])
    }

    var main: [UInt16: Value] = [:]
    var exposure: [UInt16: Value] = [:]
    var place: [UInt16: Value] = [:]

    var bytes: [UInt8] {
        var main = main
        main[0x8769] = .long(0)
        main[0x8825] = .long(0)
        // The pointers have a fixed size, so the places do not move when they are filled in.
        let exposureStart = 8 + Self.directory(main, at: 8).count
        main[0x8769] = .long(UInt32(exposureStart))
        let exposureBytes = Self.directory(exposure, at: exposureStart)
        main[0x8825] = .long(UInt32(exposureStart + exposureBytes.count))
        let placeBytes = Self.directory(place, at: exposureStart + exposureBytes.count)
        return [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] + Self.directory(main, at: 8) + exposureBytes + placeBytes
    }

    private static func directory(_ entries: [UInt16: Value], at start: Int) -> [UInt8] {
        var head = big(UInt16(entries.count))
        var values: [UInt8] = []
        let valuesStart = start + 2 + entries.count * 12 + 4
        for (tag, value) in entries.sorted(by: { $0.key < $1.key }) {
            let (type, count, bytes) = encoded(value)
            head += big(tag) + big(type) + big(UInt32(count))
            if bytes.count <= 4 {
                head += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
            } else {
                head += big(UInt32(valuesStart + values.count))
                values += bytes
            }
        }
        return head + [0, 0, 0, 0] + values
    }

    private static func encoded(_ value: Value) -> (UInt16, Int, [UInt8]) {
        switch value {
        case .text(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
        case .short(let number): (3, 1, big(number))
        case .long(let number): (4, 1, big(number))
        case .byte(let number): (1, 1, [number])
        case .fractions(let parts): (5, parts.count, parts.flatMap { big($0.0) + big($0.1) })
        }
    }

    static func big(_ number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
