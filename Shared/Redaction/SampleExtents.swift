import Containers
import Movies

/// Where the samples of a track lie, chunk by chunk.
///
/// Source: ISO/IEC 14496-12 clauses 8.7.3 to 8.7.5; QuickTime File Format, "Sample Size Atoms", "Sound Sample
/// Description (Version 1)".
struct SampleExtents {
    private static let blockByteCount: Int64 = 1 << 18

    private let tables: [FourCharacterCode: RandomAccessBytes]

    init(_ tables: [FourCharacterCode: RandomAccessBytes]) { self.tables = tables }

    /// Adds the ranges of all chunks.
    ///
    /// - Throws: `damaged` when the tables do not fit to each other.
    func collect(into ranges: inout ByteRanges) throws(RedactionError) {
        guard let sizes = tables["stsz"], let chunks = tables["stsc"] else {
            throw RedactionError(.damaged, "a track without tables")
        }
        let isLong = tables["stco"] == nil
        guard let offsets = tables[isLong ? "co64" : "stco"] else {
            throw RedactionError(.damaged, "a track without offsets")
        }
        let head = try sizes.exactly(12, at: 0, of: "a table of sizes")
        let uniform = Int64(head.uint32(4) ?? 0)
        let sampleCount = Int64(head.uint32(8) ?? 0)
        let width: Int64 = isLong ? 8 : 4
        let chunkCount = try entries(offsets, at: 4, width: width)
        let runCount = try entries(chunks, at: 4, width: 12)
        if uniform == 0, sizes.count < 12 + sampleCount * 4 { throw RedactionError(.damaged, "a table of sizes") }
        let rate = uniform == 1 ? try soundBytes() : (bytes: uniform, per: 1)

        var sample: Int64 = 0
        for run in 0..<runCount {
            let fields = try chunks.exactly(12, at: 8 + run * 12, of: "a table of chunks")
            let first = Int64(fields.uint32(0) ?? 0)
            let samples = Int64(fields.uint32(4) ?? 0)
            let next =
                run + 1 < runCount
                ? Int64(try chunks.exactly(4, at: 20 + run * 12, of: "a table of chunks").uint32(0) ?? 0)
                : chunkCount + 1
            guard first >= 1, next > first, next <= chunkCount + 1, run > 0 || first == 1 else {
                throw RedactionError(.damaged, "a table of chunks")
            }
            for chunk in first..<next {
                let field = try offsets.exactly(Int(width), at: 8 + (chunk - 1) * width, of: "a table of offsets")
                let start = isLong ? field.uint64(0).flatMap { Int64(exactly: $0) } : field.uint32(0).map { Int64($0) }
                let count = min(samples, sampleCount - sample)
                let length =
                    uniform == 0
                    ? try sum(sizes, from: sample, count: count) : try Self.byteCount(of: count, rate)
                guard let start, start <= Int64.max / 2 else { throw RedactionError(.damaged, "a table of offsets") }
                try ranges.insert(start..<start + length)
                sample += count
            }
        }
        guard sample == sampleCount else { throw RedactionError(.damaged, "samples without a place") }
    }

    private func entries(
        _ table: RandomAccessBytes,
        at offset: Int64,
        width: Int64
    ) throws(RedactionError) -> Int64 {
        let count = Int64(try table.exactly(4, at: offset, of: "a table").uint32(0) ?? 0)
        guard table.count >= offset + 4 + count * width else {
            throw RedactionError(.damaged, "a table ends too early")
        }
        return count
    }

    /// The bytes of samples that lie one behind the other.
    private func sum(
        _ sizes: RandomAccessBytes,
        from first: Int64,
        count: Int64
    ) throws(RedactionError) -> Int64 {
        var total: Int64 = 0
        var index = first
        while index < first + count {
            let part = min(first + count - index, Self.blockByteCount / 4)
            let fields = try sizes.exactly(Int(part) * 4, at: 12 + index * 4, of: "a table of sizes")
            for number in 0..<Int(part) { total += Int64(fields.uint32(number * 4) ?? 0) }
            guard total < Int64.max / 4 else { throw RedactionError(.damaged, "a table of sizes") }
            index += part
        }
        return total
    }

    /// The bytes of samples of one size, or of so many for each packet; both numbers have 32 bits in the file, their
    /// product may have more than fit.
    private static func byteCount(of count: Int64, _ rate: (bytes: Int64, per: Int64)) throws(RedactionError) -> Int64 {
        let (all, isTooMany) = count.multipliedReportingOverflow(by: rate.bytes)
        guard !isTooMany, all < Int64.max / 4 else { throw RedactionError(.damaged, "a table of sizes") }
        return (all + rate.per - 1) / rate.per
    }

    /// Sound of old QuickTime films says one byte for each sample; the description has the true sizes.
    private func soundBytes() throws(RedactionError) -> (bytes: Int64, per: Int64) {
        guard let entry = tables["stsd"]?.part(at: 8), let fields = entry.fields(at: 0, count: 36) else {
            throw RedactionError(.damaged, "a description of sound")
        }
        let version = fields.uint16(16) ?? 0
        let channels = Int64(fields.uint16(24) ?? 0)
        let bits = Int64(fields.uint16(26) ?? 0)
        guard tables["stss"] == nil, channels > 0, bits > 0 else { return (1, 1) }
        if version == 1, let more = entry.fields(at: 36, count: 12), let perPacket = more.uint32(0),
            let frame = more.uint32(8), perPacket > 0, frame > 0
        {
            return (Int64(frame), Int64(perPacket))
        }
        return (max(1, channels * bits / 8), 1)
    }
}
