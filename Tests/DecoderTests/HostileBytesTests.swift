import Containers
import DecoderService
import Foundation
import Imaging
import Media
import Movies
import TestSupport
import Testing

/// The seeds of the fuzz targets and, where it is there, the corpus, each changed many times by the same dice.
@Suite(.timeLimit(.minutes(5)))
struct `Hostile bytes` {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        /// SplitMix64 (prng.di.unimi.it/splitmix64.c).
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private static let seeds: String = {
        var place = URL(filePath: #filePath)
        for _ in 0..<2 { place.deleteLastPathComponent() }
        return place.appending(path: "Fuzz/Seeds").path
    }()

    private static func read(_ bytes: [UInt8]) {
        let input = RandomAccessBytes(bytes)
        _ = PictureReader.read(input, type: FileType(recognising: input))
        _ = EXIFReader.read(input)
        _ = MovieReader.read(input)
        if let still = HEIFReader(input) { _ = (still.metadata, still.isCutShort) }
    }

    private static func changed(_ bytes: [UInt8], by dice: inout Dice) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...8, using: &dice) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &dice)
            switch Int.random(in: 0..<4, using: &dice) {
            case 0: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &dice) ?? 0
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...64, using: &dice)))
            default:
                for index in place..<min(bytes.count, place + 4) { bytes[index] = 0xFF }
            }
        }
        return bytes
    }

    @Test(arguments: ["pictures", "movies", "stills"])
    func `of every seed neither trap nor hang a reader`(folder: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.seeds + "/" + folder).sorted()
        #expect(!names.isEmpty)
        for (number, name) in names.enumerated() {
            let whole = Array(try Data(contentsOf: URL(filePath: Self.seeds).appending(path: folder + "/" + name)))
            for length in whole.indices { Self.read(Array(whole.prefix(length))) }
            var dice = Dice(state: UInt64(number))
            for _ in 0..<3000 { Self.read(Self.changed(whole, by: &dice)) }
        }
    }

    @Test(.enabled(if: Corpus.isThere))
    func `of every real file neither trap nor hang a reader`() throws {
        for (number, name) in Corpus.names.enumerated() {
            let whole = try Corpus.bytes(name)
            var dice = Dice(state: UInt64(number))
            for _ in 0..<60 { Self.read(Self.changed(whole, by: &dice)) }
        }
    }

    @Test func `of a still are read as its boxes say`() throws {
        let bytes = Array(try Data(contentsOf: URL(filePath: Self.seeds).appending(path: "stills/grid.heic")))
        let still = try #require(HEIFReader(RandomAccessBytes(bytes)))
        #expect(still.metadata.width == 16 && still.metadata.height == 16)
        // A quarter turn against the clock, then left and right exchanged.
        #expect(still.metadata.orientation == Orientation.left.then(.upMirrored))
        #expect(still.metadata.cameraMake == "M")
        #expect(!still.isCutShort)
    }
}
