import Foundation
import LibraryIndexService
import Media
import MessageSchema
import TestSupport
import Testing

/// The real pictures and films that `Tests/Corpus/fetch` brings.
private enum Corpus {
    static let directory: URL = {
        var place = URL(filePath: #filePath)
        for _ in 0..<3 { place.deleteLastPathComponent() }
        return place.appending(path: ".build/corpus/exiftool")
    }()

    static var isThere: Bool { FileManager.default.fileExists(atPath: directory.appending(path: ".complete").path) }

    static var files: [URL] {
        let all = (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
        return all.filter { $0.lastPathComponent.first != "." }.sorted { $0.path < $1.path }
    }
}

@Suite(.tags(.system, .slow), .timeLimit(.minutes(5)))
struct CorpusTests {
    /// Outcome and reason of each file, by name.
    private func importAll(into library: Library) async throws -> [String: String] {
        var found: [String: String] = [:]
        for file in Corpus.files {
            let bytes = Array(try Data(contentsOf: file))
            let imported = try await library.importFile(bytes, named: file.lastPathComponent)
            let state = imported.record?.state.rawValue ?? ""
            found[file.lastPathComponent] = "\(imported.outcome.rawValue) \(state) \(imported.reason ?? "")"
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
            #expect(first.count == Corpus.files.count)
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
