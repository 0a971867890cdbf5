import Media
import Testing
import Video4Linux

@Suite(.timeLimit(.minutes(1)))
struct `The colours of a format` {
    struct Word: Sendable, CustomTestStringConvertible {
        /// V4L2's colorspace, transfer function, encoding and quantization.
        let said: (UInt32, UInt32, UInt32, UInt32)
        let primaries, transfer: UInt8
        var isRec709 = false
        var isFullRange = false

        var testDescription: String { "\(said)" }
    }

    static let words = [
        // Nothing is said: a webcam. The usual one, and one of high definition.
        Word(said: (0, 0, 0, 0), primaries: 1, transfer: 13), Word(said: (8, 0, 0, 0), primaries: 1, transfer: 13),
        Word(said: (3, 0, 0, 0), primaries: 1, transfer: 1, isRec709: true),
        Word(said: (7, 0, 0, 0), primaries: 1, transfer: 13, isFullRange: true),
        Word(said: (1, 0, 0, 0), primaries: 6, transfer: 1),
        Word(said: (12, 0, 0, 0), primaries: 11, transfer: 17, isRec709: true),
        // What is said comes before what a colorspace usually means.
        Word(said: (8, 1, 2, 1), primaries: 1, transfer: 1, isRec709: true, isFullRange: true),
        Word(said: (8, 2, 4, 2), primaries: 1, transfer: 13, isRec709: true),
        Word(said: (3, 2, 1, 2), primaries: 1, transfer: 13), Word(said: (7, 0, 1, 2), primaries: 1, transfer: 13),
        // Without a number in H.273, or of a kernel that is newer.
        Word(said: (9, 0, 0, 0), primaries: 2, transfer: 2), Word(said: (77, 88, 0, 0), primaries: 2, transfer: 2),
    ]

    @Test(arguments: words)
    func `are what the driver says, and where it says nothing what V4L2 means by that`(word: Word) {
        let (colorspace, transfer, encoding, quantization) = word.said
        let found = FormatColours(
            colorspace: colorspace,
            transfer: transfer,
            encoding: encoding,
            quantization: quantization
        )
        #expect(found.colours == PictureColours(primaries: word.primaries, transfer: word.transfer))
        #expect(found.isRec709 == word.isRec709 && found.isFullRange == word.isFullRange)
    }
}
