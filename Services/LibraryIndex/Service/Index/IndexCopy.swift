package import Timekeeping

/// The name of a copy of the index: when it was made, and how far the library had come.
///
/// `library-20261201T013107Z-42.sqlite`; names of the same library sort by time.
package struct IndexCopy: Hashable, Sendable {
    /// When it was made; whole seconds.
    package let time: Timestamp
    /// The number of the last change that is in it.
    package let generation: Int64

    init(time: Timestamp, generation: Int64) {
        self.time = Timestamp(microseconds: time.microseconds - time.microseconds % 1_000_000)
        self.generation = generation
    }

    /// Reads a name; nil for any other file.
    package init?(name: String) {
        guard name.hasPrefix("library-"), name.hasSuffix(".sqlite") else { return nil }
        let parts = name.dropFirst(8).dropLast(7).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 16, let generation = Int64(parts[1]) else { return nil }
        var text = String(parts[0])
        for (offset, mark) in [(4, "-"), (7, "-"), (13, ":"), (16, ":")] {
            text.insert(contentsOf: mark, at: text.index(text.startIndex, offsetBy: offset))
        }
        guard let time = Timestamp(text) else { return nil }
        self.init(time: time, generation: generation)
        guard self.name == name else { return nil }
    }

    /// The file's name.
    package var name: String {
        "library-\(time.description.filter { $0 != "-" && $0 != ":" })-\(generation).sqlite"
    }
}
