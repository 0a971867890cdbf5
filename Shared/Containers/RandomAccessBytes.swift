/// Bytes of known length that are read in small pieces at any offset: a file, a part of one, or an array.
///
/// Nothing here fails: what lies beyond the end, or could not be read, is simply not there. So a reader of hostile
/// files has one way to find too little, and no arithmetic of its own that could overflow.
package struct RandomAccessBytes {
    /// How many bytes there are.
    package let count: Int64
    private let start: Int64
    private let read: (Int64, Int) -> [UInt8]

    /// Bytes that a closure reads.
    ///
    /// - Parameters:
    ///   - count: The length; a negative one counts as zero.
    ///   - read: Gives up to so many bytes at an offset that lies inside; may block; fewer bytes mean an error.
    package init(count: Int64, read: @escaping (_ offset: Int64, _ count: Int) -> [UInt8]) {
        self.count = max(0, count)
        start = 0
        self.read = read
    }

    /// The bytes of an array.
    package init(_ bytes: [UInt8]) {
        self.init(count: Int64(bytes.count)) { offset, count in Array(bytes.dropFirst(Int(offset)).prefix(count)) }
    }

    private init(start: Int64, count: Int64, read: @escaping (Int64, Int) -> [UInt8]) {
        self.start = start
        self.count = count
        self.read = read
    }

    /// Up to `count` bytes at `offset`; fewer at the end, none outside.
    package func bytes(at offset: Int64, count wanted: Int) -> [UInt8] {
        guard offset >= 0, offset < count, wanted > 0 else { return [] }
        return read(start + offset, Int(min(Int64(wanted), count - offset)))
    }

    /// Exactly `count` bytes at `offset` as fields, or nil.
    package func fields(at offset: Int64, count wanted: Int, order: ByteOrder = .bigEndian) -> ByteFields? {
        let found = bytes(at: offset, count: wanted)
        return found.count == wanted ? ByteFields(found, order: order) : nil
    }

    /// The part that starts at `offset`, clipped to what is there; empty outside.
    package func part(at offset: Int64, count wanted: Int64 = .max) -> RandomAccessBytes {
        guard offset >= 0, offset < count, wanted > 0 else {
            return RandomAccessBytes(start: 0, count: 0, read: { _, _ in [] })
        }
        return RandomAccessBytes(start: start + offset, count: min(wanted, count - offset), read: read)
    }
}
