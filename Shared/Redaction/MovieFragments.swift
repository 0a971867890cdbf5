import Containers
import Movies

/// The fragments of a film: where their samples lie, and what may not stay in them.
///
/// Source: ISO/IEC 14496-12 clauses 8.8.4 to 8.8.8.
struct MovieFragments {
    /// What a fragment takes from the film's head.
    struct Defaults {
        var sampleByteCount: UInt32 = 0
        /// Whether the track is of pictures or sound.
        var isPlayed = false
    }

    private static let encryption: Set<FourCharacterCode> = ["saio", "saiz", "senc"]

    let tracks: [UInt32: Defaults]

    mutating func clean(
        _ fragment: BoxEdit.Part,
        _ boxes: inout BoxEdit,
        _ kept: inout ByteRanges
    ) throws(RedactionError) {
        var position = fragment.start
        var isGone = false
        for part in try boxes.keep(MovieParts.fragment, in: fragment) where part.name == "traf" {
            let inner = try boxes.children(of: part)
            guard let head = inner.first(where: { $0.name == "tfhd" })?.payload else {
                throw RedactionError(.damaged, "a fragment without a head")
            }
            let run = try Run(head, in: fragment.start, tracks)
            guard let run else {
                isGone = true
                boxes.free(part)
                continue
            }
            guard run.start != nil || !isGone else {
                throw RedactionError(.unknownPart, "a fragment that lies behind one that goes")
            }
            // What offsets count from is the same for all runs of the track.
            let base = run.start ?? position
            position = base
            for box in inner {
                if Self.encryption.contains(box.name) {
                    throw RedactionError(.unknownPart, "\(box.name) of a fragment")
                }
                if !MovieParts.run.contains(box.name) { boxes.free(box) }
                if box.name == "trun" {
                    try run.collect(box.payload, base: base, from: &position, into: &kept)
                }
            }
        }
    }
}

/// The samples of one track in a fragment.
private struct Run {
    /// What offsets count from; nil for the end of the track before it.
    let start: Int64?
    let sampleByteCount: UInt32

    /// Reads `tfhd`; nil for a track that goes.
    init?(_ head: RandomAccessBytes, in fragment: Int64, _ tracks: [UInt32: MovieFragments.Defaults])
        throws(RedactionError)
    {
        let fields = try head.exactly(8, at: 0, of: "the head of a fragment")
        guard let id = fields.uint32(4), let track = tracks[id] else { return nil }
        let flags = fields.uint32(0) ?? 0
        var place: Int64 = 8
        var start: Int64?
        if flags & 0x1 != 0 {
            let base = try head.exactly(8, at: place, of: "the head of a fragment").uint64(0) ?? 0
            start = Int64(clamping: base)
            place += 8
        } else if flags & 0x02_0000 != 0 {
            start = fragment
        }
        if flags & 0x2 != 0 { place += 4 }
        if flags & 0x8 != 0 { place += 4 }
        self.start = start
        sampleByteCount =
            flags & 0x10 != 0
            ? try head.exactly(4, at: place, of: "the head of a fragment").uint32(0) ?? 0 : track.sampleByteCount
    }

    /// Adds the samples of a `trun`; `position` is where the last ones ended, and these will.
    func collect(
        _ run: RandomAccessBytes,
        base: Int64,
        from position: inout Int64,
        into kept: inout ByteRanges
    ) throws(RedactionError) {
        let head = try run.exactly(8, at: 0, of: "a run")
        let flags = head.uint32(0) ?? 0
        let count = Int64(head.uint32(4) ?? 0)
        var place: Int64 = 8
        if flags & 0x1 != 0 {
            let offset = try run.exactly(4, at: place, of: "a run").int32(0) ?? 0
            position = base.addingReportingOverflow(Int64(offset)).partialValue
            place += 4
        }
        if flags & 0x4 != 0 { place += 4 }
        let width = [0x100, 0x200, 0x400, 0x800].reduce(Int64(0)) { $0 + (flags & $1 != 0 ? 4 : 0) }
        guard position >= 0, position < Int64.max / 2, run.count >= place + count * width else {
            throw RedactionError(.damaged, "a run of samples")
        }
        var (total, isTooMany) = count.multipliedReportingOverflow(by: Int64(sampleByteCount))
        if flags & 0x200 != 0 {
            (total, isTooMany) = (0, false)
            let within = flags & 0x100 != 0 ? 4 : 0
            var index: Int64 = 0
            while index < count {
                let part = min(count - index, 16_384)
                let fields = try run.exactly(Int(part * width), at: place + index * width, of: "a run")
                for sample in 0..<Int(part) { total += Int64(fields.uint32(sample * Int(width) + within) ?? 0) }
                guard total < Int64.max / 4 else { throw RedactionError(.damaged, "a run of samples") }
                index += part
            }
        }
        guard !isTooMany, total < Int64.max / 4 else { throw RedactionError(.damaged, "a run of samples") }
        try kept.insert(position..<position + total)
        position += total
    }
}
