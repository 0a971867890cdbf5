/// One `moof` box: which frames the `mdat` box after it has.
///
/// Source: ISO/IEC 14496-12, 8.8.
struct MovieFragment: Equatable {
    struct Frame: Equatable {
        let byteCount, duration: UInt32
    }

    let sequence: UInt32
    /// Ticks of all frames before this fragment.
    let start: UInt64
    let frames: [Frame]

    init(sequence: UInt32, start: UInt64, frames: [Frame]) {
        self.sequence = sequence
        self.start = start
        self.frames = frames
    }

    /// The `moof` box and the head of the `mdat` box whose payload is the frames.
    var head: [UInt8] {
        let payload = frames.reduce(0) { $0 + Int($1.byteCount) }
        var builder = BoxBuilder()
        let size = byteCount
        builder.box("moof") { moof in
            moof.fullBox("mfhd") { $0.append(sequence) }
            moof.box("traf") { track in
                // Offsets count from the start of this moof.
                track.fullBox("tfhd", flags: 0x02_0000) { $0.append(UInt32(1)) }
                track.fullBox("tfdt", version: 1) { $0.append(start) }
                // With a data offset, and a duration and a size for each frame.
                track.fullBox("trun", flags: 0x301) { run in
                    run.append(UInt32(frames.count))
                    run.append(Int32(size + 8))
                    for frame in frames {
                        run.append(frame.duration)
                        run.append(frame.byteCount)
                    }
                }
            }
        }
        builder.append(UInt32(payload + 8))
        builder.append("mdat" as FourCharacterCode)
        return builder.bytes
    }

    /// Bytes of the `moof` box.
    private var byteCount: Int { 8 + 16 + 8 + 16 + 20 + 20 + 8 * frames.count }

    /// Reads the payload of a `moof` box that this writer made.
    init?(parsing moof: [UInt8]) {
        // mfhd (16 bytes), then traf (8), tfhd (16), tfdt (20) and trun (20 and the frames).
        let names: [(Int, FourCharacterCode)] = [(0, "mfhd"), (16, "traf"), (24, "tfhd"), (40, "tfdt"), (60, "trun")]
        guard moof.count >= 80 else { return nil }
        let field = { (offset: Int) in moof[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
        guard names.allSatisfy({ field($0.0 + 4) == $0.1.rawValue }) else { return nil }
        let count = Int(field(72))
        guard count > 0, moof.count == 80 + 8 * count else { return nil }
        sequence = field(12)
        start = UInt64(field(52)) << 32 | UInt64(field(56))
        frames = (0..<count).map { Frame(byteCount: field(84 + 8 * $0), duration: field(80 + 8 * $0)) }
    }
}
