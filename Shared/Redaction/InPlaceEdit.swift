/// Changes to a file that keep its size, and so every offset in it.
struct InPlaceEdit {
    private struct Change {
        let start: Int64
        let piece: Redaction.Piece
    }

    private var changes: [Change] = []

    /// Puts bytes over those at an offset.
    mutating func write(_ bytes: [UInt8], at start: Int64) {
        guard !bytes.isEmpty else { return }
        changes.append(Change(start: start, piece: .literal(bytes)))
    }

    /// Puts zeros into a range.
    mutating func clear(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        changes.append(Change(start: range.lowerBound, piece: .zeros(Int64(range.count))))
    }

    /// The changed file.
    ///
    /// - Throws: `damaged` when changes lie over each other or outside, which parts of a whole file do not.
    func redaction(of byteCount: Int64) throws(RedactionError) -> Redaction {
        guard changes.count <= Redaction.maximumPieceCount / 2 else { throw RedactionError(.tooLarge, "parts") }
        var redaction = Redaction()
        var position: Int64 = 0
        for change in changes.sorted(by: { $0.start < $1.start }) {
            let end = change.start + change.piece.byteCount
            guard change.start >= position, end <= byteCount else {
                throw RedactionError(.damaged, "parts lie over each other")
            }
            redaction.append(.source(position..<change.start))
            redaction.append(change.piece)
            position = end
        }
        redaction.append(.source(position..<byteCount))
        return redaction
    }
}
