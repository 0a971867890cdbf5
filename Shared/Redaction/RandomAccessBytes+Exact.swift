import Containers

extension RandomAccessBytes {
    /// Exactly so many bytes.
    ///
    /// - Throws: `damaged` naming the part, when they are not there.
    func exactly(
        _ count: Int,
        at offset: Int64,
        of part: String,
        order: ByteOrder = .bigEndian
    ) throws(RedactionError) -> ByteFields {
        guard let found = fields(at: offset, count: count, order: order) else {
            throw RedactionError(.damaged, "\(part) ends too early")
        }
        return found
    }
}
