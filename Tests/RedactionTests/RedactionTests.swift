import Containers
import Foundation
import MessageSchema
import Redaction
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct `A redaction` {
    private static let source: [UInt8] = Array(0..<100)

    private var sample: Redaction {
        var redaction = Redaction()
        redaction.append(.source(10..<20))
        redaction.append(.source(20..<25))
        redaction.append(.literal([200, 201]))
        redaction.append(.zeros(3))
        redaction.append(.zeros(1))
        redaction.append(.source(90..<100))
        return redaction
    }

    private var whole: [UInt8] {
        Array(10..<25) + [200, 201] + [0, 0, 0, 0] + Array(90..<100)
    }

    @Test func `joins pieces that go on`() {
        #expect(sample.pieces == [.source(10..<25), .literal([200, 201]), .zeros(4), .source(90..<100)])
        #expect(sample.byteCount == 31)
    }

    @Test func `reads the same bytes at any offset and length`() {
        for offset in 0...32 {
            for count in 0...33 {
                let read = sample.bytes(at: Int64(offset), count: count, from: RandomAccessBytes(Self.source))
                #expect(read == Array(whole.dropFirst(offset).prefix(count)))
            }
        }
        #expect(sample.pieces(at: -1, count: 4).isEmpty)
    }

    @Test func `reads back from its bytes, and from no others`() {
        let encoded = sample.encoded
        #expect(Redaction(encoded: encoded, ofSourceWith: 100) == sample)
        #expect(Redaction(encoded: encoded, ofSourceWith: 99) == nil)
        for count in 1..<encoded.count where Redaction(encoded: Array(encoded.prefix(count)), ofSourceWith: 100) != nil
        {
            // Whole pieces are a redaction, too.
            #expect([17, 36, 53].contains(count))
        }
    }

    @Test func `does not read back with more bytes than the original and the new ones have together`() {
        var redaction = Redaction()
        redaction.append(.source(0..<100))
        redaction.append(.zeros(1 << 61))
        #expect(Redaction(encoded: redaction.encoded, ofSourceWith: 100) == nil)
        // The same bytes over and over.
        var again = Redaction()
        for _ in 0..<1000 {
            again.append(.source(0..<100))
        }
        #expect(Redaction(encoded: again.encoded, ofSourceWith: 100) == nil)
        #expect(Redaction(encoded: Redaction(unchanged: 100).encoded, ofSourceWith: 100) != nil)
    }

    @Test func `of the profile none is the file`() throws {
        let file = try Cleaned("a", Self.source, .none)
        #expect(file.bytes == Self.source)
    }

    @Test(.enabled(if: Corpus.isThere), arguments: [PrivacyProfile.location, .all])
    func `of damaged files is refused or made, and never ends the process`(profile: PrivacyProfile) throws {
        var random = Sequence(state: 0x9E37_79B9_7F4A_7C15)
        let names = Corpus.names.filter { name in
            ["jpg", "png", "tif", "dng", "webp", "gif", "heic", "mov"].contains { name.hasSuffix($0) }
        }
        try #require(names.count > 40)
        for name in names {
            let bytes = try Corpus.bytes(name)
            let type = FileType(recognising: RandomAccessBytes(bytes))
            for _ in 0..<40 {
                var damaged = bytes
                for _ in 0..<Int(random.next() % 8 + 1) {
                    damaged[Int(random.next() % UInt64(damaged.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                if random.next() % 4 == 0 { damaged.removeLast(Int(random.next() % UInt64(damaged.count))) }
                let source = RandomAccessBytes(damaged)
                guard let made = try? Redactor.redaction(of: source, type: type, profile: profile) else { continue }
                #expect(made.bytes(at: 0, count: Int(made.byteCount), from: source).count == Int(made.byteCount))
            }
        }
    }
}

/// The same numbers each time (xorshift64*, Vigna).
private struct Sequence {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
