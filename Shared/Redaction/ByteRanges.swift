/// Ranges of bytes, joined where they touch.
struct ByteRanges {
    private var found: [Range<Int64>] = []

    mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        // Mostly they come in order.
        if let last = found.last, last.upperBound == range.lowerBound {
            found[found.count - 1] = last.lowerBound..<range.upperBound
        } else {
            found.append(range)
        }
    }

    /// How many there are, before they are sorted.
    var count: Int { found.count }

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

    /// What lies between `joined` ranges in a region.
    static func gaps(in region: Range<Int64>, between joined: [Range<Int64>]) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var position = region.lowerBound
        for range in joined where range.upperBound > region.lowerBound && range.lowerBound < region.upperBound {
            if range.lowerBound > position { gaps.append(position..<range.lowerBound) }
            position = max(position, range.upperBound)
        }
        if position < region.upperBound { gaps.append(position..<region.upperBound) }
        return gaps
    }
}
