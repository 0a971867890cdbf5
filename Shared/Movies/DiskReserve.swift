/// What a movie leaves free on its disk, beside room for its own end and for a copy of the whole.
package struct DiskReserve: Sendable {
    /// Bytes beside that room.
    package let byteCount: Int64
    /// Bytes that are free; nil to ask the disk of the movie's file.
    package let free: (@Sendable () -> Int64?)?

    /// A reserve of so many bytes, on the movie's own disk unless told otherwise.
    package init(byteCount: Int64, free: (@Sendable () -> Int64?)? = nil) {
        self.byteCount = byteCount
        self.free = free
    }

    /// Whether a movie of so many bytes still leaves enough free.
    ///
    /// - Parameters:
    ///   - free: Bytes that are free when it has as many.
    ///   - size: Bytes of the movie without its end.
    ///   - end: Bytes of its end at most: the movie itself still needs them, and so does its copy.
    /// - Returns: Whether it does.
    func isKept(free: Int64, size: Int64, end: Int64) -> Bool {
        let (needed, overflow) = (size + 2 * end).addingReportingOverflow(byteCount)
        return !overflow && free >= needed
    }
}
