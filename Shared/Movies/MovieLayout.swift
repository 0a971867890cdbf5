import Media

/// Where things lie in the files that `MovieWriter` makes.
struct MovieLayout {
    static let placeholderByteCount: Int64 = 16
    /// No `ftyp` box of ours is longer.
    static let mostTypeByteCount: Int64 = 64

    /// Bytes of the `ftyp` box, and so the offset of the placeholder.
    let placeholderStart: Int64

    /// The layout of a file whose `ftyp` box has so many bytes.
    init(placeholderStart: Int64) { self.placeholderStart = placeholderStart }

    /// The `ftyp` box and a `free` box of 16 bytes, which is what the head of an `mdat` with a 64-bit size takes.
    static func prologue(_ container: FilmContainer, _ pictures: MoviePictures) -> [UInt8] {
        var builder = BoxBuilder()
        builder.box("ftyp") { type in
            for (index, brand) in brands(container, pictures).enumerated() {
                type.append(brand)
                if index == 0 { type.append(UInt32(0x200)) }
            }
        }
        builder.box("free") { $0.appendZeros(8) }
        return builder.bytes
    }

    /// The major brand and the compatible ones, itself among them.
    ///
    /// ISO/IEC 14496-12 annex E: `iso6` has fragments whose offsets count from their own start, `isom` and `mp41` is what
    /// the finished file is for players that know no fragments; ISO/IEC 14496-15 has `avc1`.
    private static func brands(_ container: FilmContainer, _ pictures: MoviePictures) -> [FourCharacterCode] {
        switch container {
        case .mov: ["qt  ", "qt  "]
        case .mp4: ["isom", "isom", "iso6"] + (pictures.hasKeys ? ["avc1"] : []) + ["mp41"]
        }
    }

    /// Appends the index, makes it durable, and only then turns the placeholder into the head of an `mdat` box.
    ///
    /// Returns the size of the file.
    func finish<File: MovieFile & ~Copyable>(
        head: MovieHead,
        samples: FrameIndex,
        sound: SoundIndex?,
        end: Int64,
        file: inout File
    ) throws(MovieError) -> Int64 {
        let movie = head.finalMovie(samples, sound)
        try file.write([movie], at: end)
        try file.truncate(to: end + Int64(movie.count))
        try file.synchronise()
        var placeholder = BoxBuilder()
        placeholder.append(UInt32(1))
        placeholder.append("mdat" as FourCharacterCode)
        placeholder.append(UInt64(end - placeholderStart))
        try file.write([placeholder.bytes], at: placeholderStart)
        try file.synchronise()
        return end + Int64(movie.count)
    }
}
