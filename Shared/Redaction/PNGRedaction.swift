import Containers
import MessageSchema

/// A PNG without metadata: the chunks of the picture are copied as they are.
///
/// Source: PNG (Third Edition) sections 5 and 11. A chunk that is not known is left out when it is ancillary.
enum PNGRedaction {
    private static let maximumChunkCount = 1 << 20
    private static let picture: Set<String> = [
        "IHDR", "PLTE", "IDAT", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "mDCv", "cLLI", "cLLi",
        "bKGD", "hIST", "pHYs", "sPLT", "acTL", "fcTL", "fdAT",
    ]
    private static let prose: Set<String> = [
        "Title", "Author", "Copyright", "Creation Time", "Software", "Disclaimer", "Warning", "Source",
    ]

    static func plan(_ bytes: RandomAccessBytes, _ profile: PrivacyProfile) throws(RedactionError) -> Redaction {
        var redaction = Redaction()
        redaction.append(.source(0..<8))
        var position: Int64 = 8
        for _ in 0..<maximumChunkCount {
            let head = try bytes.exactly(8, at: position, of: "the picture")
            let length = Int64(head.uint32(0) ?? 0)
            let name = String(decoding: head.bytes[4...], as: UTF8.self)
            let end = position + 12 + length
            guard end <= bytes.count else { throw RedactionError(.damaged, "a chunk ends too early") }
            let data = bytes.part(at: position + 8, count: length)
            switch name {
            case "IEND":
                redaction.append(.source(position..<end))
                return redaction
            case "eXIf":
                if let block = try EXIFRedaction.block(data, profile) {
                    redaction.append(.literal(chunk("eXIf", block)))
                }
            case "tIME":
                if profile == .location { redaction.append(.source(position..<end)) }
            case "tEXt":
                let keyword = String(decoding: data.bytes(at: 0, count: 80).prefix { $0 != 0 }, as: UTF8.self)
                if profile == .location, prose.contains(keyword) { redaction.append(.source(position..<end)) }
            default:
                if picture.contains(name) {
                    redaction.append(.source(position..<end))
                } else if head.bytes[4] & 0x20 == 0 {
                    // Without a critical chunk the picture can not be shown right.
                    throw RedactionError(.unknownPart, "a critical chunk")
                }
            }
            position = end
        }
        throw RedactionError(.tooLarge, "chunks")
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return big(UInt32(data.count)) + body + big(checksum(body))
    }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Annex D of the same.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
        }
        return sum ^ 0xFFFF_FFFF
    }
}
