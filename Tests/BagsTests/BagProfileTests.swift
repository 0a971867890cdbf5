import Bags
import Files
import Foundation
import Hashing
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The privacy profile of a bag` {
    private static let original = Samples.asset("11111111-aaaa", [("IMG.JPG", "one")])
    private static let cleaned = Samples.asset("22222222-bbbb", [("img2.jpg", "two")])
    private static let contents = ["one", "two"]

    private static func put(_ asset: BagAsset, into bag: String, _ profile: String?) throws -> Int {
        try Samples.export([asset], contents: contents, to: bag, profile: profile).copied
    }

    @Test(arguments: [("none", "location"), ("location", "none"), ("location", "all"), ("all", "location")])
    func `is that of the first export, and another one puts nothing into it`(first: String, second: String) throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            #expect(try Self.put(Self.original, into: bag, first) == 1)
            let info = try String(contentsOfFile: bag + "/bag-info.txt", encoding: .utf8)
            #expect(info.contains("Obscura-Privacy-Profile: \(first)\n"))
            let error = #expect(throws: BagError.self) { _ = try Self.put(Self.cleaned, into: bag, second) }
            #expect(error?.code == .otherProfile)
            #expect(error?.detail.contains(first) == true && error?.detail.contains(second) == true)
            #expect(try Samples.payload(bag) == ["IMG.JPG"])
            #expect(try Samples.isValid(bag))
            #expect(try Self.put(Self.cleaned, into: bag, first) == 1)
            #expect(try Samples.isValid(bag))
        }
    }

    @Test(arguments: [[".obscura-journal"], ["bag-info.txt"], ["bag-info.txt", "manifest-sha256.txt"]])
    func `is known though its journal is lost, or what tells it`(lost: [String]) throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            #expect(try Self.put(Self.cleaned, into: bag, "location") == 1)
            for name in lost { try FileManager.default.removeItem(atPath: bag + "/" + name) }
            #expect(throws: BagError.self) { _ = try Self.put(Self.original, into: bag, "none") }
            #expect(try Self.put(Self.cleaned, into: bag, "location") == 0)
            #expect(throws: BagError.self) { _ = try Self.put(Self.original, into: bag, "none") }
            #expect(try Samples.isValid(bag))
        }
    }

    @Test(arguments: [nil, ".obscura-journal"])
    func `is known of a bag that a kill left without a manifest`(lost: String?) throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            do {
                var writer = try BagWriter(Directory(creating: bag), profile: "location")
                let placed = try #require(try writer.place(Self.cleaned).first)
                var copy = try writer.begin(placed)
                try copy.write(Array("two".utf8))
                try writer.finish(copy)
            }
            if let lost { try FileManager.default.removeItem(atPath: bag + "/" + lost) }
            let error = #expect(throws: BagError.self) { _ = try Self.put(Self.original, into: bag, "none") }
            #expect(error?.code == .otherProfile)
            #expect(try Self.put(Self.cleaned, into: bag, "location") == 0)
            #expect(try Samples.isValid(bag))
        }
    }

    @Test func `of files of which nothing is said is none: they may be originals`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            let copied = try Self.put(Self.original, into: bag, nil)
            #expect(copied == 1)
            #expect(throws: BagError.self) { _ = try Self.put(Self.cleaned, into: bag, "location") }
            #expect(try Self.put(Self.cleaned, into: bag, "none") == 1)
        }
    }

    @Test func `is gone with a bag into which nothing was put`() throws {
        try withTemporaryDirectory { path, _ in
            let bag = path + "/bag"
            let writer = try BagWriter(Directory(creating: bag), profile: "all")
            writer.removeIfEmpty()
            #expect(try FileManager.default.contentsOfDirectory(atPath: bag).isEmpty)
            #expect(try Self.put(Self.original, into: bag, "none") == 1)
        }
    }
}
