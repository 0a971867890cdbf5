private import Containers

extension Redaction {
    /// More pieces than any real film needs.
    static let maximumPieceCount = 1 << 20

    /// The pieces as bytes: for each a kind (0 source, 1 literal, 2 zeros), two 64-bit numbers (offset and count,
    /// big-endian), and the bytes of a literal.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        func add(_ kind: UInt8, _ offset: Int64, _ count: Int64) {
            bytes.append(kind)
            for number in [offset, count] {
                bytes += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Int64($0)) }
            }
        }
        for piece in pieces {
            switch piece {
            case .source(let range): add(0, range.lowerBound, Int64(range.count))
            case .literal(let literal):
                add(1, 0, Int64(literal.count))
                bytes += literal
            case .zeros(let count): add(2, 0, count)
            }
        }
        return bytes
    }

    /// Reads what `encoded` gives; nil for anything else, for pieces outside an original of this size, and for more bytes
    /// than the original and the new ones have together: nothing is taken out by adding zeros.
    package init?(encoded bytes: [UInt8], ofSourceWith sourceByteCount: Int64) {
        self.init()
        let fields = ByteFields(bytes)
        var position = 0
        while position < bytes.count {
            guard let kind = fields.uint8(position),
                let offset = fields.uint64(position + 1).flatMap(Int64.init(exactly:)),
                let count = fields.uint64(position + 9).flatMap(Int64.init(exactly:)), count > 0,
                count <= Int64.max / 4 - byteCount, pieces.count < Self.maximumPieceCount
            else { return nil }
            position += 17
            switch kind {
            case 0:
                guard offset <= sourceByteCount, count <= sourceByteCount - offset else { return nil }
                append(.source(offset..<offset + count))
            case 1:
                guard count <= bytes.count - position else { return nil }
                append(.literal(Array(bytes[position..<position + Int(count)])))
                position += Int(count)
            case 2: append(.zeros(count))
            default: return nil
            }
            guard byteCount <= sourceByteCount + Int64(bytes.count) else { return nil }
        }
    }
}
