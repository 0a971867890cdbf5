/// Where the sound of a movie lies.
struct SoundIndex: Equatable {
    /// Samples that lie one after the other.
    private struct Chunk: Equatable {
        let offset: Int64
        let count: UInt32
    }

    private let framesInSample: UInt32
    private let sampleByteCount: UInt32
    private var chunks: [Chunk] = []
    /// The samples' sizes, where they differ.
    private var sizes: [UInt32] = []

    /// How many samples there are.
    private(set) var count: UInt64 = 0

    /// An index without sound.
    ///
    /// - Parameters:
    ///   - framesInSample: How long each sample is.
    ///   - sampleByteCount: Bytes of each; 0 where they differ.
    init(framesInSample: UInt32, sampleByteCount: UInt32) {
        self.framesInSample = framesInSample
        self.sampleByteCount = sampleByteCount
    }

    /// Frames of all samples together.
    var duration: UInt64 { count * UInt64(framesInSample) }

    /// Adds samples that lie in a row; `sizes` are theirs, where they differ.
    mutating func add(offset: Int64, count: Int, sizes: some Sequence<UInt32>) {
        guard count > 0 else { return }
        chunks.append(Chunk(offset: offset, count: UInt32(count)))
        self.sizes += sizes
        self.count += UInt64(count)
    }

    /// Appends `stts`, `stsc`, `stsz`, `stco` or `co64` (ISO/IEC 14496-12, 8.6 and 8.7).
    func append(to table: inout BoxBuilder) {
        table.fullBox("stts") { box in
            box.append(UInt32(count > 0 ? 1 : 0))
            if count > 0 {
                box.append(UInt32(clamping: count))
                box.append(framesInSample)
            }
        }
        table.fullBox("stsc") { box in
            let starts = chunks.indices.filter { $0 == 0 || chunks[$0 - 1].count != chunks[$0].count }
            box.append(UInt32(starts.count))
            for start in starts {
                box.append(UInt32(start + 1))
                box.append(chunks[start].count)
                box.append(UInt32(1))
            }
        }
        table.fullBox("stsz") { box in
            box.append(sampleByteCount)
            box.append(UInt32(clamping: count))
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

    /// Bytes that the tables take at most with so many samples more, in so many chunks more.
    func mostByteCount(addingSamples samples: Int, chunks more: Int) -> Int {
        96 + (chunks.count + more) * (12 + 8) + (sampleByteCount > 0 ? 0 : (sizes.count + samples) * 4)
    }
}
