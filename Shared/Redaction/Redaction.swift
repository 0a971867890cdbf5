package import Containers

/// A file without some of its metadata, as pieces of the original and a few new bytes.
///
/// It has a size of its own and can be read at any offset, so that a large film is neither held nor copied. The same
/// file gives the same pieces each time.
package struct Redaction: Hashable, Sendable {
    /// Some bytes of the new file.
    package enum Piece: Hashable, Sendable {
        /// Bytes of the original.
        case source(Range<Int64>)
        /// New bytes.
        case literal([UInt8])
        /// So many zeros.
        case zeros(Int64)

        package var byteCount: Int64 {
            switch self {
            case .source(let range): Int64(range.count)
            case .literal(let bytes): Int64(bytes.count)
            case .zeros(let count): count
            }
        }
    }

    /// The pieces in order; none is empty.
    package private(set) var pieces: [Piece] = []
    /// Where each piece ends in the new file.
    private var ends: [Int64] = []

    /// A file of no bytes.
    package init() {}

    /// The whole of a file with this many bytes.
    package init(unchanged byteCount: Int64) {
        append(.source(0..<max(0, byteCount)))
    }

    /// Bytes of the new file.
    package var byteCount: Int64 { ends.last ?? 0 }

    /// Adds a piece; one that goes on with the last one is joined to it.
    package mutating func append(_ piece: Piece) {
        guard piece.byteCount > 0 else { return }
        let end = byteCount + piece.byteCount
        switch (pieces.last, piece) {
        case (.source(let last)?, .source(let next)) where last.upperBound == next.lowerBound:
            pieces[pieces.count - 1] = .source(last.lowerBound..<next.upperBound)
        case (.zeros(let last)?, .zeros(let next)):
            pieces[pieces.count - 1] = .zeros(last + next)
        case (.literal(let last)?, .literal(let next)) where last.count + next.count <= 1 << 16:
            pieces[pieces.count - 1] = .literal(last + next)
        default:
            pieces.append(piece)
            ends.append(end)
            return
        }
        ends[ends.count - 1] = end
    }

    /// The pieces of a part of the new file, clipped to what there is.
    package func pieces(at offset: Int64, count: Int64) -> [Piece] {
        guard offset >= 0, count > 0, offset < byteCount else { return [] }
        let end = offset + min(count, byteCount - offset)
        var found: [Piece] = []
        var index = firstPiece(endingAfter: offset)
        while index < pieces.count {
            let piece = pieces[index]
            let start = ends[index] - piece.byteCount
            guard start < end else { break }
            let low = max(offset, start) - start
            let high = min(end, ends[index]) - start
            switch piece {
            case .source(let range):
                found.append(.source(range.lowerBound + low..<range.lowerBound + high))
            case .literal(let bytes): found.append(.literal(Array(bytes[Int(low)..<Int(high)])))
            case .zeros: found.append(.zeros(high - low))
            }
            index += 1
        }
        return found
    }

    /// Up to `count` bytes of the new file at an offset; fewer where the original has lost some.
    package func bytes(at offset: Int64, count: Int, from source: RandomAccessBytes) -> [UInt8] {
        var found: [UInt8] = []
        for piece in pieces(at: offset, count: Int64(count)) {
            switch piece {
            case .source(let range):
                let read = source.bytes(at: range.lowerBound, count: range.count)
                found += read
                if read.count < range.count { return found }
            case .literal(let bytes): found += bytes
            case .zeros(let count): found += [UInt8](repeating: 0, count: Int(count))
            }
        }
        return found
    }

    private func firstPiece(endingAfter offset: Int64) -> Int {
        var low = 0
        var high = ends.count
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > offset { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
