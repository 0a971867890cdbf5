/// One `moof` box: which frames the `mdat` box after it has.
///
/// Source: ISO/IEC 14496-12, 8.8.
struct MovieFragment: Equatable {
    struct Frame: Equatable {
        let byteCount, duration: UInt32
        var isKey = true
    }

    /// What it has of the sound, after the frames.
    struct Sound: Equatable {
        /// Ticks of all sound before this fragment.
        let start: UInt64
        let count: Int
        /// The samples' sizes; none where all have the same.
        let sizes: [UInt32]

        /// Bytes of a `traf` box with so many sizes.
        static func byteCount(sizes: Int) -> Int { 8 + 16 + 20 + 20 + 4 * sizes }
    }

    /// `sample_flags` (8.8.3.1): a picture that needs no other, and one that does.
    static let keyFlags: UInt32 = 0x0200_0000
    static let otherFlags: UInt32 = 0x0101_0000
    /// `trun` with a data offset, and a duration and a size for each frame; and flags too.
    private static let plainRun: UInt32 = 0x301
    private static let markedRun: UInt32 = 0x701
    /// `trun` with a data offset alone, and with a size for each sample.
    private static let fixedRun: UInt32 = 0x001
    private static let sizedRun: UInt32 = 0x201

    let sequence: UInt32
    /// Ticks of all frames before this fragment.
    let start: UInt64
    let frames: [Frame]
    /// Whether each frame says if it is a key; else all are.
    let marksKeys: Bool
    let sound: Sound?

    init(sequence: UInt32, start: UInt64, frames: [Frame], marksKeys: Bool, sound: Sound? = nil) {
        self.sequence = sequence
        self.start = start
        self.frames = frames
        self.marksKeys = marksKeys
        self.sound = sound
    }

    /// The `moof` box and the head of the `mdat` box whose payload is the frames, and so many bytes of sound.
    func head(soundByteCount: Int = 0) -> [UInt8] {
        let pictures = frames.reduce(0) { $0 + Int($1.byteCount) }
        let payload = pictures + soundByteCount
        var builder = BoxBuilder()
        let size = byteCount
        builder.box("moof") { moof in
            moof.fullBox("mfhd") { $0.append(sequence) }
            moof.box("traf") { track in
                // Offsets count from the start of this moof.
                track.fullBox("tfhd", flags: 0x02_0000) { $0.append(UInt32(1)) }
                track.fullBox("tfdt", version: 1) { $0.append(start) }
                track.fullBox("trun", flags: marksKeys ? Self.markedRun : Self.plainRun) { run in
                    run.append(UInt32(frames.count))
                    run.append(Int32(size + 8))
                    for frame in frames {
                        run.append(frame.duration)
                        run.append(frame.byteCount)
                        if marksKeys { run.append(frame.isKey ? Self.keyFlags : Self.otherFlags) }
                    }
                }
            }
            if let sound { Self.append(sound, dataOffset: size + 8 + pictures, to: &moof) }
        }
        builder.append(UInt32(payload + 8))
        builder.append("mdat" as FourCharacterCode)
        return builder.bytes
    }

    private static func append(_ sound: Sound, dataOffset: Int, to moof: inout BoxBuilder) {
        moof.box("traf") { track in
            track.fullBox("tfhd", flags: 0x02_0000) { $0.append(SoundTrack.id) }
            track.fullBox("tfdt", version: 1) { $0.append(sound.start) }
            track.fullBox("trun", flags: sound.sizes.isEmpty ? fixedRun : sizedRun) { run in
                run.append(UInt32(sound.count))
                run.append(Int32(clamping: dataOffset))
                for size in sound.sizes { run.append(size) }
            }
        }
    }

    /// Bytes of the `moof` box.
    private var byteCount: Int {
        Self.byteCount(frames: frames.count, marksKeys: marksKeys)
            + (sound.map { Sound.byteCount(sizes: $0.sizes.count) } ?? 0)
    }

    /// Bytes of a `moof` box with so many frames.
    static func byteCount(frames: Int, marksKeys: Bool) -> Int {
        8 + 16 + 8 + 16 + 20 + 20 + (marksKeys ? 12 : 8) * frames
    }

    /// Reads the payload of a `moof` box that this writer made.
    init?(parsing moof: [UInt8]) {
        // mfhd (16 bytes), then traf (8), tfhd (16), tfdt (20) and trun (20 and the frames).
        let names: [(Int, FourCharacterCode)] = [(0, "mfhd"), (16, "traf"), (24, "tfhd"), (40, "tfdt"), (60, "trun")]
        guard moof.count >= 80 else { return nil }
        let field = { (offset: Int) in moof[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
        guard names.allSatisfy({ field($0.0 + 4) == $0.1.rawValue }) else { return nil }
        guard field(68) == Self.plainRun || field(68) == Self.markedRun else { return nil }
        let isMarked = field(68) == Self.markedRun
        let stride = isMarked ? 12 : 8
        let count = Int(field(72))
        let end = 80 + stride * count
        guard count > 0, moof.count >= end else { return nil }
        sound = moof.count == end ? nil : Self.sound(parsing: moof[end...])
        guard moof.count == end || sound != nil else { return nil }
        sequence = field(12)
        start = UInt64(field(52)) << 32 | UInt64(field(56))
        marksKeys = isMarked
        frames = (0..<count).map { index in
            let place = 80 + stride * index
            // Whether a sample is no sync sample is one bit of its flags.
            let isKey = !isMarked || field(place + 8) & 0x1_0000 == 0
            return Frame(byteCount: field(place + 4), duration: field(place), isKey: isKey)
        }
    }

    /// Reads a `traf` box of sound that is all there is: traf (8), tfhd (16), tfdt (20) and trun (20 and the sizes).
    private static func sound(parsing traf: ArraySlice<UInt8>) -> Sound? {
        let names: [(Int, FourCharacterCode)] = [(0, "traf"), (8, "tfhd"), (24, "tfdt"), (44, "trun")]
        let field = { (offset: Int) in SoundTrack.field(traf, offset) }
        guard traf.count >= 64, names.allSatisfy({ field($0.0 + 4) == $0.1.rawValue }) else { return nil }
        guard field(52) == fixedRun || field(52) == sizedRun else { return nil }
        let count = Int(field(56))
        let sizes = field(52) == sizedRun ? count : 0
        guard count > 0, traf.count == 64 + 4 * sizes else { return nil }
        return Sound(
            start: UInt64(field(36)) << 32 | UInt64(field(40)),
            count: count,
            sizes: (0..<sizes).map { field(64 + 4 * $0) }
        )
    }
}
