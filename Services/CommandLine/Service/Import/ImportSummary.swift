/// What came of an import; `found` is the sum of what was imported, duplicates, skipped and failed.
package struct ImportSummary: Encodable, Sendable {
    /// A file and why it was not imported.
    package struct Reason: Encodable, Sendable, Hashable {
        package let path: String
        package let reason: String
    }

    /// Files that are in the library now and were not before.
    package private(set) var imported = 0
    /// Files whose bytes the library had already.
    package private(set) var duplicates = 0
    /// Files that are in the library, whether before or now, and that can not be viewed or played as they should.
    package private(set) var damaged: [Reason] = []
    /// Files that are no media, or empty, or no regular files.
    package private(set) var skipped: [Reason] = []
    /// Files that should have been imported and were not.
    package private(set) var failed: [Reason] = []
    /// Whether one of those that were skipped was named by itself: it was wanted, and was not imported.
    package private(set) var missesNamed = false

    package init() {}

    /// All that were looked at; damaged ones are among those imported and the duplicates.
    package var found: Int { imported + duplicates + skipped.count + failed.count }

    mutating func addImported() { imported += 1 }
    mutating func addDuplicate() { duplicates += 1 }
    mutating func flaw(_ path: String, _ reason: String) { damaged.append(Reason(path: path, reason: reason)) }
    mutating func skip(_ path: String, _ reason: String, isNamed: Bool) {
        skipped.append(Reason(path: path, reason: reason))
        if isNamed { missesNamed = true }
    }
    mutating func fail(_ path: String, _ reason: String) { failed.append(Reason(path: path, reason: reason)) }

    /// In the order of the paths, however the uploads ended.
    mutating func sort() {
        damaged.sort { $0.path < $1.path }
        skipped.sort { $0.path < $1.path }
        failed.sort { $0.path < $1.path }
    }

    private enum Key: String, CodingKey { case found, imported, duplicates, damaged, skipped, failed }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(found, forKey: .found)
        try container.encode(imported, forKey: .imported)
        try container.encode(duplicates, forKey: .duplicates)
        try container.encode(damaged, forKey: .damaged)
        try container.encode(skipped, forKey: .skipped)
        try container.encode(failed, forKey: .failed)
    }
}
