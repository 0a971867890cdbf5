private import Containers

/// The durations of a film's fragments, added up by track.
///
/// Source: ISO/IEC 14496-12 clauses 8.8.3 (`trex`), 8.8.7 (`tfhd`), 8.8.8 (`trun`), 8.8.12 (`tfdt`).
package struct FragmentSums {
    /// What the fragments of one track come to.
    package struct Sum {
        package var samples: Int64 = 0
        /// Ticks from the start of the track to the end of its last fragment.
        package var end: UInt64 = 0
    }

    package private(set) var sums: [UInt32: Sum] = [:]
    private var defaults: [UInt32: UInt32] = [:]
    private let tracks: Set<UInt32>
    /// Sample entries that are still read; beyond, fragments count with their default duration alone.
    private var budget = 20_000_000

    /// Reads the defaults from `mvex`.
    package init(_ extends: FoundBox, tracks: [MovieTrack]) {
        self.tracks = Set(tracks.map(\.id))
        for box in extends.children() where box.name == "trex" {
            guard let fields = box.payload.fields(at: 0, count: 16), let track = fields.uint32(4),
                let duration = fields.uint32(12)
            else { continue }
            defaults[track] = duration
        }
    }

    /// Adds one `moof` box.
    package mutating func add(_ fragment: FoundBox) {
        for box in fragment.children() where box.name == "traf" { addTrack(box.children()) }
    }

    private mutating func addTrack(_ parts: [FoundBox]) {
        guard let header = parts.first(where: { $0.name == "tfhd" })?.payload,
            let start = header.fields(at: 0, count: 8), let flags = start.uint32(0), let track = start.uint32(4),
            tracks.contains(track)
        else { return }
        var place: Int64 = 8
        if flags & 0x01 != 0 { place += 8 }
        if flags & 0x02 != 0 { place += 4 }
        let own = flags & 0x08 != 0 ? header.fields(at: place, count: 4)?.uint32(0) : nil
        var sum = sums[track] ?? Sum()
        if let begin = Self.decodeTime(parts.first { $0.name == "tfdt" }) { sum.end = begin }
        for run in parts where run.name == "trun" {
            let (samples, ticks) = durations(run.payload, default: own ?? defaults[track] ?? 0)
            sum.samples += samples
            let (end, overflow) = sum.end.addingReportingOverflow(ticks)
            sum.end = overflow ? .max : end
        }
        sums[track] = sum
    }

    private static func decodeTime(_ box: FoundBox?) -> UInt64? {
        guard let box, let version = box.payload.bytes(at: 0, count: 1).first else { return nil }
        return version == 1
            ? box.payload.fields(at: 4, count: 8)?.uint64(0)
            : box.payload.fields(at: 4, count: 4)?.uint32(0).map { UInt64($0) }
    }

    /// Samples and ticks of one `trun`.
    private mutating func durations(_ run: RandomAccessBytes, default ticks: UInt32) -> (Int64, UInt64) {
        guard let start = run.fields(at: 0, count: 8), let flags = start.uint32(0), let count = start.uint32(4) else {
            return (0, 0)
        }
        let fields: [UInt32] = [0x100, 0x200, 0x400, 0x800]
        let width = fields.filter { flags & $0 != 0 }.count * 4
        guard flags & 0x100 != 0 else { return (Int64(count), UInt64(count) * UInt64(ticks)) }
        let place = Int64(8) + (flags & 0x01 != 0 ? 4 : 0) + (flags & 0x04 != 0 ? 4 : 0)
        let there = Int(min(Int64(count), max(0, run.count - place) / Int64(width)))
        guard there <= budget else { return (Int64(there), UInt64(there) * UInt64(ticks)) }
        budget -= there
        var total: UInt64 = 0
        let piece = 4096
        for first in stride(from: 0, to: there, by: piece) {
            let entries = min(piece, there - first)
            let table = ByteFields(run.bytes(at: place + Int64(first * width), count: entries * width))
            for index in 0..<entries { total += UInt64(table.uint32(index * width) ?? 0) }
        }
        return (Int64(there), total)
    }
}
