/// Where each frame of a movie lies and how long it is shown.
struct FrameIndex: Equatable {
    /// Frames that lie one after the other.
    private struct Chunk: Equatable {
        let offset: Int64
        var count: UInt32
    }

    private var chunks: [Chunk] = []
    private var sizes: [UInt32] = []
    private var durations: [UInt32] = []
    /// Numbers, from 1, of the frames at which decoding can begin.
    private var keys: [UInt32] = []
    /// Where the last frame ends.
    private var lastEnd: Int64 = -1

    /// Ticks of all frames together.
    private(set) var duration: UInt64 = 0

    /// How many frames there are.
    var count: Int { sizes.count }

    /// Adds a frame; one that lies right after the last joins its chunk.
    mutating func add(offset: Int64, byteCount: UInt32, duration: UInt32, isKey: Bool = true) {
        if offset == lastEnd, !chunks.isEmpty {
            chunks[chunks.count - 1].count += 1
        } else {
            chunks.append(Chunk(offset: offset, count: 1))
        }
        sizes.append(byteCount)
        durations.append(duration)
        if isKey { keys.append(UInt32(sizes.count)) }
        self.duration += UInt64(duration)
        lastEnd = offset + Int64(byteCount)
    }

    /// Appends `stts`, `stss` unless all are keys, `stsc`, `stsz`, `stco` or `co64` (ISO/IEC 14496-12, 8.6 and 8.7).
    func append(to table: inout BoxBuilder) {
        table.fullBox("stts") { box in
            let runs = Self.runs(durations)
            box.append(UInt32(runs.count))
            for run in runs {
                box.append(run.count)
                box.append(run.value)
            }
        }
        if keys.count < sizes.count {
            table.fullBox("stss") { box in
                box.append(UInt32(keys.count))
                for key in keys { box.append(key) }
            }
        }
        table.fullBox("stsc") { box in
            let runs = Self.runs(chunks.map(\.count))
            box.append(UInt32(runs.count))
            var first: UInt32 = 1
            for run in runs {
                box.append(first)
                box.append(run.value)
                box.append(UInt32(1))
                first += run.count
            }
        }
        table.fullBox("stsz") { box in
            box.append(UInt32(0))
            box.append(UInt32(sizes.count))
            for size in sizes { box.append(size) }
        }
        let isLarge = (chunks.last?.offset ?? 0) > UInt32.max
        table.fullBox(isLarge ? "co64" : "stco") { box in
            box.append(UInt32(chunks.count))
            for chunk in chunks {
                if isLarge { box.append(chunk.offset) } else { box.append(UInt32(chunk.offset)) }
            }
        }
    }

    /// Bytes that the tables take at most for so many frames: a duration of its own, a size, a key and a chunk for each.
    static func mostByteCount(frames: Int) -> Int { 128 + frames * (8 + 4 + 4 + 12 + 8) }

    /// Bytes that the tables take at most with so many frames more, which lie one after the other.
    func mostByteCount(adding frames: Int) -> Int {
        128 + (count + frames) * (8 + 4 + 4) + (chunks.count + 1) * (12 + 8)
    }

    private static func runs(_ values: [UInt32]) -> [(value: UInt32, count: UInt32)] {
        var runs: [(value: UInt32, count: UInt32)] = []
        for value in values {
            if let last = runs.last, last.value == value {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((value, 1))
            }
        }
        return runs
    }
}
