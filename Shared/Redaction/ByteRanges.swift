/// Ranges of bytes, joined where they touch.
struct ByteRanges {
    /// More parts than any real file has; a crafted one could name the same bytes for ever.
    static let maximumCount = 1 << 20

    private var found: [Range<Int64>] = []

    /// Adds a range.
    ///
    /// - Throws: `tooLarge` when there are too many.
    mutating func insert(_ range: Range<Int64>) throws(RedactionError) {
        guard !range.isEmpty else { return }
        // Mostly they come in order.
        if let last = found.last, last.upperBound == range.lowerBound {
            found[found.count - 1] = last.lowerBound..<range.upperBound
        } else {
            guard found.count < Self.maximumCount else { throw RedactionError(.tooLarge, "parts") }
            found.append(range)
        }
    }

    /// Sorted, none over or beside another.
    var joined: [Range<Int64>] {
        var all: [Range<Int64>] = []
        for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = all.last, range.lowerBound <= last.upperBound {
                all[all.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                all.append(range)
            }
        }
        return all
    }

    /// What lies in regions and not in `joined` ranges.
    ///
    /// - Parameters:
    ///   - regions: Where ranges may lie; none over another.
    ///   - joined: As `joined` gives them.
    /// - Returns: The rest of the regions in order; nil when a range does not lie in one of them.
    static func gaps(in regions: [Range<Int64>], between joined: [Range<Int64>]) -> [Range<Int64>]? {
        var gaps: [Range<Int64>] = []
        var index = 0
        for region in regions.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            var position = region.lowerBound
            while index < joined.count, joined[index].lowerBound < region.upperBound {
                let range = joined[index]
                guard range.lowerBound >= position, range.upperBound <= region.upperBound else { return nil }
                if range.lowerBound > position { gaps.append(position..<range.lowerBound) }
                position = range.upperBound
                index += 1
            }
            if position < region.upperBound { gaps.append(position..<region.upperBound) }
        }
        return index == joined.count ? gaps : nil
    }
}
