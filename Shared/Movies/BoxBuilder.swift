/// Bytes of boxes under construction, big-endian, nested by closures.
package struct BoxBuilder: Sendable {
    /// What was built so far.
    package private(set) var bytes: [UInt8] = []

    /// An empty builder.
    package init() {}

    /// Appends a box whose payload the closure appends; its 32-bit size is filled in afterwards.
    ///
    /// A payload of 4 GiB is a programmer's error and traps: only `mdat` can be that large, and it is not built here.
    package mutating func box(_ name: FourCharacterCode, _ payload: (inout BoxBuilder) -> Void) {
        let start = bytes.count
        append(UInt32(0))
        append(name)
        payload(&self)
        let size = UInt32(bytes.count - start)
        for index in 0..<4 {
            bytes[start + index] = UInt8(truncatingIfNeeded: size >> UInt32(24 - 8 * index))
        }
    }

    /// Appends a "full box": a box that starts with a version and 24 bits of flags.
    package mutating func fullBox(
        _ name: FourCharacterCode,
        version: UInt8 = 0,
        flags: UInt32 = 0,
        _ payload: (inout BoxBuilder) -> Void
    ) {
        box(name) { builder in
            builder.append(UInt32(version) << 24 | flags & 0xFF_FFFF)
            payload(&builder)
        }
    }

    /// Appends a whole number, big-endian.
    package mutating func append(_ value: some FixedWidthInteger) {
        var shift = value.bitWidth
        while shift > 0 {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Appends a four-character code.
    package mutating func append(_ code: FourCharacterCode) {
        append(code.rawValue)
    }

    /// Appends bytes as they are.
    package mutating func append(contentsOf more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }

    /// Appends this many zero bytes.
    package mutating func appendZeros(_ count: Int) {
        bytes.append(contentsOf: repeatElement(0, count: count))
    }
}
