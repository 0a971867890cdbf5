import Bags
import Files
import Foundation
import Hashing

/// Assets with content, and the ways tests put them into bags.
enum Samples {
    static func asset(_ id: String, _ files: [(String, String)]) -> BagAsset {
        BagAsset(
            id: id,
            outputs: files.map { name, content in
                BagAsset.Output(
                    name: name,
                    digest: SHA256Digest(hashing: content),
                    byteCount: Int64(content.utf8.count)
                )
            }
        )
    }

    /// Exports assets whose content is in `contents` by hash; gives the names and how many were copied.
    @discardableResult
    static func export(_ assets: [BagAsset], contents: [String], to path: String, profile: String? = nil) throws -> (
        names: [[String]], copied: Int, whole: BagSummary
    ) {
        let known = Dictionary(uniqueKeysWithValues: Set(contents).map { (SHA256Digest(hashing: $0), $0) })
        var writer = try BagWriter(Directory(creating: path), profile: profile)
        var names: [[String]] = []
        var copied = 0
        for asset in assets {
            let files = try writer.place(asset)
            names.append(files.map(\.name))
            for file in files where !file.isPresent {
                var copy = try writer.begin(file)
                for byte in (known[file.digest] ?? "").utf8 { try copy.write([byte]) }
                try writer.finish(copy)
                copied += 1
            }
        }
        let whole = try writer.seal(info: [("Bagging-Date", "2026-11-30")])
        return (names, copied, whole)
    }

    static func isValid(_ path: String) throws -> Bool {
        try BagVerifier.verify(Directory(opening: path)).isValid
    }

    static func payload(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/data").sorted()
    }
}
