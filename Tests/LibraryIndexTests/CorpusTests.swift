import Foundation
import LibraryIndexService
import Media
import MessageSchema
import TestSupport
import Testing

@Suite(.tags(.system, .slow), .timeLimit(.minutes(5)))
struct CorpusTests {
    /// Outcome and reason of each file, by name.
    private func importAll(into library: Library) async throws -> [String: String] {
        var found: [String: String] = [:]
        for name in Corpus.names {
            let imported = try await library.importFile(try Corpus.bytes(name), named: name)
            let state = imported.record?.state.rawValue ?? ""
            found[name] = "\(imported.outcome.rawValue) \(state) \(imported.reason ?? "")"
        }
        return found
    }

    @Test(.enabled(if: Corpus.isThere, "run Tests/Corpus/fetch first"))
    func `two fresh libraries take the same files the same way, and all are duplicates the second time`() async throws {
        try await withTemporaryDirectory { path in
            let library = try await TestLibrary.open("\(path)/a")
            let first = try await importAll(into: library)
            let other = try await importAll(into: try await TestLibrary.open("\(path)/b"))
            #expect(first == other)
            #expect(first.count == Corpus.names.count)
            let skipped = first.filter { $0.value.hasPrefix("skipped") }
            let reasons = skipped.values.map { $0.dropFirst("skipped  ".count) }
            #expect(!reasons.contains(""))
            let again = try await importAll(into: library)
            for (name, outcome) in again {
                #expect(outcome.hasPrefix("duplicate") || skipped[name] == outcome, "\(name): \(outcome)")
            }
            let kept = try await library.all()
            #expect(kept.count == first.values.count(where: { $0.hasPrefix("imported") }))
            let damaged = try await library.verify().damaged
            #expect(damaged.isEmpty)
            Attachment.record(
                first.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n"),
                named: "outcomes.txt"
            )
        }
    }
}
