import Containers

/// Where the items of a `meta` box lie in the file.
///
/// Source: ISO/IEC 14496-12 clause 8.11.3 (`iloc`).
struct ItemExtents {
    /// One part of an item.
    struct Place {
        let item: UInt32
        let range: Range<Int64>
        /// Whether the item has no other part.
        let isOnly: Bool
    }

    private static let maximumCount = 1 << 18

    private(set) var all: [Place] = []
    private let table: RandomAccessBytes
    private var position: Int64 = 0

    /// Reads the table.
    ///
    /// - Throws: `damaged` when parts are not in the file; `unknownPart` for items made of items.
    init(_ table: RandomAccessBytes, inside: BoxEdit.Part?, in byteCount: Int64) throws(RedactionError) {
        self.table = table
        let head = try table.exactly(6, at: 0, of: "the places of items")
        let version = head.bytes[0]
        guard version <= 2, let sizes = head.uint16(4) else { throw RedactionError(.unknownPart, "places of items") }
        let widths = [12, 8, 4, 0].map { Int(sizes >> $0) & 0xF }
        position = 6
        let count = try number(version < 2 ? 2 : 4)
        guard count <= Self.maximumCount else { throw RedactionError(.tooLarge, "items") }
        for _ in 0..<count {
            let id = try number(version < 2 ? 2 : 4)
            let method = version > 0 ? try number(2) & 0xF : 0
            _ = try number(2)
            let base = try number(widths[2])
            let extents = try number(2)
            guard method <= 1 else { throw RedactionError(.unknownPart, "an item made of items") }
            guard all.count + Int(extents) <= Self.maximumCount else { throw RedactionError(.tooLarge, "items") }
            let start = method == 1 ? inside?.payloadStart ?? byteCount : 0
            let end = method == 1 ? inside?.end ?? byteCount : byteCount
            for _ in 0..<extents {
                if version > 0, widths[3] > 0 { _ = try number(widths[3]) }
                let offset = try number(widths[0])
                let length = try number(widths[1])
                guard base < 1 << 60, offset < 1 << 60, length < 1 << 60 else {
                    throw RedactionError(.damaged, "the places of items")
                }
                let low = start + Int64(base + offset)
                let high = length == 0 ? end : low + Int64(length)
                guard low <= high, high <= end else { throw RedactionError(.damaged, "an item ends too early") }
                all.append(Place(item: UInt32(truncatingIfNeeded: id), range: low..<high, isOnly: extents == 1))
            }
        }
    }

    /// The next number of 0, 2, 4 or 8 bytes; one of none is zero.
    private mutating func number(_ width: Int) throws(RedactionError) -> UInt64 {
        guard width > 0 else { return 0 }
        let fields = try table.exactly(width, at: position, of: "the places of items")
        position += Int64(width)
        return fields.bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
