/// Finds what was probably meant by a word that is not known.
enum Suggestion {
    /// The nearest of `candidates`, if it is near: at most a third of its letters away, two for short words.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let word = word.lowercased()
        let ranked = candidates.map { (name: $0, distance: distance(word, $0.lowercased())) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        if best.distance <= min(2 + word.count / 6, max(1, best.name.count / 2)) { return best.name }
        return word.count < 3 ? nil : candidates.first { $0.lowercased().hasPrefix(word) }
    }

    /// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.unicodeScalars.prefix(64))
        let right = Array(right.unicodeScalars.prefix(64))
        var rows = [Array(0...right.count)]
        for row in 0..<left.count {
            var next = [row + 1]
            for column in 0..<right.count {
                let isSame = left[row] == right[column]
                var cost = min(rows[row][column + 1] + 1, next[column] + 1, rows[row][column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, rows[row - 1][column - 1] + 1)
                }
                next.append(cost)
            }
            rows.append(next)
        }
        return rows[left.count][right.count]
    }
}
