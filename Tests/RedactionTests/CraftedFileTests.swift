import Containers
import MessageSchema
import Redaction
import Testing

/// Files put together byte by byte, as no tool writes them.
@Suite(.timeLimit(.minutes(1)))
struct `A crafted file` {
    private func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private func box(_ name: String, _ payload: [UInt8]) -> [UInt8] {
        big(UInt32(payload.count + 8)) + Array(name.utf8) + payload
    }

    private func full(_ name: String, flags: UInt32 = 0, _ payload: [UInt8]) -> [UInt8] {
        box(name, big(flags) + payload)
    }

    /// The head of a film with one track of pictures, number 1.
    private func head(
        uniform: UInt32 = 0,
        samples: UInt32 = 0,
        chunks: [UInt32] = [],
        fragmentSample: UInt32 = 0
    ) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: 60)
        let runs: [UInt8] = chunks.isEmpty ? big(0) : big(1) + big(1) + big(samples) + big(1)
        let offsets: [UInt8] = big(UInt32(chunks.count)) + chunks.flatMap { big($0) }
        let table = full("stsz", big(uniform) + big(samples)) + full("stsc", runs) + full("stco", offsets)
        let media = full("hdlr", big(0) + Array("vide".utf8) + zeros) + box("minf", box("stbl", table))
        let number = [0, 0, 1].flatMap { big($0) }
        let track = full("tkhd", number + zeros) + box("mdia", media)
        let defaults = full("trex", [1, 1, 0, fragmentSample, 0].flatMap { big($0) })
        let movie = full("mvhd", zeros) + box("trak", track) + box("mvex", defaults)
        return box("ftyp", Array("isom".utf8) + big(0)) + box("moov", movie)
    }

    private func cleaned(_ film: [UInt8], _ type: FileType = .mpeg4) throws -> [UInt8] {
        let source = RandomAccessBytes(film)
        let made = try Redactor.redaction(of: source, type: type, profile: .location)
        return made.bytes(at: 0, count: Int(made.byteCount), from: source)
    }

    @Test func `of several runs in a fragment keeps the samples of each, counted from one place`() throws {
        // Two runs with offsets from the start of the fragment, then a track that goes on where these end.
        func fragment(_ offsets: [UInt32]) -> [UInt8] {
            let runs = offsets.flatMap { full("trun", flags: 0x201, big(1) + big($0) + big(4)) }
            let first = box("traf", full("tfhd", big(1)) + runs)
            let second = box("traf", full("tfhd", big(1)) + full("trun", flags: 0x200, big(1) + big(4)))
            return box("moof", full("mfhd", big(1)) + first + second)
        }
        let start = UInt32(fragment([0, 0]).count) + 8
        let data = Array("AAAAxxxxBBBBCCCCyyyy".utf8)
        let film = head() + fragment([start, start + 8]) + box("mdat", data)
        let found = String(decoding: try cleaned(film).suffix(data.count), as: Unicode.ASCII.self)
        #expect(found == "AAAA\0\0\0\0BBBBCCCC\0\0\0\0")
    }

    @Test func `with more bytes than numbers can count is refused`() throws {
        let most = UInt32.max
        // All samples in one chunk, and in one run.
        #expect(throws: RedactionError.self) {
            _ = try cleaned(head(uniform: most, samples: most, chunks: [0]) + box("mdat", [1, 2, 3]))
        }
        let run = full("trun", big(most))
        let fragment = box("moof", full("mfhd", big(1)) + box("traf", full("tfhd", big(1)) + run))
        #expect(throws: RedactionError.self) {
            _ = try cleaned(head(fragmentSample: most) + fragment + box("mdat", [1, 2, 3]))
        }
    }

    @Test func `has nothing in space before the media data, and nothing of a sample outside of them`() throws {
        let words = Array("at home".utf8)
        let film = head() + box("wide", words) + box("mdat", words)
        #expect(!String(decoding: try cleaned(film), as: Unicode.ASCII.self).contains("home"))
        let outside = UInt32(head(uniform: 4, samples: 1, chunks: [0]).count)
        #expect(throws: RedactionError(.damaged, "samples that are not in the media data")) {
            _ = try cleaned(head(uniform: 4, samples: 1, chunks: [outside + 6]) + box("mdat", words))
        }
    }

    /// A JPEG of two scans with words in front, between and behind.
    private var jpeg: [UInt8] {
        func comment(_ words: String) -> [UInt8] { [0xFF, 0xFE, 0, UInt8(words.utf8.count + 2)] + Array(words.utf8) }
        let scan: [UInt8] = [0xFF, 0xDA, 0, 3, 1, 0x42, 0xFF, 0, 0x42]
        let start: [UInt8] = [0xFF, 0xD8]
        let end: [UInt8] = [0xFF, 0xD9]
        return [start, comment("in front"), scan, comment("between"), scan, end, Array("behind".utf8)].flatMap { $0 }
    }

    @Test func `of TIFF has no words in a JPEG that two directories have, and keeps its scans`() throws {
        func directory(_ next: UInt8) -> [UInt8] {
            let start: [UInt8] = [2, 0, 0x11, 0x01, 4, 0, 1, 0, 0, 0, 68, 0, 0, 0]
            let length: [UInt8] = [0x17, 0x01, 4, 0, 1, 0, 0, 0, UInt8(jpeg.count), 0, 0, 0]
            let end: [UInt8] = [next, 0, 0, 0]
            return start + length + end
        }
        let header: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]
        let tiff = header + directory(38) + directory(0) + jpeg
        try #require(tiff.count == 68 + jpeg.count)
        let found = try cleaned(tiff, .tiff)
        #expect(found.count == tiff.count)
        let text = String(decoding: found, as: Unicode.ASCII.self)
        for word in ["in front", "between", "behind"] { #expect(!text.contains(word), "\(word)") }
        let scans = found.indices.filter { found[$0...].starts(with: [0xFF, 0xDA, 0, 3, 1, 0x42, 0xFF, 0, 0x42]) }
        #expect(scans.count == 2)
    }
}
