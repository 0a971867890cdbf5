/// Which byte of a number comes first.
package enum ByteOrder: Sendable {
    case bigEndian, littleEndian
}

/// Numbers and texts at fixed places of a few bytes; a place outside is nil, never a trap.
package struct ByteFields: Sendable {
    package let bytes: [UInt8]
    package let order: ByteOrder

    /// Fields in these bytes.
    package init(_ bytes: [UInt8], order: ByteOrder = .bigEndian) {
        self.bytes = bytes
        self.order = order
    }

    /// The byte at `index`.
    package func uint8(_ index: Int) -> UInt8? {
        bytes.indices.contains(index) ? bytes[index] : nil
    }

    /// The 16-bit number at `index`.
    package func uint16(_ index: Int) -> UInt16? { number(index, 2).map { UInt16(truncatingIfNeeded: $0) } }

    /// The 32-bit number at `index`.
    package func uint32(_ index: Int) -> UInt32? { number(index, 4).map { UInt32(truncatingIfNeeded: $0) } }

    /// The signed 32-bit number at `index`.
    package func int32(_ index: Int) -> Int32? { uint32(index).map { Int32(bitPattern: $0) } }

    /// The 64-bit number at `index`.
    package func uint64(_ index: Int) -> UInt64? { number(index, 8) }

    /// Whether these ASCII characters stand at `index`.
    package func has(_ text: StaticString, at index: Int) -> Bool {
        guard index >= 0, index <= bytes.count else { return false }
        return text.withUTF8Buffer { expected in unsafe bytes.dropFirst(index).starts(with: expected) }
    }

    private func number(_ index: Int, _ width: Int) -> UInt64? {
        guard index >= 0, index <= bytes.count - width else { return nil }
        let range = bytes[index..<index + width]
        return switch order {
        case .bigEndian: range.reduce(0) { $0 << 8 | UInt64($1) }
        case .littleEndian: range.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
