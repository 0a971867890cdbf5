import Movies

/// A movie file in memory that fails, or dies, on demand.
struct MemoryMovieFile: MovieFile {
    var bytes: [UInt8] = []
    /// The operation that fails, counted from 1, and with what.
    var failing: (operation: Int, code: MovieError.Code)?
    /// After so many written bytes nothing reaches the file any more, as if the process had been killed.
    var writtenLimit = Int.max
    private(set) var operations = 0
    private(set) var written = 0
    /// Bytes that the movie's end was said to have at most.
    private(set) var endByteCount: Int64 = 0
    /// Bytes of the file at the last sync.
    private(set) var durableByteCount = 0

    init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    mutating func write(_ parts: [[UInt8]], at offset: Int64) throws(MovieError) {
        try step()
        let taken = Array(parts.joined().prefix(writtenLimit - written))
        let gap = Int(offset) - bytes.count
        if gap > 0 { bytes += [UInt8](repeating: 0, count: gap) }
        bytes.replaceSubrange(Int(offset)..<min(bytes.count, Int(offset) + taken.count), with: taken)
        written += taken.count
    }

    func read(_ count: Int, at offset: Int64) throws(MovieError) -> [UInt8] {
        Array(bytes.dropFirst(Int(offset)).prefix(count))
    }

    mutating func synchroniseData() throws(MovieError) {
        try step()
        durableByteCount = bytes.count
    }

    mutating func synchronise() throws(MovieError) {
        try step()
        durableByteCount = bytes.count
    }

    mutating func truncate(to byteCount: Int64) throws(MovieError) {
        guard written < writtenLimit else { return }
        if byteCount < bytes.count { bytes.removeLast(bytes.count - Int(byteCount)) }
        while bytes.count < byteCount { bytes.append(0) }
    }

    func byteCount() throws(MovieError) -> Int64 {
        Int64(bytes.count)
    }

    mutating func keepRoom(forEnd byteCount: Int64) { endByteCount = byteCount }

    private mutating func step() throws(MovieError) {
        operations += 1
        if let failing, failing.operation == operations { throw MovieError(failing.code, errorNumber: 5) }
    }
}
