import Containers

/// Where the items of a `meta` box lie (ISO/IEC 14496-12 clause 8.11.3, `iloc`).
struct ItemLocations {
    /// The parts of one item.
    struct Place {
        var parts: [RandomAccessBytes] = []
        var isCutShort = false
    }

    private(set) var found: [UInt32: Place] = [:]
    private let table: RandomAccessBytes
    private var position: Int64 = 0

    /// Reads the table; `inside` is the payload of `idat`.
    init(_ table: RandomAccessBytes, file: RandomAccessBytes, inside: RandomAccessBytes?) {
        self.table = table
        guard let head = table.fields(at: 0, count: 6), let version = head.uint8(0), version <= 2,
            let sizes = head.uint16(4)
        else { return }
        let widths = [12, 8, 4, 0].map { Int(sizes >> $0) & 0xF }
        position = 6
        guard let count = number(version < 2 ? 2 : 4) else { return }
        for _ in 0..<min(Int(count), HEIFReader.maximumItemCount) {
            guard let id = number(version < 2 ? 2 : 4), let method = version > 0 ? number(2) : 0, number(2) != nil,
                let base = number(widths[2]), let extents = number(2)
            else { return }
            var place = Place()
            for _ in 0..<Int(extents) {
                if version > 0, widths[3] > 0 { _ = number(widths[3]) }
                guard let offset = number(widths[0]), let length = number(widths[1]) else { return }
                let source = method & 0xF == 1 ? inside : method & 0xF == 0 ? file : nil
                let start = Int64(clamping: base.addingReportingOverflow(offset).partialValue)
                let wanted = length == 0 ? Int64.max : Int64(clamping: length)
                let part = (source ?? RandomAccessBytes([])).part(at: start, count: wanted)
                place.isCutShort = place.isCutShort || part.count == 0 || (length > 0 && part.count < wanted)
                place.parts.append(part)
            }
            found[UInt32(truncatingIfNeeded: id)] = place
        }
    }

    /// The next number of 0, 2, 4 or 8 bytes; one of none is zero.
    private mutating func number(_ width: Int) -> UInt64? {
        guard width > 0 else { return 0 }
        guard let fields = table.fields(at: position, count: width) else { return nil }
        position += Int64(width)
        return fields.bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
