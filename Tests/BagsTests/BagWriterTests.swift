import Bags
import Files
import Foundation
import Hashing
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct `A bag` {
    private static let first = Samples.asset("11111111-aaaa", [("IMG.JPG", "one")])
    private static let second = Samples.asset("22222222-bbbb", [("img.jpg", "two")])
    private static let contents = ["one", "two", "still", "moving", "other"]

    @Test func `has every file once, its tags, and a manifest that sha256sum accepts`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            let result = try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
            #expect(result.names == [["IMG.JPG"], ["img-22222222.jpg"]])
            #expect(try Samples.isValid(bag))
            let info = try String(contentsOfFile: bag + "/bag-info.txt", encoding: .utf8)
            #expect(info == "Bagging-Date: 2026-11-30\nPayload-Oxum: 6.2\n")
            let declaration = try String(contentsOfFile: bag + "/bagit.txt", encoding: .utf8)
            #expect(declaration == "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
            let check = Process()
            check.executableURL = URL(filePath: "/usr/bin/sha256sum")
            check.arguments = ["--strict", "--quiet", "-c", "manifest-sha256.txt", "tagmanifest-sha256.txt"]
            check.currentDirectoryURL = URL(filePath: bag)
            try check.run()
            check.waitUntilExit()
            #expect(check.terminationStatus == 0)
        }
    }

    @Test func `keeps the files of an asset under one suffix`() throws {
        try withTemporaryDirectory { path, _ in
            let pair = Samples.asset("33333333-cccc", [("IMG.HEIC", "still"), ("IMG.JPG", "moving")])
            let result = try Samples.export([Self.first, pair], contents: Self.contents, to: path + "/bag")
            #expect(result.names[1] == ["IMG-33333333.HEIC", "IMG-33333333.JPG"])
        }
    }

    @Test(arguments: [[0, 1], [1, 0]], ["journal", "manifest", "both", "neither"])
    func `that is written again copies nothing, in any order, whatever was lost`(order: [Int], lost: String) throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            let assets = [Self.first, Self.second]
            try Samples.export(assets, contents: Self.contents, to: bag)
            let before = try Samples.payload(bag)
            if lost == "journal" || lost == "both" {
                try FileManager.default.removeItem(atPath: bag + "/.obscura-journal")
            }
            if lost == "manifest" || lost == "both" {
                for name in ["manifest-sha256.txt", "tagmanifest-sha256.txt", "bagit.txt", "bag-info.txt"] {
                    try FileManager.default.removeItem(atPath: bag + "/" + name)
                }
            }
            let again = try Samples.export(order.map { assets[$0] }, contents: Self.contents, to: bag)
            #expect(again.copied == 0)
            #expect(try Samples.payload(bag) == before)
            #expect(try Samples.isValid(bag))
        }
    }

    @Test func `takes more later and keeps what it had`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try Samples.export([Self.first], contents: Self.contents, to: bag)
            let result = try Samples.export([Self.second], contents: Self.contents, to: bag)
            #expect(result.copied == 1)
            #expect(try Samples.payload(bag) == ["IMG.JPG", "img-22222222.jpg"])
            #expect(try Samples.isValid(bag))
        }
    }

    @Test func `never replaces a file that it does not know`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try Samples.export([], contents: [], to: bag)
            try Data("own".utf8).write(to: URL(filePath: bag + "/data/IMG.JPG"))
            let result = try Samples.export([Self.first], contents: Self.contents, to: bag)
            #expect(result.names == [["IMG-11111111.JPG"]])
            #expect(try Data(contentsOf: URL(filePath: bag + "/data/IMG.JPG")) == Data("own".utf8))
            #expect(result.whole.unlisted == ["data/IMG.JPG"])
        }
    }

    private static func problems(_ bag: String) throws -> [String] {
        try BagVerifier.verify(Directory(opening: bag)).problems.map { "\($0.path) \($0.reason)" }
    }

    @Test(arguments: [[], [".obscura-journal"]])
    func `does not say of a stranger's file that it was exported`(lost: [String]) throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try Samples.export([Self.first], contents: Self.contents, to: bag)
            for name in lost { try FileManager.default.removeItem(atPath: bag + "/" + name) }
            try FileManager.default.createDirectory(atPath: bag + "/data/more", withIntermediateDirectories: true)
            for name in ["mine.txt", "more/mine.txt"] {
                try Data("hi".utf8).write(to: URL(filePath: bag + "/data/" + name))
            }
            let strange = ["data/mine.txt", "data/more/mine.txt"]
            for _ in 1...2 {
                let whole = try Samples.export([Self.second], contents: Self.contents, to: bag).whole
                #expect(whole.unlisted == strange && whole.missing == [] && whole.files == 2 && whole.bytes == 6)
                #expect(try Self.problems(bag) == strange.map { "\($0) unlisted" })
            }
            for name in ["mine.txt", "more"] { try FileManager.default.removeItem(atPath: bag + "/data/" + name) }
            #expect(try Samples.isValid(bag))
        }
    }

    @Test func `names what is gone and not of this export, until it is there again`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
            try FileManager.default.removeItem(atPath: bag + "/data/IMG.JPG")
            let other = Samples.asset("33333333-cccc", [("IMG.JPG", "other")])
            let whole = try Samples.export([Self.second, other], contents: Self.contents, to: bag).whole
            #expect(whole.missing == ["data/IMG.JPG"] && whole.unlisted == [] && whole.files == 2)
            #expect(try Samples.payload(bag) == ["IMG-33333333.JPG", "img-22222222.jpg"])
            #expect(try Self.problems(bag) == ["data/IMG.JPG missing"])
            #expect(try Samples.export([Self.first], contents: Self.contents, to: bag).whole.missing == [])
            #expect(try Samples.isValid(bag))
        }
    }

    @Test func `without its manifest lists what its journal has, and nothing else, with the hash it had`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
            for name in ["manifest-sha256.txt", "tagmanifest-sha256.txt"] {
                try FileManager.default.removeItem(atPath: bag + "/" + name)
            }
            try Data("edited".utf8).write(to: URL(filePath: bag + "/data/IMG.JPG"))
            try Data("hi".utf8).write(to: URL(filePath: bag + "/data/mine.txt"))
            let whole = try Samples.export([], contents: [], to: bag).whole
            #expect(whole.damaged == ["data/IMG.JPG"] && whole.unlisted == ["data/mine.txt"] && whole.files == 2)
            #expect(try Self.problems(bag) == ["data/IMG.JPG changed", "data/mine.txt unlisted"])
        }
    }

    @Test func `without its declaration is said to lack it, once`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try Samples.export([Self.first], contents: Self.contents, to: bag)
            try FileManager.default.removeItem(atPath: bag + "/bagit.txt")
            #expect(try Self.problems(bag) == ["bagit.txt missing"])
            #expect(try BagVerifier.verify(Directory(opening: bag)).lacksDeclaration)
        }
    }

    @Test func `refuses bytes that are not those announced and keeps nothing of them`() throws {
        try withTemporaryDirectory { path, directory in
            var writer = try BagWriter(Directory(creating: path + "/bag"))
            for wrong in ["on", "one!", "eno"] {
                let file = try writer.place(Samples.asset("x\(wrong)", [("\(wrong).jpg", "one")]))[0]
                let error = #expect(throws: BagError.self) { try Self.copy(wrong, as: file, with: &writer) }
                #expect(error?.code == .contentMismatch)
            }
            #expect(try Samples.payload(path + "/bag").allSatisfy { $0.hasSuffix(".partial") })
            _ = consume writer
            _ = try BagWriter(Directory(opening: path + "/bag"))
            #expect(try Samples.payload(path + "/bag") == [])
        }
    }

    private static func copy(_ text: String, as file: PlacedFile, with writer: inout BagWriter) throws {
        var copy = try writer.begin(file)
        try copy.write(Array(text.utf8))
        try writer.finish(copy)
    }

    @Test func `is not written into a directory with other files, nor by two at once`() throws {
        try withTemporaryDirectory { path, _ in
            try Data().write(to: URL(filePath: path + "/letter.txt"))
            let other = #expect(throws: BagError.self) { _ = try BagWriter(Directory(opening: path)) }
            #expect(other?.code == .notABag)
            let held = try BagWriter(Directory(creating: path + "/bag"))
            let second = #expect(throws: BagError.self) { _ = try BagWriter(Directory(opening: path + "/bag")) }
            #expect(second?.code == .inUse)
            _ = consume held
        }
    }

    @Test func `does not follow a link out of its directory`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try FileManager.default.createDirectory(atPath: path + "/outside", withIntermediateDirectories: true)
            try FileManager.default.createDirectory(atPath: bag, withIntermediateDirectories: true)
            makeSymbolicLink(at: bag + "/data", to: path + "/outside")
            #expect(throws: BagError.self) { try Samples.export([Self.first], contents: Self.contents, to: bag) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/outside").isEmpty)
        }
    }

    @Test func `tells missing, changed and unlisted files and tags apart`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
            try FileManager.default.removeItem(atPath: bag + "/data/IMG.JPG")
            try Data("new".utf8).write(to: URL(filePath: bag + "/data/new.txt"))
            try Data("x".utf8).write(to: URL(filePath: bag + "/bag-info.txt"))
            let problems = try BagVerifier.verify(Directory(opening: bag)).problems
            #expect(
                Set(problems.map { "\($0.path) \($0.reason)" }) == [
                    "data/IMG.JPG missing",
                    "data/new.txt unlisted",
                    "bag-info.txt changed",
                ]
            )
        }
    }

    @Test func `survives an error at every single file operation`() throws {
        let assets = [Self.first, Self.second]
        var operation = 1
        var wasReached = true
        while wasReached {
            try withTemporaryDirectory { path, _ in
                let bag = path + "/bag"
                let faults = FileFaults(at: operation, .failOnce(28))
                // The failing run may end anywhere; what counts is the one after it.
                _ = try? FileFaults.$current.withValue(faults) {
                    try Samples.export(assets, contents: Self.contents, to: bag)
                }
                wasReached = faults.isReached
                try Samples.export(assets, contents: Self.contents, to: bag)
                #expect(try Samples.payload(bag) == ["IMG.JPG", "img-22222222.jpg"], "operation \(operation)")
                #expect(try Samples.isValid(bag), "operation \(operation)")
            }
            operation += 1
        }
        #expect(operation > 30)
    }

    @Test(arguments: Array(stride(from: 3, through: 60, by: 3)))
    func `survives a kill`(operation: Int) async throws {
        try await withTemporaryDirectory { path in
            let bag = path + "/bag"
            // Beyond the last operation the child ends well; before it, it is killed.
            await #expect(processExitsWith: operation > Self.operationCount ? .success : .signal(9)) {
                [bag = bag as String, operation = operation as Int] in
                try FileFaults.$current.withValue(FileFaults(at: operation, .kill)) {
                    _ = try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
                }
            }
            try Samples.export([Self.first, Self.second], contents: Self.contents, to: bag)
            #expect(try Samples.payload(bag) == ["IMG.JPG", "img-22222222.jpg"])
            #expect(try Samples.isValid(bag))
        }
    }

    /// How many file operations a whole export of the two assets has.
    private static let operationCount: Int = {
        let faults = FileFaults()
        // A failure here makes the tests above fail for a reason of their own.
        try? withTemporaryDirectory { path, _ in
            _ = try FileFaults.$current.withValue(faults) {
                try Samples.export([first, second], contents: contents, to: path + "/bag")
            }
        }
        return faults.operations.count
    }()
}

@Suite(.timeLimit(.minutes(1)))
struct `A manifest` {
    @Test func `escapes line ends and percent signs and nothing else`() throws {
        let digest = SHA256Digest(hashing: "x")
        let paths = ["data/a%b", "data/c\nd", "data/e\rf", "data/g\r\nh", "data/plain ü", "data/%25"]
        let digests = Dictionary(uniqueKeysWithValues: paths.map { ($0, digest) })
        let bytes = BagManifest.encoded(digests)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == paths.count)
        #expect(lines.contains("\(digest)  data/g%0D%0Ah"))
        #expect(try BagManifest.decoded(bytes) == digests)
    }

    @Test(arguments: ["nonsense", "abc  data/x", "\(SHA256Digest(hashing: "x"))"])
    func `with a line that is none is refused`(text: String) {
        #expect(throws: BagError.self) { try BagManifest.decoded(Array(text.utf8)) }
    }
}
