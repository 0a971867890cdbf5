import Containers
import Media
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A file's type` {
    private static func text(_ text: String, padding: Int = 64) -> [UInt8] {
        Array(text.utf8) + [UInt8](repeating: 0, count: padding)
    }

    private static let samples: [(FileType, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.gif, text("GIF89a")),
        (.webP, text("RIFF\u{10}\0\0\0WEBPVP8 ")),
        (.avi, text("RIFF\u{10}\0\0\0AVI LIST")),
        (.wave, text("RIFF\u{10}\0\0\0WAVEfmt ")),
        (.heic, text("\0\0\0\u{18}ftypmif1\0\0\0\0mif1heic")),
        (.avif, text("\0\0\0\u{18}ftypavif\0\0\0\0mif1miaf")),
        (.quickTime, text("\0\0\0\u{14}ftypqt  \0\0\0\0qt  ")),
        (.quickTime, text("\0\0\u{1}\0moov")),
        (.mpeg4, text("\0\0\0\u{14}ftypisom\0\0\0\0isom")),
        (.m4v, text("\0\0\0\u{14}ftypM4V \0\0\0\0isom")),
        (.threeGPP, text("\0\0\0\u{14}ftyp3gp4\0\0\0\0isom")),
        (.m4a, text("\0\0\0\u{14}ftypM4A \0\0\0\0isom")),
        (.programStream, [0, 0, 1, 0xBA, 0x44]),
        (.mp3, text("ID3\u{3}\0")),
        (.tiff, [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0]),
        (.unknown, text("Hello, this is a text, whatever its name says.")),
        (.empty, []),
    ]

    @Test(arguments: samples)
    func `is recognised by its first bytes`(expected: FileType, bytes: [UInt8]) {
        #expect(FileType(recognising: RandomAccessBytes(bytes)) == expected)
    }

    @Test func `of a transport stream needs three packets in a row`() {
        var stream = [UInt8](repeating: 0, count: 188 * 3)
        for packet in 0..<3 { stream[packet * 188] = 0x47 }
        #expect(FileType(recognising: RandomAccessBytes(stream)) == .transportStream)
        stream[376] = 0
        #expect(FileType(recognising: RandomAccessBytes(stream)) == .unknown)
    }

    @Test(arguments: samples)
    func `is found for every shorter piece of it without a trap`(expected: FileType, bytes: [UInt8]) {
        for length in 0..<min(bytes.count, 40) {
            let found = FileType(recognising: RandomAccessBytes(Array(bytes.prefix(length))))
            #expect(length > 0 || found == .empty)
        }
    }
}
