/// The four bytes that name a box, a brand or a sample format, as in `moov`.
///
/// Source: ISO/IEC 14496-12 clause 4.2; QuickTime File Format, "Atoms".
package struct FourCharacterCode: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The four bytes, big-endian.
    package let rawValue: UInt32

    /// The code with these four bytes, big-endian.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The code with these four ASCII characters; any other literal is a programmer's error and traps.
    package init(stringLiteral value: StaticString) {
        precondition(value.utf8CodeUnitCount == 4, "A four-character code has four characters.")
        rawValue = value.withUTF8Buffer { bytes in
            unsafe bytes.reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// The four characters; bytes that are not printable ASCII are shown as `?`.
    package var description: String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> UInt32($0)) }
        return String(decoding: bytes.map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}

/// The head of one box: its name and where it and its payload lie.
///
/// Source: ISO/IEC 14496-12 clause 4.2: a 32-bit size, the name, and a 64-bit size when the first is 1; size 0 means
/// "to the end of the file".
package struct BoxHeader: Equatable, Sendable {
    /// How many bytes at a box's start decide its head at most.
    package static let maximumByteCount = 16

    /// The box's name.
    package let name: FourCharacterCode

    /// Offset of the box's first byte, in bytes, in what was parsed.
    package let start: Int64

    /// Bytes of the head itself: 8 or 16.
    package let headerByteCount: Int64

    /// Bytes of the whole box, its head included.
    package let byteCount: Int64

    /// Offset of the first byte of the payload.
    package var payloadStart: Int64 { start + headerByteCount }

    /// Bytes of the payload.
    package var payloadByteCount: Int64 { byteCount - headerByteCount }

    /// Offset of the first byte after the box.
    package var end: Int64 { start + byteCount }

    /// Reads the head of the box that starts at `start`.
    ///
    /// `bytes` holds what lies there, up to `maximumByteCount` bytes; `limit` is the offset of the end of the file or of
    /// the box around it. The answer is nil where no box can be: fewer than eight bytes left, or a size smaller than the
    /// head. **A size beyond `limit` is returned as it stands** (a box cut short): compare `end` with the limit.
    package init?(_ bytes: ArraySlice<UInt8>, start: Int64, limit: Int64) {
        guard bytes.count >= 8, limit - start >= 8 else { return nil }
        let size = BoxHeader.bigEndian(bytes.prefix(4))
        name = FourCharacterCode(
            rawValue: UInt32(truncatingIfNeeded: BoxHeader.bigEndian(bytes.dropFirst(4).prefix(4)))
        )
        self.start = start
        switch size {
        case 0:
            headerByteCount = 8
            byteCount = limit - start
        case 1:
            guard bytes.count >= 16 else { return nil }
            let large = BoxHeader.bigEndian(bytes.dropFirst(8).prefix(8))
            guard large >= 16, large <= UInt64(Int64.max - start) else { return nil }
            headerByteCount = 16
            byteCount = Int64(large)
        default:
            guard size >= 8 else { return nil }
            headerByteCount = 8
            byteCount = Int64(size)
        }
    }

    /// The heads of the boxes in `payload`, in order, up to the first place where none can be or one is cut short.
    ///
    /// Offsets count from the start of `payload`.
    package static func children(of payload: ArraySlice<UInt8>) -> [BoxHeader] {
        var found: [BoxHeader] = []
        var position = payload.startIndex
        while position < payload.endIndex {
            let start = Int64(position - payload.startIndex)
            let head = payload[position...].prefix(maximumByteCount)
            guard let box = BoxHeader(head, start: start, limit: Int64(payload.count)), box.end <= payload.count else {
                break
            }
            found.append(box)
            position = payload.startIndex + Int(box.end)
        }
        return found
    }

    private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
