import Bags
import Files
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct `A bag with changed files` {
    private static let first = Samples.asset("11111111-aaaa", [("IMG.JPG", "one")])
    private static let second = Samples.asset("22222222-bbbb", [("img.jpg", "two")])
    private static let contents = ["one", "two"]

    /// Runs with a bag of both assets.
    private static func withBag(_ body: (String) throws -> Void) throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try Samples.export([first, second], contents: contents, to: bag)
            try body(bag)
        }
    }

    private static func write(_ text: String, _ file: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file))
    }

    private static func text(_ file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    /// By size, and by content alone; with the journal, without it, and without the manifest.
    @Test(
        arguments: ["eno", "one and more"],
        [[], [".obscura-journal"], ["manifest-sha256.txt", "tagmanifest-sha256.txt"]]
    )
    func `is whole again, with one copy of each, and has kept the changed bytes`(changed: String, lost: [String]) throws
    {
        try Self.withBag { bag in
            try Self.write(changed, bag + "/data/IMG.JPG")
            for name in lost { try FileManager.default.removeItem(atPath: bag + "/" + name) }
            let result = try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
            #expect(result.names == [["IMG.JPG"], ["img-22222222.jpg"]] && result.copied == 1)
            #expect(result.whole.repairs.map { [$0.path, $0.kept] } == [["data/IMG.JPG", "changed/IMG.JPG"]])
            #expect(result.whole.damaged == [])
            #expect(try Samples.payload(bag) == ["IMG.JPG", "img-22222222.jpg"])
            #expect(try Self.text(bag + "/data/IMG.JPG") == "one")
            #expect(try Self.text(bag + "/changed/IMG.JPG") == changed)
            #expect(try Samples.isValid(bag))
            #expect(try !Self.text(bag + "/manifest-sha256.txt").contains("changed/"))
            let again = try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
            #expect(again.copied == 0 && again.whole.repairs.isEmpty)
        }
    }

    @Test func `keeps every edit, each under a name of its own`() throws {
        try Self.withBag { bag in
            for edit in ["first edit", "second edit"] {
                try Self.write(edit, bag + "/data/IMG.JPG")
                try Samples.export([Self.first], contents: Self.contents, to: bag)
            }
            #expect(try Self.text(bag + "/changed/IMG.JPG") == "first edit")
            #expect(try Self.text(bag + "/changed/IMG-2.JPG") == "second edit")
            #expect(try Samples.isValid(bag))
        }
    }

    @Test func `says what it could not renew, and does not take it for what was exported`() throws {
        try Self.withBag { bag in
            try Self.write("eno", bag + "/data/IMG.JPG")
            let result = try Samples.export([Self.second], contents: Self.contents, to: bag)
            #expect(result.whole.damaged == ["data/IMG.JPG"] && result.whole.repairs.isEmpty)
            #expect(try Self.text(bag + "/data/IMG.JPG") == "eno")
            let problems = try BagVerifier.verify(Directory(opening: bag)).problems
            #expect(problems.map { "\($0.path) \($0.reason)" } == ["data/IMG.JPG changed"])
        }
    }

    @Test func `is renewed from a copy that it has under another name`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            let copy = Samples.asset("33333333-cccc", [("IMG.JPG", "one")])
            try Samples.export([Self.first, copy], contents: Self.contents, to: bag)
            try Self.write("eno", bag + "/data/IMG.JPG")
            let result = try Samples.export([copy], contents: [], to: bag)
            #expect(result.copied == 0 && result.whole.damaged == [])
            #expect(result.whole.repairs.map(\.kept) == ["changed/IMG.JPG"])
            #expect(try Samples.payload(bag) == ["IMG-33333333.JPG", "IMG.JPG"])
            #expect(try Samples.isValid(bag))
        }
    }

    @Test func `is renewed after a check, also where time and size are what they were`() throws {
        try Self.withBag { bag in
            let file = bag + "/data/IMG.JPG"
            let date = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate]
            let handle = try #require(FileHandle(forWritingAtPath: file))
            try handle.write(contentsOf: Data("eno".utf8))
            try handle.close()
            try FileManager.default.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: file)
            #expect(try !Samples.isValid(bag))
            let result = try Samples.export([Self.first], contents: Self.contents, to: bag)
            #expect(result.whole.repairs.count == 1)
            #expect(try Samples.isValid(bag))
            #expect(try Self.text(bag + "/changed/IMG.JPG") == "eno")
        }
    }

    @Test func `loses nothing by an error at any file operation`() throws {
        var operation = 1
        var wasReached = true
        while wasReached {
            try Self.withBag { bag in
                try Self.write("edited", bag + "/data/IMG.JPG")
                let faults = FileFaults(at: operation, .failOnce(28))
                // The failing run may end anywhere; what counts is the one after it.
                _ = try? FileFaults.$current.withValue(faults) {
                    try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
                }
                wasReached = faults.isReached
                try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
                #expect(try Samples.payload(bag) == ["IMG.JPG", "img-22222222.jpg"], "operation \(operation)")
                #expect(try Self.text(bag + "/changed/IMG.JPG") == "edited", "operation \(operation)")
                #expect(try Samples.isValid(bag), "operation \(operation)")
            }
            operation += 1
        }
        #expect(operation > 20)
    }

    @Test(arguments: Array(stride(from: 12, through: 44, by: 4)))
    func `loses nothing by a kill`(operation: Int) async throws {
        try await withTemporaryDirectory { path in
            let bag = path + "/bag"
            try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
            try Self.write("edited", bag + "/data/IMG.JPG")
            // Killed or, beyond its last operation, done: what counts is the run after it.
            await #expect(processExitsWith: .signal(9)) { [bag = bag as String, operation = operation as Int] in
                try FileFaults.$current.withValue(FileFaults(at: operation, .kill)) {
                    for _ in 1...3 {
                        _ = try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
                    }
                }
            }
            try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
            #expect(try Samples.payload(bag) == ["IMG.JPG", "img-22222222.jpg"])
            #expect(try Self.text(bag + "/changed/IMG.JPG") == "edited")
            #expect(try Samples.isValid(bag))
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A bag that nothing was put into` {
    private static let asset = Samples.asset("11111111-aaaa", [("IMG.JPG", "one")])

    private static func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test func `leaves nothing of itself, and what was there before`() throws {
        try withTemporaryDirectory { path, _ in
            try Data().write(to: URL(filePath: path + "/.hidden"))
            let writer = try BagWriter(Directory(opening: path))
            writer.removeIfEmpty()
            #expect(try Self.names(path) == [".hidden"])
        }
    }

    @Test func `is left alone when it was there before, or has a file`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try Samples.export([], contents: [], to: bag)
            let before = try Self.names(bag)
            let writer = try BagWriter(Directory(opening: bag))
            writer.removeIfEmpty()
            #expect(try Self.names(bag) == before)

            var other = try BagWriter(Directory(creating: path + "/other"))
            let file = try other.place(Self.asset)[0]
            var copy = try other.begin(file)
            try copy.write(Array("one".utf8))
            try other.finish(copy)
            other.removeIfEmpty()
            #expect(try Samples.payload(path + "/other") == ["IMG.JPG"])
            let error = #expect(throws: BagError.self) { try BagVerifier.verify(Directory(opening: path + "/other")) }
            #expect(error?.code == .unfinished)
        }
    }
}
