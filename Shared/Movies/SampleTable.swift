import Containers

/// The tables that say where a track's samples lie (ISO/IEC 14496-12 clauses 8.7.3 to 8.7.5).
package struct SampleTable {
    /// Entries that are read at once.
    private static let pieceLength = 8192

    private let offsets: RandomAccessBytes
    private let offsetWidth: Int
    private let chunkRuns: RandomAccessBytes
    private let sizes: RandomAccessBytes
    /// The size that all samples have, or 0.
    private let fixedSize: Int64
    private let sampleCount: Int64

    /// Finds the tables in `stbl`; nil if one is missing.
    package init?(_ box: FoundBox) {
        let parts = box.children()
        guard let runs = parts.first(where: { $0.name == "stsc" }),
            let sizes = parts.first(where: { $0.name == "stsz" }),
            let offsets = parts.first(where: { $0.name == "stco" || $0.name == "co64" }),
            let fields = sizes.payload.fields(at: 4, count: 8), let size = fields.uint32(0),
            let count = fields.uint32(4)
        else { return nil }
        self.offsets = offsets.payload.part(at: 8)
        offsetWidth = offsets.name == "co64" ? 8 : 4
        chunkRuns = runs.payload.part(at: 8)
        self.sizes = sizes.payload.part(at: 12)
        fixedSize = Int64(size)
        sampleCount = Int64(count)
    }

    /// Offset after the last byte of the chunk that starts farthest in the file.
    package func lastSampleEnd() -> Int64 {
        guard let farthest = farthestChunk(), let samples = samples(ofChunk: farthest.index) else { return 0 }
        if fixedSize > 0 {
            let (bytes, overflow) = fixedSize.multipliedReportingOverflow(by: Int64(samples.count))
            return overflow ? .max : Self.sum(farthest.offset, bytes)
        }
        var end = farthest.offset
        for size in Self.numbers(sizes.part(at: samples.lowerBound * 4, count: Int64(samples.count) * 4), width: 4) {
            end = Self.sum(end, size)
        }
        return end
    }

    private func farthestChunk() -> (index: Int64, offset: Int64)? {
        var found: (index: Int64, offset: Int64)?
        var index: Int64 = 0
        for offset in Self.numbers(offsets, width: offsetWidth) {
            if offset >= found?.offset ?? 0 { found = (index, offset) }
            index += 1
        }
        return found
    }

    /// The samples in a chunk: each run says from which chunk on so many samples lie in each.
    private func samples(ofChunk chunk: Int64) -> Range<Int64>? {
        var first: Int64 = 0
        var run: (chunk: Int64, samples: Int64)?
        let fields = Self.numbers(chunkRuns, width: 4).makeIterator()
        while let start = fields.next(), let samples = fields.next(), fields.next() != nil {
            if let run {
                // Runs go up; one that does not ends the search.
                guard start - 1 > run.chunk else { return nil }
                if start - 1 > chunk { break }
                first = Self.sum(first, Self.product(start - 1 - run.chunk, run.samples))
            }
            run = (start - 1, samples)
        }
        guard let run, run.chunk >= 0, chunk >= run.chunk else { return nil }
        first = Self.sum(first, Self.product(chunk - run.chunk, run.samples))
        guard first < sampleCount else { return nil }
        return first..<min(sampleCount, first + run.samples)
    }

    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (value, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : value
    }

    private static func product(_ one: Int64, _ other: Int64) -> Int64 {
        let (value, overflow) = one.multipliedReportingOverflow(by: other)
        return overflow ? .max : value
    }

    /// The big-endian numbers that lie one after the other, read in pieces; a negative one ends them.
    static func numbers(_ bytes: RandomAccessBytes, width: Int) -> AnyIterator<Int64> {
        var position: Int64 = 0
        var piece = ByteFields([])
        var index = 0
        return AnyIterator {
            if index + width > piece.bytes.count {
                piece = ByteFields(bytes.bytes(at: position, count: pieceLength * width))
                position += Int64(piece.bytes.count / width * width)
                index = 0
            }
            defer { index += width }
            let number = width == 8 ? piece.uint64(index) : piece.uint32(index).map { UInt64($0) }
            return number.flatMap { Int64(exactly: $0) }
        }
    }
}
