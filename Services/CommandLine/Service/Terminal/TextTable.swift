private import Consent

/// Rows of text under headings, each column as wide as it must be.
package struct TextTable {
    private let headings: [String]
    private var rows: [[String]] = []

    package init(_ headings: String...) { self.headings = headings }

    /// Adds a row; texts of others are made harmless.
    package mutating func add(_ cells: String?...) {
        rows.append(cells.map { $0.map { EscapedText.shown($0, limit: 512) } ?? "-" })
    }

    /// The lines, headings first; empty when there are no rows.
    package var lines: [String] {
        guard !rows.isEmpty else { return [] }
        let all = [headings] + rows
        let widths = headings.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            return cells.joined(separator: "  ")
        }
    }
}

/// A line of a list whose later lines are not known yet: columns of usual widths, the one that varies most last.
enum TextRow {
    /// Each cell but the last as wide as it says; a longer one is not cut.
    static func line(_ cells: (text: String, width: Int)..., last: String) -> String {
        let padded = cells.map { cell in
            cell.text + String(repeating: " ", count: max(0, cell.width - cell.text.count))
        }
        return (padded + [last]).joined(separator: "  ")
    }
}

extension Terminal {
    /// Writes a table, its headings dim; `empty` stands for one without rows.
    package func write(_ table: TextTable, orSay empty: String) {
        let lines = table.lines
        guard let headings = lines.first else { return writeLine(empty) }
        writeLine(headings, .dim)
        for line in lines.dropFirst() { writeLine(line) }
    }
}
