import Imaging
import Testing

@Suite(.timeLimit(.minutes(1)))
struct JPEGRepairTests {
    @Test func `a frame without Huffman tables decodes to the same pixels once they are put in`() throws {
        let jpeg = try Pictures.jpeg()
        let bare = try Pictures.withoutTables(jpeg)
        #expect(bare.count == jpeg.count - 432)
        let mended = try JPEGRepair.repaired(bare)
        #expect(mended.insertedTables)
        #expect(mended.bytes.count == bare.count + 420)
        let original = try JPEGDecoder().decode(jpeg)
        let again = try JPEGDecoder().decode(mended.bytes)
        #expect(again == original)
    }

    @Test(arguments: [[UInt8](repeating: 0, count: 100), [0x00], [0xFF, 0xD9, 0x00], Array("AVI padding".utf8)])
    func `padding after the end of the image is trimmed`(padding: [UInt8]) throws {
        let jpeg = try Pictures.jpeg()
        let mended = try JPEGRepair.repaired(jpeg + padding)
        #expect(mended.bytes == jpeg)
        #expect(mended.trimmedByteCount == padding.count)
        #expect(!mended.insertedTables)
    }

    @Test func `a sound picture is returned as it is`() throws {
        let jpeg = try Pictures.jpeg()
        let outcome = try JPEGRepair.repaired(jpeg)
        #expect(outcome.bytes == jpeg)
        #expect(outcome.trimmedByteCount == 0)
    }

    @Test func `no prefix of a picture passes for whole, and none traps`() throws {
        let jpeg = try Pictures.jpeg(width: 32, height: 16)
        for count in 0..<jpeg.count {
            #expect(throws: JPEGError.self) { try JPEGRepair.repaired(Array(jpeg.prefix(count))) }
        }
    }

    @Test func `single bytes changed in the head never trap`() throws {
        let jpeg = try Pictures.jpeg(width: 16, height: 16)
        for index in 0..<min(jpeg.count, 700) {
            for value: UInt8 in [0x00, 0x01, 0xFF, 0xD9, 0xDA] {
                var changed = jpeg
                changed[index] = value
                _ = try? JPEGRepair.repaired(changed)
            }
        }
    }
}
