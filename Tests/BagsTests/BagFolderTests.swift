import Bags
import Files
import Foundation
import Hashing
import Media
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct `A bag with folders` {
    private static let contents = ["one", "two", "still", "moving", "other"]

    private static func asset(_ id: String, _ folders: [String], _ files: [(String, String)]) -> BagAsset {
        var asset = Samples.asset(id, files)
        asset.folders = folders
        return asset
    }

    private static let assets = [
        asset("11111111-aaaa", ["2026", "11"], [("IMG.JPG", "one")]),
        asset("22222222-bbbb", ["2026", "11"], [("img.jpg", "two")]),
        asset("33333333-cccc", ["2026", "12"], [("IMG.HEIC", "still"), ("IMG.MOV", "moving")]),
    ]
    private static let paths = [
        "2026/11/IMG.JPG", "2026/11/img-22222222.jpg", "2026/12/IMG.HEIC", "2026/12/IMG.MOV",
    ]

    /// Every path of a bag and its bytes, but for the journal, which tells inodes and times.
    private static func tree(_ bag: String) throws -> [String: Data] {
        var tree: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: bag) where path != ".obscura-journal" {
            tree[path] = FileManager.default.contents(atPath: bag + "/" + path) ?? Data()
        }
        return tree
    }

    @Test func `checks, and is not written twice`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            let first = try Samples.export(Self.assets, contents: Self.contents, to: bag)
            #expect(first.names.flatMap(\.self) == Self.paths)
            let before = try Self.tree(bag)
            #expect(Set(before.keys).isSuperset(of: Self.paths.map { "data/" + $0 }))
            #expect(try Samples.isValid(bag))
            #expect(try Samples.export(Self.assets.reversed(), contents: Self.contents, to: bag).copied == 0)
            try FileManager.default.removeItem(atPath: bag + "/.obscura-journal")
            #expect(try Samples.export(Self.assets, contents: Self.contents, to: bag).copied == 0)
            #expect(try Self.tree(bag) == before)
        }
    }

    @Test func `is after an error at any file operation what it is without`() throws {
        try withTemporaryDirectory { path, _ in
            try Samples.export(Self.assets, contents: Self.contents, to: path + "/whole")
            let whole = try Self.tree(path + "/whole")
            var operation = 1
            var wasReached = true
            while wasReached {
                let bag = path + "/bag-\(operation)"
                let faults = FileFaults(at: operation, .failOnce(28))
                // The failing run may end anywhere; what counts is the one after it.
                _ = try? FileFaults.$current.withValue(faults) {
                    try Samples.export(Self.assets, contents: Self.contents, to: bag)
                }
                wasReached = faults.isReached
                try Samples.export(Self.assets, contents: Self.contents, to: bag)
                #expect(try Self.tree(bag) == whole, "operation \(operation)")
                operation += 1
            }
            #expect(operation > 60)
        }
    }

    @Test func `renews a changed file where it lies, and keeps what lay there`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try Samples.export(Self.assets, contents: Self.contents, to: bag)
            let changed = URL(filePath: bag + "/data/2026/11/IMG.JPG")
            try Data("edited".utf8).write(to: changed)
            let again = try Samples.export(Self.assets, contents: Self.contents, to: bag)
            #expect(again.whole.repairs.map(\.path) == ["data/2026/11/IMG.JPG"])
            #expect(again.whole.repairs.map(\.kept) == ["changed/IMG.JPG"])
            #expect(try String(contentsOf: changed, encoding: .utf8) == "one")
            #expect(try Samples.isValid(bag))
        }
    }

    @Test func `takes a folder of another case or Unicode form for the same`() throws {
        try withTemporaryDirectory { path, _ in
            let assets = [
                Self.asset("1", ["Caf\u{E9}"], [("a.jpg", "one")]),
                Self.asset("2", ["CAFE\u{301}"], [("A.JPG", "two")]),
            ]
            let names = try Samples.export(assets, contents: Self.contents, to: path + "/bag").names
            #expect(names == [["Caf\u{E9}/a.jpg"], ["Caf\u{E9}/A-2.JPG"]])
        }
    }

    @Test func `gives a folder another name than a file has`() throws {
        try withTemporaryDirectory { path, _ in
            let file = Self.asset("1", [], [("2026", "one")])
            let inFolder = Self.asset("2", ["2026"], [("a", "two")])
            let bag = path + "/bag"
            let first = try Samples.export([file, inFolder], contents: Self.contents, to: bag)
            #expect(first.names == [["2026"], ["2026_/a"]])
            let again = try Samples.export([file, inFolder], contents: Self.contents, to: bag)
            #expect(again.copied == 0)
            let other = try Samples.export([inFolder, file], contents: Self.contents, to: path + "/other")
            #expect(other.names == [["2026/a"], ["2026-1"]])
            let otherAgain = try Samples.export([inFolder, file], contents: Self.contents, to: path + "/other")
            #expect(otherAgain.copied == 0)
        }
    }

    @Test(arguments: [
        (["..", ".."], "../../x.jpg", "asset/asset/_.._x.jpg"), (["/etc"], "passwd", "_etc/passwd"),
        (["", "a\u{0}\nb"], "x", "asset/ab/x"), (["CON"], "nul.jpg", "CON_/nul_.jpg"), (["."], ".", "asset/asset"),
    ])
    func `has nothing outside, whatever the folders are called`(
        folders: [String],
        name: String,
        expected: String
    ) throws {
        try withTemporaryDirectory { path, _ in
            let asset = Self.asset("1", folders, [(name, "one")])
            let names = try Samples.export([asset], contents: Self.contents, to: path + "/inner/bag").names
            #expect(names == [[expected]])
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["inner"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/inner") == ["bag"])
        }
    }

    @Test func `never goes through a link`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try Samples.export([], contents: [], to: bag)
            try FileManager.default.createDirectory(atPath: path + "/outside", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: bag + "/data/2026",
                withDestinationPath: path + "/outside"
            )
            let names = try Samples.export(Self.assets, contents: Self.contents, to: bag).names
            #expect(names.first == ["2026_/11/IMG.JPG"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/outside").isEmpty)
        }
    }

    @Test func `is named by a template`() throws {
        var subject = NameTemplate.Subject(filename: "a/b.JPG", kind: .photo, id: "0a1b")
        let template = try NameTemplate("{date:%Y/%m|undated}/{name}")
        let digest = SHA256Digest(hashing: "one")
        let undated = BagAsset(subject, named: template, digest: digest, byteCount: 3)
        #expect(undated.folders == ["undated"] && undated.outputs.map(\.name) == ["a/b.JPG"])
        subject.date = AssetDate(raw: "", local: "2026-11-30T03:45:00")
        #expect(BagAsset(subject, named: template, digest: digest, byteCount: 3).folders == ["2026", "11"])
        let plain = BagAsset(subject, named: nil, digest: digest, byteCount: 3)
        #expect(plain.folders.isEmpty && plain.outputs.map(\.name) == ["a/b.JPG"])
    }
}
