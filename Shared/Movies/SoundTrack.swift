/// The parts of a sound track's `trak` box that do not depend on what is heard.
///
/// Sources: ISO/IEC 14496-12, 8.4.5.3 (`smhd`), 8.6.6 (`elst`), 12.2.3; 14496-14, 5.6 (`mp4a`, `esds`); QuickTime File
/// Format, "Sound Sample Description (Version 0)" (`sowt`). Like the head of the movie it can be read back from a file that
/// was never finished.
struct SoundTrack: Equatable {
    static let id: UInt32 = 2

    /// The payload of `stsd`: one sample entry.
    let entries: [UInt8]
    /// Ticks a second of the track's times: frames.
    let rate: UInt32
    /// Frames that a decoder gives before the first one that was recorded.
    let priming: UInt32
    let framesInSample: UInt32
    /// Bytes of each sample; 0 where they differ.
    let sampleByteCount: UInt32

    init(_ sound: MovieSound) {
        rate = UInt32(sound.rate)
        framesInSample = sound.framesInSample
        sampleByteCount = sound.sampleByteCount
        if case .aac(_, let priming) = sound.coding { self.priming = UInt32(clamping: priming) } else { priming = 0 }
        entries = Self.table(sound)
    }

    /// Reads the payload of a `trak` box that this writer made.
    init?(parsing track: ArraySlice<UInt8>) {
        guard let header = Self.find(["mdia", "mdhd"], in: track), header.count >= 24,
            let table = Self.find(["mdia", "minf", "stbl", "stsd"], in: track), table.count >= 44
        else { return nil }
        rate = Self.field(header, header.first == 1 ? 20 : 12)
        let channels = Self.field(table, 32) >> 16
        guard MovieSound.rates.contains(Int(rate)), MovieSound.channelCounts.contains(Int(channels)) else { return nil }
        switch FourCharacterCode(rawValue: Self.field(table, 12)) {
        case "sowt": (framesInSample, sampleByteCount) = (1, channels * 2)
        case "mp4a": (framesInSample, sampleByteCount) = (1024, 0)
        default: return nil
        }
        priming = Self.find(["edts", "elst"], in: track).map { $0.count >= 16 ? Self.field($0, 12) : 0 } ?? 0
        entries = Array(table)
    }

    /// An index without sound of this track.
    var emptyIndex: SoundIndex { SoundIndex(framesInSample: framesInSample, sampleByteCount: sampleByteCount) }

    /// Ticks of the movie for which it is heard: what was recorded, and never longer than the pictures are shown.
    func duration(_ index: SoundIndex, within pictures: UInt64) -> UInt64 {
        let frames = index.duration - min(index.duration, UInt64(priming))
        let ticks = frames * UInt64(MovieHead.timescale) / UInt64(rate)
        // Only what has an edit list can be cut between its samples.
        return priming > 0 ? min(ticks, pictures) : ticks
    }

    /// Appends the `trex` box with what is the same for all samples in fragments (ISO/IEC 14496-12, 8.8.3).
    func appendDefaults(to extends: inout BoxBuilder) {
        extends.fullBox("trex") { defaults in
            for value: UInt32 in [Self.id, 1, framesInSample, sampleByteCount] { defaults.append(value) }
            defaults.append(MovieFragment.keyFlags)
        }
    }

    private static func table(_ sound: MovieSound) -> [UInt8] {
        var builder = BoxBuilder()
        // Version and flags, then how many entries follow.
        builder.append(UInt32(0))
        builder.append(UInt32(1))
        let name: FourCharacterCode = if case .pcm = sound.coding { "sowt" } else { "mp4a" }
        builder.box(name) { entry in
            entry.appendZeros(6)
            entry.append(UInt16(1))
            entry.appendZeros(8)
            entry.append(UInt16(sound.channels))
            entry.append(UInt16(16))
            entry.appendZeros(4)
            entry.append(UInt32(sound.rate) << 16)
            if case .aac(let configuration, _) = sound.coding { appendStreamDescriptor(configuration, to: &entry) }
        }
        return builder.bytes
    }

    /// `esds` (ISO/IEC 14496-1, 7.2.6): an ES descriptor around those of the decoder and the synchronisation.
    private static func appendStreamDescriptor(_ configuration: [UInt8], to entry: inout BoxBuilder) {
        // A configuration is two to a few bytes; lengths of one byte go up to 127.
        let specific = Array(configuration.prefix(64))
        entry.fullBox("esds") { descriptor in
            descriptor.append(contentsOf: [0x03, UInt8(23 + specific.count), 0, 0, 0])
            // Audio of ISO/IEC 14496-3; an audio stream; sizes and rates are not told.
            descriptor.append(contentsOf: [0x04, UInt8(15 + specific.count), 0x40, 0x15])
            descriptor.appendZeros(11)
            descriptor.append(contentsOf: [0x05, UInt8(specific.count)])
            descriptor.append(contentsOf: specific)
            descriptor.append(contentsOf: [0x06, 1, 0x02])
        }
    }

    static func find(_ path: [FourCharacterCode], in payload: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let name = path.first else { return payload }
        guard let box = BoxHeader.children(of: payload).first(where: { $0.name == name }) else { return nil }
        let start = payload.startIndex
        let inner = payload[start + Int(box.payloadStart)..<start + Int(box.end)]
        return find(Array(path.dropFirst()), in: inner)
    }

    static func field(_ slice: ArraySlice<UInt8>, _ offset: Int) -> UInt32 {
        slice.dropFirst(offset).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
}

extension MovieHead {
    /// Appends the sound's `trak` box.
    func append(_ track: SoundTrack, _ index: SoundIndex, pictures: UInt64, to moov: inout BoxBuilder) {
        let duration = track.duration(index, within: pictures)
        moov.box("trak") { box in
            appendTrackHeader(&box, track: SoundTrack.id, duration: duration) { header in
                // The volume, in a field of 8.8 bits before the matrix.
                header.appendZeros(12)
                header.append(UInt16(0x0100))
                header.appendZeros(2)
                for value: UInt32 in [1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30] { header.append(value) }
                header.appendZeros(8)
            }
            if track.priming > 0 { appendEdit(&box, duration: duration, start: track.priming) }
            box.box("mdia") { media in
                appendMediaHeader(&media, timescale: track.rate, duration: index.duration)
                appendHandler(&media, type: "mhlr", subtype: "soun", name: "Sound")
                media.box("minf") { information in
                    information.fullBox("smhd") { $0.appendZeros(4) }
                    appendReferences(&information)
                    information.box("stbl") { table in
                        table.box("stsd") { $0.append(contentsOf: track.entries) }
                        index.append(to: &table)
                    }
                }
            }
        }
    }

    /// Says that the frames before `start` are not heard.
    ///
    /// A duration of 0 is one that is not known yet, of a movie in fragments.
    private func appendEdit(_ track: inout BoxBuilder, duration: UInt64, start: UInt32) {
        let isLong = duration > UInt32.max
        track.box("edts") { edits in
            edits.fullBox("elst", version: isLong ? 1 : 0) { list in
                list.append(UInt32(1))
                if isLong {
                    list.append(duration)
                    list.append(UInt64(start))
                } else {
                    list.append(UInt32(duration))
                    list.append(start)
                }
                list.append(UInt32(0x0001_0000))
            }
        }
    }
}
