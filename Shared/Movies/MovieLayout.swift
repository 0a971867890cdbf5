/// Where things lie in the files that `MovieWriter` makes.
struct MovieLayout {
    /// Bytes of the `ftyp` box, and so the offset of the placeholder.
    static let placeholderStart: Int64 = 20
    static let placeholderByteCount: Int64 = 16

    /// The `ftyp` box and a `free` box of 16 bytes, which is what the head of an `mdat` with a 64-bit size takes.
    var prologue: [UInt8] {
        var builder = BoxBuilder()
        builder.box("ftyp") { type in
            type.append("qt  " as FourCharacterCode)
            type.append(UInt32(0x200))
            type.append("qt  " as FourCharacterCode)
        }
        builder.box("free") { $0.appendZeros(8) }
        return builder.bytes
    }

    /// Appends the index, makes it durable, and only then turns the placeholder into the head of an `mdat` box.
    ///
    /// Returns the size of the file.
    func finish<File: MovieFile & ~Copyable>(
        head: MovieHead,
        samples: FrameIndex,
        end: Int64,
        file: inout File
    ) throws(MovieError) -> Int64 {
        let movie = head.finalMovie(samples)
        try file.write([movie], at: end)
        try file.truncate(to: end + Int64(movie.count))
        try file.synchronise()
        var placeholder = BoxBuilder()
        placeholder.append(UInt32(1))
        placeholder.append("mdat" as FourCharacterCode)
        placeholder.append(UInt64(end - Self.placeholderStart))
        try file.write([placeholder.bytes], at: Self.placeholderStart)
        try file.synchronise()
        return end + Int64(movie.count)
    }
}
